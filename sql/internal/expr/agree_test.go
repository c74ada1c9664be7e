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

// Every file of testdata/agree has expressions, each followed by what PostgreSQL 15 makes of SELECT expression FROM a table, on a
// line that begins with blanks. The lines between are comments. With a server at hand
//
//	go test ./sql/internal/expr -run Agree -postgres 'host=127.0.0.1 user=postgres'
//
// writes the outcomes anew; the server's zone must be UTC and its collation C.
var postgres = flag.String("postgres", "", "connection string of the PostgreSQL 15 server that the expected outcomes are taken from")

var (
	randomSeed  = flag.Uint64("seed", 0, "seed of the random expressions; 0 draws one")
	randomCount = flag.Int("expressions", 3000, "number of random expressions")
)

// testColumn is a column of a test table with its value in each row; "" is NULL.
type testColumn struct {
	name, ddl string
	typ       types.Type
	values    []string
}

// tableT has one row; nul and nob are NULL.
var tableT = []testColumn{
	{"a", "int4", types.Int4, []string{"7"}},
	{"i2", "int2", types.Int2, []string{"32000"}},
	{"i8", "int8", types.Int8, []string{"5000000000"}},
	{"n", "numeric(8,2)", types.NumericPS(8, 2), []string{"12.50"}},
	{"f", "float8", types.Float8, []string{"2.5"}},
	{"b", "text", types.Text, []string{"Hello"}},
	{"v", "varchar(10)", types.VarcharN(10), []string{"world"}},
	{"c", "char(5)", types.CharN(5), []string{"ab"}},
	{"y", "bool", types.Bool, []string{"t"}},
	{"ts", "timestamp", types.Timestamp, []string{"2020-02-29 12:34:56.789"}},
	{"tz", "timestamptz", types.TimestampTZ, []string{"2021-07-04 10:20:30+00"}},
	{"d", "date", types.Date, []string{"2019-12-31"}},
	{"iv", "interval", types.Interval, []string{"1 mon 2 days 03:04:05"}},
	{"u", "uuid", types.UUID, []string{"123e4567-e89b-12d3-a456-426614174000"}},
	{"by", "bytea", types.Bytea, []string{`\x00ff`}},
	{"nul", "int4", types.Int4, []string{""}},
	{"nob", "bool", types.Bool, []string{""}},
	{"not_used_name", "text", types.Text, []string{"x"}},
}

// tableM has rows for aggregates.
var tableM = []testColumn{
	{"i", "int4", types.Int4, []string{"1", "2", "2", "", "10"}},
	{"i2", "int2", types.Int2, []string{"100", "30000", "30000", "", "-5"}},
	{"l", "int8", types.Int8, []string{"9000000000000000000", "9000000000000000000", "", "-3", "7"}},
	{"n", "numeric", types.Numeric, []string{"1.5", "2.25", "", "1.50", "-0.125"}},
	{"f", "float8", types.Float8, []string{"1.5", "2.5", "", "1e3", "-4"}},
	{"r", "float4", types.Float4, []string{"1.5", "2.25", "", "3", "-4"}},
	{"s", "text", types.Text, []string{"b", "a", "b", "", "c"}},
	{"v", "varchar(3)", types.VarcharN(3), []string{"xx", "y", "z", "", "xx"}},
	{"c", "char(3)", types.CharN(3), []string{"q", "r", "", "q", "p"}},
	{"y", "bool", types.Bool, []string{"t", "f", "", "t", "t"}},
	{"d", "date", types.Date, []string{"2020-01-01", "2019-01-01", "", "2021-01-01", "2020-01-01"}},
	{"ts", "timestamp", types.Timestamp, []string{"2020-01-01 10:00", "", "2021-01-01 00:00:01", "2019-01-01", "2020-01-01"}},
	{"iv", "interval", types.Interval, []string{"1 day", "2 days 3 hours", "", "1 mon", "00:00:01"}},
	{"nul", "int4", types.Int4, []string{"", "", "", "", ""}},
	{"one", "int4", types.Int4, []string{"1", "1", "1", "1", "1"}},
}

// tableOf is the table whose rows the expressions of a file are evaluated over.
func tableOf(path string) (string, []testColumn) {
	if strings.HasPrefix(filepath.Base(path), "aggregate") {
		return "m", tableM
	}
	return "t", tableT
}

func testRows(t testing.TB, name string, table []testColumn) (*Scope, []*Datums) {
	t.Helper()
	src := &Source{Schema: "public", Table: name, Name: name}
	rows := make([]*Datums, len(table[0].values))
	for i, c := range table {
		src.Columns = append(src.Columns, SourceColumn{Name: c.name, Type: c.typ, Index: i})
		for j, v := range c.values {
			if rows[j] == nil {
				rows[j] = &Datums{}
			}
			d := types.NullDatum
			if v != "" {
				var err error
				if d, err = types.Input(nil, c.typ, []byte(v)); err != nil {
					t.Fatal(err)
				}
			}
			*rows[j] = append(*rows[j], d)
		}
	}
	return &Scope{Sources: []*Source{src}}, rows
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
				if got := outcome(t, path, c.expr); got != c.want {
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

func (testSession) Database() string { return "postgres" }
func (testSession) Schema() string   { return "public" }
func (testSession) User() string     { return "postgres" }

func (testSession) Notify(_, _ string) error { return nil }

func (testSession) Channels() []string { return nil }

func (testSession) SessionUser() string { return "postgres" }

func (testSession) Version() string   { return "PostgreSQL 15.0 (minidb)" }
func (testSession) BackendPID() int32 { return 42 }
func (testSession) Setting(name string) (string, bool) {
	return "UTC", name == "timezone"
}

func (testSession) SetSetting(name, value string, _ bool) (string, error) {
	return value, nil
}

// outcome is what SELECT text FROM the file's table gives here.
func outcome(t testing.TB, path, text string) string {
	table, columns := tableOf(path)
	scope, rows := testRows(t, table, columns)
	ec := testContext()
	scope.SetFuncs = true
	scope.topLevel = strings.HasSuffix(path, "sets.txt")
	e, name, err := buildZoned(scope, text, table, zoneOf(path))
	if err != nil {
		return describe(err)
	}
	ec.Types.Location = zoneOf(path)
	if set, ok := e.(*SetCall); ok {
		return setOutcome(ec, name, set, rows[0])
	}
	if e, err = aggregateRows(ec, e, rows); err != nil {
		return describe(err)
	}
	row := rows[0]
	// As in PostgreSQL folding may drop what would fail; what does not fail it does not change.
	d, err := Fold(e).Eval(ec, row)
	unfolded, unfoldedErr := e.Eval(ec, row)
	if unfoldedErr == nil && (err != nil || !sameDatum(d, unfolded)) {
		t.Errorf("%s: folding changes the value", text)
	}
	if err != nil {
		return describe(err)
	}
	value := ""
	if !d.Null {
		value = types.FormatText(ec.Types, e.Type(), d)
	}
	return show(name, typeName(e.Type()), value, d.Null)
}

// setOutcome joins the rows of a set.
func setOutcome(ec *EvalContext, name string, set *SetCall, row Row) string {
	it, err := set.Rows(ec, row)
	if err != nil {
		return describe(err)
	}
	var out []string
	for {
		values, ok, err := it.Next()
		if err != nil {
			return describe(err)
		}
		if !ok {
			return show(name, typeName(set.Type()), strings.Join(out, " ; "), false)
		}
		fields := make([]string, len(values))
		for i, d := range values {
			switch {
			case !d.Null:
				fields[i] = types.FormatText(ec.Types, set.Columns()[i].Type, d)
			case len(values) == 1:
				fields[i] = "<null>"
			}
			if len(values) > 1 && strings.ContainsAny(fields[i], "\"\\(), ") {
				fields[i] = `"` + strings.NewReplacer(`"`, `""`, `\`, `\\`).Replace(fields[i]) + `"`
			}
		}
		text := strings.Join(fields, ",")
		if len(values) > 1 {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
}

// aggregateRows puts the values that aggregates have over the rows into e.
func aggregateRows(ec *EvalContext, e Expr, rows []*Datums) (Expr, error) {
	var failed error
	out := Rewrite(e, func(n Expr) (Expr, bool) {
		a, ok := n.(*Aggregate)
		if !ok {
			return nil, false
		}
		state := a.NewState()
		for _, r := range rows {
			if err := state.Add(ec, r); err != nil {
				failed = err
			}
		}
		d, err := state.Result(ec)
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

// zoneOf is the session's zone for a file: that of New York where its name ends so.
func zoneOf(path string) *time.Location {
	if !strings.HasSuffix(path, "_newyork.txt") {
		return time.UTC
	}
	loc, ok := types.Zone("America/New_York")
	if !ok {
		panic("no zone database")
	}
	return loc
}

// buildTest builds the target of SELECT text FROM table.
func buildTest(scope *Scope, text, table string) (Expr, string, error) {
	return buildZoned(scope, text, table, time.UTC)
}

func buildZoned(scope *Scope, text, table string, zone *time.Location) (Expr, string, error) {
	query := "SELECT " + text + " FROM " + table
	stmts, err := parse.Parse(query)
	if err != nil {
		return nil, "", err
	}
	b := &Builder{Text: query, Params: NewParams(nil), Types: testContext().Types}
	b.Types.Location = zone
	target := stmts[0].AST.(*parse.SelectStmt).Body.(*parse.SelectClause).Targets[0]
	e, err := b.BuildValue(target.Expr, scope)
	if err == nil {
		err = b.Params.Check()
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
	table, columns := tableOf(path)
	setUp(t, conn, table, columns)
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET timezone = '%s'", zoneOf(path))); err != nil {
		t.Fatal(err)
	}
	outcomes := map[int]string{}
	for _, c := range cases {
		outcomes[c.line] = ask(t, conn, c.expr, table)
	}
	writeCases(t, path, lines, outcomes)
}

func writeCases(t *testing.T, path string, lines []string, outcomes map[int]string) {
	t.Helper()
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

func setUp(t *testing.T, conn *pgx.Conn, table string, columns []testColumn) {
	t.Helper()
	var defs []string
	rows := make([][]string, len(columns[0].values))
	for _, c := range columns {
		defs = append(defs, c.name+" "+c.ddl)
		for i, v := range c.values {
			literal := "NULL"
			if v != "" {
				literal = "'" + v + "'"
			}
			rows[i] = append(rows[i], literal)
		}
	}
	sql := fmt.Sprintf("DROP TABLE IF EXISTS %s; CREATE TABLE %s (%s);", table, table, strings.Join(defs, ", "))
	for _, r := range rows {
		sql += fmt.Sprintf("INSERT INTO %s VALUES (%s);", table, strings.Join(r, ", "))
	}
	if _, err := conn.PgConn().Exec(context.Background(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, conn *pgx.Conn, text, table string) string {
	t.Helper()
	ctx := context.Background()
	results, err := conn.PgConn().Exec(ctx, "SELECT "+text+" FROM "+table).ReadAll()
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return describeFields(pe.Code, pe.Message, pe.Detail, pe.Hint, int(pe.Position))
	case err != nil:
		t.Fatal(err)
	}
	r := results[0]
	if len(r.Rows) == 0 {
		// Then pgx tells nothing of the columns.
		sd, err := conn.Prepare(ctx, "", "SELECT "+text+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		r.FieldDescriptions = sd.Fields
	}
	fd := r.FieldDescriptions[0]
	var typ string
	if err := conn.QueryRow(ctx, "SELECT format_type($1, $2)", fd.DataTypeOID, fd.TypeModifier).Scan(&typ); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || strings.Contains(text, "unnest") || strings.Contains(text, "_each") {
		out := make([]string, len(r.Rows))
		for i, row := range r.Rows {
			if out[i] = string(row[0]); row[0] == nil {
				out[i] = "<null>"
			}
		}
		return show(fd.Name, typ, strings.Join(out, " ; "), false)
	}
	value := r.Rows[0][0]
	return show(fd.Name, typ, string(value), value == nil)
}
