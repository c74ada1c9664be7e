package sql_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

var regressFlag = flag.String("regress", "", "scripts of PostgreSQL's regression tests to compare with the PostgreSQL of -oracle: names, or all")

// regressScripts are those in plain SQL.
var regressScripts = strings.Fields(`boolean char name varchar text int2 int4 int8 float4 float8 numeric date time timestamp timestamptz interval
	select select_distinct select_having select_into insert update delete insert_conflict join aggregates groupingsets window union case
	subselect with limit transactions prepare copydml create_index create_table constraints sequence identity arrays jsonb json uuid strings
	regex numerology numeric_big errors returning truncate portals create_view rangefuncs tsrf`)

// beyondSQL are statements that reach beyond the database, need psql, or print plans.
var beyondSQL = regexp.MustCompile(`(?i)\b(role|user|group|tablespace|database|grant|revoke|owner|owned|authorization|system|stdin|stdout|load|explain)\b|:'|:"|\bpg_regress`)

// TestPostgresRegress runs the statements of PostgreSQL's own regression tests on minidb and on a PostgreSQL and compares them one by
// one: the same rows, in whatever order, or the same SQLSTATE. Those of testdata/corpora/regress.txt must be the same; -rewrite writes
// the list.
//
//	go test ./sql -run PostgresRegress -v -oracle URL -regress all
func TestPostgresRegress(t *testing.T) {
	if *regressFlag == "" || *oracleFlag == "" {
		t.Skip("needs -regress and -oracle")
	}
	root := filepath.Join(corpora(), "postgres-regress")
	must := map[string][]int{}
	if !*rewriteFlag {
		must = readLines(t, "regress.txt")
	}
	causes, same, total := map[string]int{}, 0, 0
	for _, name := range regressScripts {
		if *regressFlag != "all" && !slices.Contains(strings.Fields(*regressFlag), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := &regressRun{t: t, root: root, minidb: openMinidb(t), oracle: openOracle(t, *oracleFlag), causes: causes}
			defer r.oracle.close()
			r.minidb.checkable = false
			defer r.minidb.close()
			r.both("SET statement_timeout = '10s'")
			r.script("test_setup")
			r.same, r.total, r.counting = nil, 0, true
			r.script(name)
			for _, line := range must[name] {
				if !slices.Contains(r.same, line) {
					t.Errorf("%s.sql:%d is not the same any more", name, line)
				}
			}
			same, total = same+len(r.same), total+r.total
			t.Logf("%d of %d", len(r.same), r.total)
			if *rewriteFlag {
				must[name] = r.same
			}
		})
	}
	for _, cause := range slices.SortedFunc(maps.Keys(causes), func(a, b string) int { return causes[b] - causes[a] })[:min(60, len(causes))] {
		t.Logf("%4d %s", causes[cause], cause)
	}
	t.Logf("%d of %d statements are the same", same, total)
	if *rewriteFlag {
		writeLines(t, "regress.txt", must)
	}
}

// regressRun is a script being compared.
type regressRun struct {
	t        *testing.T
	root     string
	minidb   *testEngine
	oracle   *oracle
	causes   map[string]int
	counting bool
	same     []int // lines
	total    int
}

// both runs a statement on both.
func (r *regressRun) both(sql string) (got, want result) {
	want = r.oracle.run("main", sql)
	return r.minidb.run("main", sql), want
}

var copyData = regexp.MustCompile(`(?i)^COPY\s+(\w+)\s+FROM\s+:'filename'`)

func (r *regressRun) script(name string) {
	text, err := os.ReadFile(filepath.Join(r.root, "sql", name+".sql"))
	if err != nil {
		r.t.Fatal(err)
	}
	data := ""
	for _, st := range splitScript(string(text)) {
		if rest, ok := strings.CutPrefix(st.sql, `\set filename :abs_srcdir '`); ok {
			data = strings.Trim(rest, "'\n")
			continue
		}
		if m := copyData.FindStringSubmatch(st.sql); m != nil {
			r.load(m[1], filepath.Join(r.root, data))
			continue
		}
		if st.sql[0] == '\\' || strings.Contains(st.sql, "\n\\") || strings.Contains(st.sql, `\g`) || beyondSQL.MatchString(st.sql) {
			continue
		}
		got, want := r.both(st.sql)
		r.compare(st, got, want)
	}
}

// load copies a file of text data into a table, by INSERTs.
func (r *regressRun) load(table, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var rows []string
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		fields := strings.Split(strings.ReplaceAll(line, "'", "''"), "\t")
		for i, f := range fields {
			if fields[i] = "'" + f + "'"; f == `\N` {
				fields[i] = "NULL"
			}
		}
		rows = append(rows, "("+strings.Join(fields, ", ")+")")
	}
	for chunk := range slices.Chunk(rows, 1000) {
		r.both("INSERT INTO " + table + " VALUES " + strings.Join(chunk, ", "))
	}
}

func (r *regressRun) compare(st scriptStatement, got, want result) {
	if !r.counting {
		return
	}
	r.total++
	switch {
	case got.err != nil && want.err != nil && got.err.Code == want.err.Code, got.err == nil && want.err == nil && sameRows(got, want):
		r.same = append(r.same, st.line)
	case got.err != nil:
		if got.err.Code == sqlerr.QueryCanceled || got.err.Code == sqlerr.InternalError {
			r.t.Logf("line %d: %s: %s", st.line, st.sql, describeError(got.err))
		}
		cause := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(got.err.Message, `"_"`)
		r.causes[fmt.Sprintf("%s %s", got.err.Code, cause)]++
	case want.err != nil:
		r.causes["no error instead of "+string(want.err.Code)]++
	default:
		r.causes["other rows"]++
		r.t.Logf("other rows: line %d: %s", st.line, st.sql)
	}
}

func sameRows(a, b result) bool {
	for _, rows := range [][][]string{a.rows, b.rows} {
		slices.SortFunc(rows, slices.Compare)
	}
	return len(a.columns) == len(b.columns) && slices.EqualFunc(a.rows, b.rows, slices.Equal)
}

// scriptStatement is a statement of a psql script, without its semicolon, or a line for psql.
type scriptStatement struct {
	line int
	sql  string
}

var dollarQuote = regexp.MustCompile(`^\$([A-Za-z_]\w*)?\$`)

// splitScript takes a psql script apart.
func splitScript(text string) []scriptStatement {
	var out []scriptStatement
	start, line, depth := 0, 1, 0
	end := func(to int) {
		if sql := strings.TrimSpace(text[start:to]); sql != "" {
			out = append(out, scriptStatement{line - strings.Count(sql, "\n"), sql})
		}
	}
	for i := 0; i < len(text); {
		n := 1
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "--"):
			n = strings.IndexByte(rest+"\n", '\n')
			if strings.TrimSpace(text[start:i]) == "" {
				start = i + n
			}
		case rest[0] == '\\' && strings.TrimSpace(text[start:i]) == "":
			n = strings.IndexByte(rest+"\n", '\n')
			end(i + n)
			start = i + n
		case rest[0] == '\'':
			escapes := i > 0 && (text[i-1] == 'E' || text[i-1] == 'e')
			for n = 1; n < len(rest) && rest[n] != '\''; n++ {
				if escapes && rest[n] == '\\' {
					n++
				}
			}
			n++
		case rest[0] == '"':
			n = strings.IndexByte(rest[1:]+`"`, '"') + 2
		case strings.HasPrefix(rest, "/*"):
			n = strings.Index(rest+"*/", "*/") + 2
		case dollarQuote.MatchString(rest):
			tag := dollarQuote.FindString(rest)
			n = strings.Index(rest[len(tag):]+tag, tag) + 2*len(tag)
		case rest[0] == '(':
			depth++
		case rest[0] == ')':
			depth--
		case rest[0] == ';' && depth <= 0:
			end(i)
			start, depth = i+1, 0
		}
		n = min(n, len(text)-i)
		line += strings.Count(text[i:i+n], "\n")
		i += n
	}
	return out
}
