package expr

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Every file of testdata/agree has expressions, each followed by what PostgreSQL 15 makes of SELECT expression FROM t, on a
// line that begins with blanks. The lines between are comments. With a server at hand
//
//	go test ./sql/internal/expr -run Agree -postgres 'host=127.0.0.1 user=postgres'
//
// writes the outcomes anew; the server's zone must be UTC and its collation C.
var postgres = flag.String("postgres", "", "connection string of the PostgreSQL 15 server that the expected outcomes are taken from")

// testColumns are the columns of t, which has one row; nul is NULL.
var testColumns = []struct {
	name, ddl, value string
	typ              types.Type
}{
	{"a", "int4", "7", types.Int4},
	{"i2", "int2", "32000", types.Int2},
	{"i8", "int8", "5000000000", types.Int8},
	{"n", "numeric(8,2)", "12.50", types.NumericPS(8, 2)},
	{"f", "float8", "2.5", types.Float8},
	{"b", "text", "Hello", types.Text},
	{"v", "varchar(10)", "world", types.VarcharN(10)},
	{"c", "char(5)", "ab", types.CharN(5)},
	{"y", "bool", "t", types.Bool},
	{"ts", "timestamp", "2020-02-29 12:34:56.789", types.Timestamp},
	{"tz", "timestamptz", "2021-07-04 10:20:30+00", types.TimestampTZ},
	{"d", "date", "2019-12-31", types.Date},
	{"iv", "interval", "1 mon 2 days 03:04:05", types.Interval},
	{"u", "uuid", "123e4567-e89b-12d3-a456-426614174000", types.UUID},
	{"by", "bytea", `\x00ff`, types.Bytea},
	{"nul", "int4", "", types.Int4},
	{"nob", "bool", "", types.Bool},
	{"not_used_name", "text", "x", types.Text},
}

func testRow(t testing.TB) (*Scope, *Datums) {
	t.Helper()
	src := &Source{Schema: "public", Table: "t", Name: "t"}
	var row Datums
	for i, c := range testColumns {
		src.Columns = append(src.Columns, SourceColumn{Name: c.name, Type: c.typ, Index: i})
		d := types.NullDatum
		if c.value != "" {
			var err error
			if d, err = types.Input(nil, c.typ, []byte(c.value)); err != nil {
				t.Fatal(err)
			}
		}
		row = append(row, d)
	}
	return &Scope{Sources: []*Source{src}}, &row
}

// herePrefix begins the line below PostgreSQL's outcome with minidb's, where that differs and shall.
const herePrefix = "    here: "

// agreeCase is an expression and the outcome that was recorded for it.
type agreeCase struct {
	expr, want string
	line       int
}

func readCases(t testing.TB, path string) (lines []string, cases []agreeCase) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, l := range lines {
		switch {
		case l == "" || l[0] == '#':
		case strings.HasPrefix(l, herePrefix):
			cases[len(cases)-1].want = strings.TrimPrefix(l, herePrefix)
		case l[0] == ' ':
			cases[len(cases)-1].want = strings.TrimSpace(l)
		default:
			cases = append(cases, agreeCase{expr: l, line: i})
		}
	}
	return lines, cases
}

func TestExpressionsAgreeWithPostgreSQL(t *testing.T) {
	files, err := filepath.Glob("testdata/agree/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			lines, cases := readCases(t, path)
			if *postgres != "" {
				record(t, path, lines, cases)
				return
			}
			for _, c := range cases {
				if got := outcome(t, c.expr); got != c.want {
					t.Errorf("%s:%d: %s\n got %s\nwant %s", path, c.line+1, c.expr, got, c.want)
				}
			}
		})
	}
}

// testTime is the time of the test's transaction.
var testTime = time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)

func testContext() *EvalContext {
	tc := types.NewContext()
	tc.TxnTime, tc.StmtTime = testTime, testTime
	return &EvalContext{Types: tc, Session: testSession{}}
}

// testSession answers as a fresh session of psql does.
type testSession struct{}

func (testSession) Database() string  { return "postgres" }
func (testSession) Schema() string    { return "public" }
func (testSession) User() string      { return "postgres" }
func (testSession) Version() string   { return "PostgreSQL 15.0 (minidb)" }
func (testSession) BackendPID() int32 { return 42 }
func (testSession) Setting(name string) (string, bool) {
	return "UTC", name == "timezone"
}

func (testSession) SetSetting(name, value string, _ bool) (string, error) {
	return value, nil
}

// outcome is what SELECT text FROM t gives here.
func outcome(t testing.TB, text string) string {
	e, name, err := buildTest(t, text)
	if err != nil {
		return describe(err)
	}
	_, row := testRow(t)
	ec := testContext()
	if e, err = aggregateRow(ec, e, row); err != nil {
		return describe(err)
	}
	d, err := e.Eval(ec, row)
	if err != nil {
		return describe(err)
	}
	folded, err := Fold(e).Eval(ec, row)
	if err != nil || !sameDatum(d, folded) {
		t.Errorf("%s: folding changes the value: %v", text, err)
	}
	return show(name, e.Type().Format(), types.FormatText(ec.Types, e.Type(), d), d.Null)
}

// aggregateRow puts the values that aggregates have over one row into e.
func aggregateRow(ec *EvalContext, e Expr, row Row) (Expr, error) {
	var failed error
	out := Rewrite(e, func(n Expr) (Expr, bool) {
		a, ok := n.(*Aggregate)
		if !ok {
			return nil, false
		}
		state := a.NewState()
		err := state.Add(ec, row)
		var d types.Datum
		if err == nil {
			d, err = state.Result(ec)
		}
		if err != nil {
			failed = err
		}
		return NewConst(a.Type(), d), true
	})
	return out, failed
}

func show(name, typ, value string, null bool) string {
	if null {
		value = "<null>"
	} else if strings.ContainsAny(value, "\n\r") || value != strings.TrimSpace(value) || value == "" {
		value = fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf("[%s %s] %s", name, typ, value)
}

// buildTest builds the target of SELECT text FROM t.
func buildTest(t testing.TB, text string) (Expr, string, error) {
	query := "SELECT " + text + " FROM t"
	stmts, err := parse.Parse(query)
	if err != nil {
		return nil, "", err
	}
	scope, _ := testRow(t)
	b := &Builder{Text: query, Params: NewParams(nil), Types: testContext().Types}
	target := stmts[0].AST.(*parse.SelectStmt).Body.(*parse.SelectClause).Targets[0]
	e, err := b.BuildValue(target.Expr, scope)
	if err == nil {
		err = b.Params.Check(b)
	}
	name := target.Name
	if name == "" {
		name = ColumnName(target.Expr)
	}
	return e, name, err
}

func describe(err error) string {
	e, ok := sqlerr.As(err)
	if !ok {
		return "error of another kind: " + err.Error()
	}
	return describeFields(string(e.Code), e.Message, e.Detail, e.Hint, e.Position)
}

func describeFields(code, message, detail, hint string, position int) string {
	s := fmt.Sprintf("ERROR %s", code)
	if position > 0 {
		s += fmt.Sprintf(" @%d", position)
	}
	s += ": " + message
	if detail != "" {
		s += " / DETAIL: " + detail
	}
	if hint != "" {
		s += " / HINT: " + hint
	}
	return s
}

// record asks the server and writes the file anew.
func record(t *testing.T, path string, lines []string, cases []agreeCase) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	setUp(t, conn)
	outcomes := map[int]string{}
	for _, c := range cases {
		outcomes[c.line] = ask(t, conn, c.expr)
	}
	var out []string
	for i, l := range lines {
		if strings.HasPrefix(l, " ") && !strings.HasPrefix(l, herePrefix) {
			continue
		}
		out = append(out, l)
		if o, ok := outcomes[i]; ok {
			out = append(out, "    "+o)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func setUp(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	var columns, values []string
	for _, c := range testColumns {
		columns = append(columns, c.name+" "+c.ddl)
		v := "NULL"
		if c.value != "" {
			v = "'" + c.value + "'"
		}
		values = append(values, v)
	}
	sql := fmt.Sprintf("DROP TABLE IF EXISTS t; CREATE TABLE t (%s); INSERT INTO t VALUES (%s)", strings.Join(columns, ", "), strings.Join(values, ", "))
	if _, err := conn.PgConn().Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, conn *pgx.Conn, text string) string {
	t.Helper()
	ctx := context.Background()
	results, err := conn.PgConn().Exec(ctx, "SELECT "+text+" FROM t").ReadAll()
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return describeFields(pe.Code, pe.Message, pe.Detail, pe.Hint, int(pe.Position))
	case err != nil:
		t.Fatal(err)
	}
	r := results[0]
	fd := r.FieldDescriptions[0]
	var typ string
	if err := conn.QueryRow(ctx, "SELECT format_type($1, $2)", fd.DataTypeOID, fd.TypeModifier).Scan(&typ); err != nil {
		t.Fatal(err)
	}
	value := r.Rows[0][0]
	return show(fd.Name, typ, string(value), value == nil)
}
