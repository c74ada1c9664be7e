package copyfmt

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"minidb/sql/sqlerr"
)

// The files of testdata have inputs of COPY … FROM STDIN into a table of text columns, one a line, behind the options and the number of
// columns; the lines that follow, which begin with blanks, are what PostgreSQL 15 makes of it: rows, or an error with its context. With
// a server at hand
//
//	go test ./sql/internal/copyfmt -postgres 'host=127.0.0.1 user=postgres'
//
// writes the outcomes anew and compares random inputs too.
var (
	postgres    = flag.String("postgres", "", "connection string of the PostgreSQL 15 server that the expected outcomes are taken from")
	randomSeed  = flag.Uint64("seed", 0, "seed of the random inputs; 0 draws one")
	randomCount = flag.Int("inputs", 5000, "number of random inputs")
)

// readCase is an input with its options.
type readCase struct {
	o       Options
	columns int
	input   []byte
}

// parseCase parses a line like: csv delimiter=";" header 2 "a;b\n".
func parseCase(t *testing.T, line string) readCase {
	c := readCase{columns: 2}
	for rest := line; rest != ""; {
		rest = strings.TrimLeft(rest, " ")
		word := rest
		if i := strings.IndexAny(rest, " =\""); i >= 0 {
			word = rest[:i]
		}
		rest = rest[len(word):]
		value := ""
		if rest = strings.TrimPrefix(rest, "="); strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			value, _ = strconv.Unquote(quoted)
			rest = rest[len(quoted):]
		}
		switch word {
		case "text":
			c.o = Options{Format: Text, Delimiter: '\t', Null: `\N`}
		case "csv":
			c.o = Options{Format: CSV, Delimiter: ',', Quote: '"', Escape: '"'}
		case "binary":
			c.o = Options{Format: Binary}
		case "delimiter":
			c.o.Delimiter = value[0]
		case "quote":
			c.o.Quote, c.o.Escape = value[0], value[0]
		case "escape":
			c.o.Escape = value[0]
		case "null":
			c.o.Null = value
		case "header":
			c.o.Header = SkipHeader
		case "match":
			c.o.Header = MatchHeader
		case "force_null":
			c.o.ForceNull = []bool{false, true, false}
		case "force_not_null":
			c.o.ForceNotNull = []bool{false, true, false}
		case "0", "1", "3":
			c.columns = int(word[0] - '0')
		case "":
			c.input = []byte(value)
		default:
			t.Fatalf("%s: what is %s?", line, word)
		}
	}
	return c
}

var columnNames = []string{"a", "b", "c"}

// read gives what a source makes of the input.
func (c readCase) read(src io.Reader) string {
	columns := columnNames[:c.columns]
	s := NewSource(src, &c.o, columns)
	var out strings.Builder
	for {
		rec, err := s.Next()
		if err == nil && rec == nil {
			return out.String()
		}
		if err != nil {
			return describe(err, s.Where())
		}
		for i := range columns {
			if i >= len(rec.Fields) {
				return describe(MissingField(columns[i]), s.Where())
			}
		}
		out.WriteString(describeRow(rec.Fields, rec.Null))
	}
}

func describe(err error, where string) string {
	e, ok := sqlerr.As(err)
	if !ok {
		return "    " + err.Error() + "\n"
	}
	return describeError(string(e.Code), e.Message, e.Hint, where)
}

func describeError(code, message, hint, where string) string {
	out := fmt.Sprintf("    ERROR %s: %s\n", code, message)
	if hint != "" {
		out += "      hint " + hint + "\n"
	}
	if where != "" {
		out += "      at " + strconv.Quote(where) + "\n"
	}
	return out
}

func describeRow(fields [][]byte, null []bool) string {
	out := "   "
	for i, f := range fields {
		if null[i] {
			out += " NULL"
		} else {
			out += " " + strconv.Quote(string(f))
		}
	}
	return out + "\n"
}

// TestReadsAsPostgreSQL compares with recorded outcomes, also where the input comes byte by byte.
func TestReadsAsPostgreSQL(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if *postgres != "" {
			text = record(t, string(text))
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.SplitAfter(string(text), "\n")
		for i := 0; i < len(lines); i++ {
			line := strings.TrimSuffix(lines[i], "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			want := ""
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") {
				i++
				want += lines[i]
			}
			c := parseCase(t, line)
			if got := c.read(bytes.NewReader(c.input)); got != want {
				t.Errorf("%s: %s\n got\n%s want\n%s", file, line, got, want)
			}
			if got := c.read(iotest.OneByteReader(bytes.NewReader(c.input))); got != want {
				t.Errorf("%s: %s, byte by byte\n got\n%s want\n%s", file, line, got, want)
			}
		}
	}
}

// record puts PostgreSQL's outcomes into a file.
func record(t *testing.T, text string) []byte {
	server := connectPostgres(t)
	var out bytes.Buffer
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(line, " ") {
			continue
		}
		out.WriteString(line)
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			out.WriteString(server.read(parseCase(t, line)))
		}
	}
	return out.Bytes()
}

// postgresServer is the real thing.
type postgresServer struct {
	t    *testing.T
	conn *pgx.Conn
}

func connectPostgres(t *testing.T) *postgresServer {
	conn, err := pgx.Connect(context.Background(), *postgres)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	_, err = conn.Exec(context.Background(), "CREATE TEMP TABLE t0(); CREATE TEMP TABLE t1(a text); CREATE TEMP TABLE t2(a text, b text); CREATE TEMP TABLE t3(a text, b text, c text)")
	if err != nil {
		t.Fatal(err)
	}
	return &postgresServer{t, conn}
}

// options are those of the SQL statement.
func (c readCase) options() string {
	o := c.o
	list := []string{"FORMAT " + []string{"text", "csv", "binary"}[o.Format]}
	text := func(name, value string) {
		list = append(list, name+" E'"+strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\t", `\t`).Replace(value)+"'")
	}
	if o.Format != Binary {
		text("DELIMITER", string(o.Delimiter))
		text("NULL", o.Null)
	}
	if o.Format == CSV {
		text("QUOTE", string(o.Quote))
		text("ESCAPE", string(o.Escape))
	}
	switch o.Header {
	case SkipHeader:
		list = append(list, "HEADER")
	case MatchHeader:
		list = append(list, "HEADER match")
	}
	if o.ForceNull != nil {
		list = append(list, "FORCE_NULL (b)")
	}
	if o.ForceNotNull != nil {
		list = append(list, "FORCE_NOT_NULL (b)")
	}
	return strings.Join(list, ", ")
}

func (p *postgresServer) read(c readCase) string {
	ctx := context.Background()
	table := fmt.Sprintf("t%d", c.columns)
	if _, err := p.conn.Exec(ctx, "TRUNCATE "+table); err != nil {
		p.t.Fatal(err)
	}
	_, err := p.conn.PgConn().CopyFrom(ctx, bytes.NewReader(c.input), "COPY "+table+" FROM STDIN WITH ("+c.options()+")")
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		where := strings.TrimPrefix(e.Where, "COPY "+table)
		return describeError(e.Code, e.Message, e.Hint, strings.TrimPrefix(where, ", "))
	case err != nil:
		p.t.Fatal(err)
	}
	rows, err := p.conn.Query(ctx, "SELECT * FROM "+table)
	if err != nil {
		p.t.Fatal(err)
	}
	defer rows.Close()
	out := ""
	for rows.Next() {
		values := rows.RawValues()
		null := make([]bool, len(values))
		for i, v := range values {
			null[i] = v == nil
		}
		out += describeRow(values, null)
	}
	return out
}

// TestReadsRandomInputsAsPostgreSQL compares inputs made of the pieces that mean something.
func TestReadsRandomInputsAsPostgreSQL(t *testing.T) {
	if *postgres == "" {
		t.Skip("needs a PostgreSQL server: -postgres")
	}
	seed := *randomSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	server := connectPostgres(t)
	bad := 0
	for i := 0; i < *randomCount && bad < 10; i++ {
		c := randomCase(rng)
		want := server.read(c)
		if got := c.read(bytes.NewReader(c.input)); got != want {
			t.Errorf("%s, %d columns, %q\n got\n%s want\n%s", c.options(), c.columns, c.input, got, want)
			bad++
		}
	}
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func randomCase(rng *rand.Rand) readCase {
	c := readCase{o: Options{Format: Text, Delimiter: '\t', Null: `\N`}, columns: 1 + rng.IntN(3)}
	if rng.IntN(2) == 0 {
		c.o = Options{Format: CSV, Delimiter: ',', Quote: '"', Escape: '"'}
		if rng.IntN(4) == 0 {
			c.o.Quote = pick(rng, byte('\''), '\\', 'q')
		}
		c.o.Escape = pick(rng, c.o.Quote, c.o.Quote, '\\', 'e', '"')
	}
	if rng.IntN(3) == 0 {
		c.o.Delimiter = pick(rng, byte('|'), ';', 'A', 'N', '\x01')
	}
	if rng.IntN(4) == 0 {
		c.o.Null = pick(rng, "", "NULL", `\N`, "0", `\`)
	}
	if strings.IndexByte(c.o.Null, c.o.Delimiter) >= 0 || c.o.Format == CSV && (strings.IndexByte(c.o.Null, c.o.Quote) >= 0 || c.o.Quote == c.o.Delimiter) {
		return randomCase(rng)
	}
	if rng.IntN(8) == 0 {
		c.o.Header = pick(rng, SkipHeader, MatchHeader)
	}
	if c.o.Format == CSV && c.columns > 1 && rng.IntN(4) == 0 {
		c.o.ForceNull = []bool{false, true, false}
	}
	if c.o.Format == CSV && c.columns > 1 && rng.IntN(4) == 0 {
		c.o.ForceNotNull = []bool{false, true, false}
	}
	end := pick(rng, "\n", "\n", "\n", "\r\n", "\r")
	pieces := []string{
		"a", "bc", "x", "0", "7", "12", "4F", c.o.Null, `\`, `\\`, `\.`, `\x`, `\3`, `\303\251`, `\x00`, `\0`, `\N`, "é", "\xc3", "\xa9", "€", " ",
		string(c.o.Quote), string(c.o.Escape), `"`, "\t", "\n", "\r", "\r\n", "\x00", "q", "e", "n",
	}
	var b strings.Builder
	if c.o.Header != NoHeader {
		b.WriteString(strings.Join(columnNames[:c.columns], string(c.o.Delimiter)) + end)
	}
	for range rng.IntN(5) {
		for i := range c.columns {
			if i > 0 {
				b.WriteByte(c.o.Delimiter)
			}
			quoted := c.o.Format == CSV && rng.IntN(2) == 0
			if quoted {
				b.WriteByte(c.o.Quote)
			}
			for range rng.IntN(3) {
				b.WriteString(pieces[min(rng.IntN(len(pieces)), rng.IntN(2*len(pieces)))])
			}
			if quoted {
				b.WriteByte(c.o.Quote)
			}
		}
		if rng.IntN(12) == 0 {
			b.WriteString(pick(rng, "\n", "\r", "\r\n", `\.`+end, string(c.o.Delimiter)))
		} else {
			b.WriteString(end)
		}
		if rng.IntN(20) == 0 {
			b.WriteString(`\.` + end)
		}
	}
	text := b.String()
	if rng.IntN(6) == 0 {
		text = text[:rng.IntN(len(text)+1)]
	}
	c.input = []byte(text)
	return c
}
