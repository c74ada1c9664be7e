package sql_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// The logic tests run the files of testdata/logic, each on a fresh database. The format is sqllogictest's, with these additions:
//
//	statement ok [TAG]             the command tag must be TAG, if given
//	statement error CODE [@N] [text]   SQLSTATE; position N; text must occur in message, detail, hint, constraint or column
//	query TYPES [rowsort]          then "----" and one line a row: values with a blank between, NULL, (empty)
//	session NAME                   the records that follow run in that session; the first one is "main"
//	onlyif ENGINE, skipif ENGINE   for the next record; ENGINE is minidb, or postgresql when -oracle is given
//	engines ENGINE...              what follows is for these engines only
//	halt                           the rest of the file is not run
var (
	rewriteFlag = flag.Bool("rewrite", false, "write the results that were seen into the logic test files")
	oracleFlag  = flag.String("oracle", "", "URL of a PostgreSQL 15 to run the logic tests against instead of minidb")
)

func TestLogic(t *testing.T) {
	files, err := filepath.Glob("testdata/logic/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no logic test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) {
			runLogicFile(t, file)
		})
	}
}

// engineUnderTest is minidb or the oracle.
type engineUnderTest interface {
	name() string
	run(session, text string) result
	close()
}

// result is what one Query message gave: the rows and tag of its last statement, or the error.
type result struct {
	columns []string
	rows    [][]string
	tag     string
	err     *sqlerr.Error
}

// record is one record of a file.
type record struct {
	line     int
	kind     string // statement, query, session, halt
	args     []string
	text     string // the line itself
	sql      string
	expected []string
	// The line numbers that -rewrite replaces: from the "----" line up to the blank line, exclusive.
	resultStart, resultEnd int
	onlyIf, skipIf         []string
}

func runLogicFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	records, err := parseRecords(lines, false)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	engine := openEngineUnderTest(t)
	defer engine.close()
	session := "main"
	replaced := map[int][]string{} // resultStart → the lines to put there
	ends := map[int]int{}
	for _, r := range records {
		if slices.Contains(r.skipIf, engine.name()) || len(r.onlyIf) > 0 && !slices.Contains(r.onlyIf, engine.name()) {
			continue
		}
		switch r.kind {
		case "halt":
			return
		case "engines":
			if !slices.Contains(r.args, engine.name()) {
				t.Skipf("for %v only", r.args)
			}
			continue
		case "session":
			session = r.args[0]
			continue
		}
		got := engine.run(session, r.sql)
		if *rewriteFlag && r.kind == "query" && got.err == nil {
			replaced[r.resultStart], ends[r.resultStart] = append([]string{"----"}, formatRows(got, r)...), r.resultEnd
			continue
		}
		if msg := r.check(got); msg != "" {
			t.Errorf("%s:%d: %s\n%s", file, r.line, r.sql, msg)
		}
	}
	if *rewriteFlag {
		rewriteLines(t, file, lines, replaced, ends)
	}
}

func rewriteLines(t *testing.T, file string, lines []string, replaced map[int][]string, ends map[int]int) {
	var out []string
	for i := 0; i < len(lines); i++ {
		if with, ok := replaced[i]; ok {
			out = append(out, with...)
			if i = ends[i]; i >= len(lines) {
				break
			}
		}
		out = append(out, lines[i])
	}
	if err := os.WriteFile(file, []byte(strings.Join(out, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// parseRecords takes a file apart. Of other databases' scripts it gives the lines that it does not know as records too.
func parseRecords(lines []string, others bool) ([]record, error) {
	var out []record
	var onlyIf, skipIf []string
	for i := 0; i < len(lines); {
		fields := strings.Fields(lines[i])
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			i++
			continue
		}
		r := record{line: i + 1, kind: fields[0], args: fields[1:], text: lines[i], onlyIf: onlyIf, skipIf: skipIf}
		i++
		switch r.kind {
		case "onlyif":
			onlyIf = append(onlyIf, r.args[0])
			continue
		case "skipif":
			skipIf = append(skipIf, r.args[0])
			continue
		case "halt", "session", "engines", "hash-threshold":
		case "statement", "query":
			start := i
			for i < len(lines) && lines[i] != "" && lines[i] != "----" {
				i++
			}
			r.sql = strings.Join(lines[start:i], "\n")
			if r.kind == "query" {
				r.resultStart = i
				if i < len(lines) && lines[i] == "----" {
					i++
				}
				start = i
				for i < len(lines) && lines[i] != "" {
					i++
				}
				r.expected, r.resultEnd = lines[start:i], i
			}
		default:
			if !others {
				return nil, fmt.Errorf("line %d: unknown record %q", r.line, r.kind)
			}
		}
		out = append(out, r)
		onlyIf, skipIf = nil, nil
	}
	return out, nil
}

// check compares a result with the record and says what differs, or "".
func (r *record) check(got result) string {
	if r.kind == "statement" && r.args[0] == "error" {
		return r.checkError(got)
	}
	if got.err != nil {
		return "unexpected error: " + describeError(got.err)
	}
	if r.kind == "statement" {
		if want := strings.Join(r.args[1:], " "); want != "" && want != got.tag {
			return fmt.Sprintf("tag %q, want %q", got.tag, want)
		}
		return ""
	}
	if types := r.args[0]; len(types) != len(got.columns) {
		return fmt.Sprintf("%d columns, want %d (%s)", len(got.columns), len(types), types)
	}
	gotLines, want := formatRows(got, *r), slices.Clone(r.expected)
	if r.sorted() {
		slices.Sort(want)
	}
	if !slices.Equal(gotLines, want) {
		return fmt.Sprintf("got\n%s\nwant\n%s", strings.Join(gotLines, "\n"), strings.Join(want, "\n"))
	}
	return ""
}

func (r *record) checkError(got result) string {
	if got.err == nil {
		return "no error"
	}
	args := r.args[1:]
	if len(args) > 0 {
		if string(got.err.Code) != args[0] {
			return fmt.Sprintf("want SQLSTATE %s, got %s", args[0], describeError(got.err))
		}
		args = args[1:]
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "@") {
		if want, err := strconv.Atoi(args[0][1:]); err != nil || want != got.err.Position {
			return fmt.Sprintf("want position %s, got %s", args[0][1:], describeError(got.err))
		}
		args = args[1:]
	}
	text := ""
	if len(args) > 0 {
		// The rest of the line as it is, with its blanks.
		text = r.text[strings.Index(r.text, r.args[len(r.args)-len(args)-1])+len(r.args[len(r.args)-len(args)-1])+1:]
	}
	if !strings.Contains(describeError(got.err), text) {
		return fmt.Sprintf("want %q in %s", text, describeError(got.err))
	}
	return ""
}

func (r *record) sorted() bool { return slices.Contains(r.args[1:], "rowsort") }

// formatRows gives one line a row.
func formatRows(got result, r record) []string {
	var out []string
	for _, row := range got.rows {
		out = append(out, strings.Join(row, " "))
	}
	if r.sorted() {
		slices.Sort(out)
	}
	return out
}

func describeError(e *sqlerr.Error) string {
	s := fmt.Sprintf("%s %s", e.Code, e.Message)
	for _, part := range []struct{ name, value string }{
		{"DETAIL", e.Detail}, {"HINT", e.Hint}, {"WHERE", e.Where}, {"TABLE", e.Table}, {"CONSTRAINT", e.Constraint}, {"COLUMN", e.Column},
	} {
		if part.value != "" {
			s += fmt.Sprintf(" %s: %s", part.name, part.value)
		}
	}
	if e.Position != 0 {
		s += fmt.Sprintf(" @%d", e.Position)
	}
	return s
}

func openEngineUnderTest(t *testing.T) engineUnderTest {
	if *oracleFlag != "" {
		return openOracle(t, *oracleFlag)
	}
	return openMinidb(t)
}
