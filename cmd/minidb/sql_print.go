package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// run sends text as one Query message, prints every result in it and reports
// whether all of it succeeded. A statement is cancelled on the server when ctx
// is.
func (sh *shell) run(ctx context.Context, text string) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	start := time.Now()
	results := sh.conn.Exec(ctx, text)
	for results.NextResult() {
		sh.printResult(results.ResultReader())
	}
	if err := results.Close(); err != nil {
		sh.printError(err, text)
		return false
	}
	if sh.timing {
		fmt.Fprintf(sh.out, "Time: %.3f ms\n", float64(time.Since(start).Microseconds())/1000)
	}
	return true
}

// printResult prints rows as psql does: a header, numbers to the right, the
// count below; or the command tag of a statement without rows.
func (sh *shell) printResult(r *pgconn.ResultReader) {
	fields := r.FieldDescriptions()
	if len(fields) == 0 {
		if tag, err := r.Close(); err == nil && tag.String() != "" {
			fmt.Fprintln(sh.out, tag.String())
		}
		return
	}
	header := make([]string, len(fields))
	for i, f := range fields {
		header[i] = f.Name
	}
	var rows [][]string
	for r.NextRow() {
		row := make([]string, len(fields))
		for i, v := range r.Values() {
			row[i] = string(v)
		}
		rows = append(rows, row)
	}
	if _, err := r.Close(); err != nil {
		return // run reports it
	}
	sh.printTable(header, rows, func(i int) bool { return numericOID(fields[i].DataTypeOID) })
}

func numericOID(oid uint32) bool {
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID, pgtype.OIDOID:
		return true
	}
	return false
}

func (sh *shell) printTable(header []string, rows [][]string, right func(int) bool) {
	width := make([]int, len(header))
	for i, name := range header {
		width[i] = utf8.RuneCountInString(name)
	}
	for _, row := range rows {
		for i, v := range row {
			for line := range strings.SplitSeq(v, "\n") {
				width[i] = max(width[i], utf8.RuneCountInString(line))
			}
		}
	}
	var b strings.Builder
	for i, name := range header {
		pad := width[i] - utf8.RuneCountInString(name)
		left := pad / 2
		writeCell(&b, i, name, left, pad-left, i == len(header)-1)
	}
	b.WriteByte('\n')
	for i := range header {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(strings.Repeat("-", width[i]+2))
	}
	b.WriteByte('\n')
	for _, row := range rows {
		writeRow(&b, row, width, right)
	}
	if len(rows) == 1 {
		b.WriteString("(1 row)\n\n")
	} else {
		fmt.Fprintf(&b, "(%d rows)\n\n", len(rows))
	}
	_, _ = fmt.Fprint(sh.out, b.String())
}

// writeRow writes one row, on as many lines as its tallest value has; a `+`
// marks a value that goes on below, as in psql.
func writeRow(b *strings.Builder, row []string, width []int, right func(int) bool) {
	cells := make([][]string, len(row))
	height := 1
	for i, v := range row {
		cells[i] = strings.Split(v, "\n")
		height = max(height, len(cells[i]))
	}
	for line := range height {
		for i := range row {
			text := ""
			if line < len(cells[i]) {
				text = cells[i][line]
			}
			pad := width[i] - utf8.RuneCountInString(text)
			more := line+1 < len(cells[i])
			last := i == len(row)-1 && !more
			if right(i) {
				writeCell(b, i, text, pad, 0, last)
			} else {
				writeCell(b, i, text, 0, pad, last)
			}
			if more {
				endCell(b, '+')
			}
		}
		b.WriteByte('\n')
	}
}

// writeCell writes the i-th cell of a line; the padding at a line's end is left
// out.
func writeCell(b *strings.Builder, i int, text string, left, right int, last bool) {
	if i > 0 {
		b.WriteByte('|')
	}
	b.WriteByte(' ')
	b.WriteString(strings.Repeat(" ", left))
	b.WriteString(text)
	if !last {
		b.WriteString(strings.Repeat(" ", right+1))
	}
}

// endCell replaces the blank that ends a cell.
func endCell(b *strings.Builder, mark byte) {
	s := b.String()
	b.Reset()
	b.WriteString(s[:len(s)-1])
	b.WriteByte(mark)
}

// printError prints an error as psql does, with the line it points at.
func (sh *shell) printError(err error, text string) {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		fmt.Fprintln(sh.errOut, err)
		return
	}
	fmt.Fprintf(sh.errOut, "%s:  %s\n", e.Severity, e.Message)
	if e.Position > 0 {
		line, n, column := lineAt(text, int(e.Position))
		prefix := fmt.Sprintf("LINE %d: ", n)
		fmt.Fprintf(sh.errOut, "%s%s\n%s^\n", prefix, line, strings.Repeat(" ", len(prefix)+column))
	}
	printFields(sh, e.Detail, e.Hint, e.Where)
}

func printFields(sh *shell, detail, hint, where string) {
	for _, f := range []struct{ name, text string }{{"DETAIL", detail}, {"HINT", hint}, {"CONTEXT", where}} {
		if f.text != "" {
			fmt.Fprintf(sh.errOut, "%s:  %s\n", f.name, f.text)
		}
	}
}

func (sh *shell) printNotice(n *pgconn.Notice) {
	fmt.Fprintf(sh.errOut, "%s:  %s\n", n.Severity, n.Message)
	printFields(sh, n.Detail, n.Hint, n.Where)
}

// lineAt finds the line of text that holds its position-th character (from 1):
// the line, its number from 1, and the character's column from 0.
func lineAt(text string, position int) (line string, number, column int) {
	rest := text
	for number = 1; ; number++ {
		var more bool
		line, rest, more = strings.Cut(rest, "\n")
		length := utf8.RuneCountInString(line)
		if position <= length+1 || !more {
			return line, number, position - 1
		}
		position -= length + 1
	}
}
