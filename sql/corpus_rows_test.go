package sql_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// The scripts of other databases' logic tests have one line a row, with any blanks between the values. Of their records those count that
// PostgreSQL 15 passes: testdata/corpora has their lines, by file.
//
//	go test ./sql -run Scripts -oracle URL -rewrite   lists what a PostgreSQL passes
//	go test ./sql -run Scripts -scripts all           runs everything
//	go test ./sql -run Scripts -scripts all -rewrite  lists what minidb does not pass yet, of a corpus that has such a list
var scriptsFlag = flag.String("scripts", "", "scripts of the logic test corpora to run beside those that always run: a prefix of their path, or all")

// script is a file of such a corpus.
type script struct {
	file string // its path
	name string // below the corpus
}

// scriptCorpus is a corpus of scripts.
type scriptCorpus struct {
	dir  string
	list string // of the records that count, below testdata/corpora
	// open, if not "", is the list of the records that minidb does not pass yet.
	open   string
	ext    string // of the scripts; those whose names begin with _ are included by others
	always func(name string) bool
	engine string // for skipif and onlyif
	// prepare makes the statements that stand for one of the corpus; nil: they are run as they are.
	prepare func(sql string) []string
}

// run runs the scripts and reports how many records passed of those that count.
func (c *scriptCorpus) run(t *testing.T) {
	root := filepath.Join(corpora(), c.dir)
	if _, err := os.Stat(root); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the corpora are not there: %v", err)
		}
		t.Skipf("the corpora are not there (set MINIDB_CORPORA): %v", err)
	}
	// PostgreSQL passes the records that count; minidb fails the open ones.
	recordPasses, recordOpen := *rewriteFlag && *oracleFlag != "", *rewriteFlag && *oracleFlag == "" && c.open != ""
	counts, open := map[string][]int{}, map[string][]int{}
	if !recordPasses {
		counts = readLines(t, c.list)
		if c.open != "" && !recordOpen {
			open = readLines(t, c.open)
		}
	}
	passed, total, ran, scripts := 0, 0, 0, c.scripts(t, root)
	for _, s := range scripts {
		if !*rewriteFlag && !c.chosen(s.name) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			r := &scriptRun{t: t, corpus: c, engine: openEngineUnderTest(t), count: counts[s.name], open: open[s.name], all: recordPasses, quiet: *rewriteFlag}
			defer r.engine.close()
			r.file(s.file)
			ran++
			passed, total = passed+len(r.passed), total+len(r.count)
			t.Logf("%d of %d", len(r.passed), len(r.count))
			if recordPasses {
				counts[s.name] = r.passed
			} else {
				open[s.name] = r.failed
			}
		})
	}
	t.Logf("%d of %d records passed", passed, total)
	if total == 0 && !recordPasses && ran == len(scripts) {
		t.Errorf("no record of %s counts", c.list)
	}
	switch {
	case *rewriteFlag && ran < len(scripts):
		t.Errorf("%d of %d scripts ran: no list is written", ran, len(scripts))
	case recordPasses:
		writeLines(t, c.list, counts)
	case recordOpen:
		writeLines(t, c.open, open)
	}
}

func (c *scriptCorpus) scripts(t *testing.T, root string) []script {
	var out []script
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") && filepath.Ext(path) == c.ext && !strings.HasPrefix(d.Name(), "_") {
			rel, _ := filepath.Rel(root, path)
			out = append(out, script{file: path, name: strings.TrimSuffix(filepath.ToSlash(rel), ".slt")})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *scriptCorpus) chosen(name string) bool {
	return c.always(name) || *scriptsFlag == "all" || *scriptsFlag != "" && strings.HasPrefix(name, *scriptsFlag)
}

// readLines reads a list of lines by file: "file: line line …".
func readLines(t *testing.T, list string) map[string][]int {
	text, err := os.ReadFile(filepath.Join("testdata", "corpora", list))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]int{}
	for _, line := range strings.Split(string(text), "\n") {
		name, lines, _ := strings.Cut(line, ": ")
		for _, n := range strings.Fields(lines) {
			at, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = append(out[name], at)
		}
	}
	return out
}

func writeLines(t *testing.T, list string, lines map[string][]int) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if len(lines[name]) == 0 {
			continue
		}
		b.WriteString(name + ":")
		for _, n := range lines[name] {
			fmt.Fprintf(&b, " %d", n)
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(filepath.Join("testdata", "corpora", list), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// scriptRun is one script being run.
type scriptRun struct {
	t      *testing.T
	corpus *scriptCorpus
	engine engineUnderTest
	count  []int // the lines of the records that count
	open   []int // of those that need not pass
	all    bool  // all count
	quiet  bool  // none has to pass
	passed []int
	failed []int
	// nested numbers the records of included files.
	nested int
}

func (r *scriptRun) file(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	records, err := parseRecords(strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), true)
	if err != nil {
		r.t.Fatalf("%s: %v", path, err)
	}
	base := r.nested
	for _, rec := range records {
		if slices.Contains(rec.skipIf, r.corpus.engine) || len(rec.onlyIf) > 0 && !slices.Contains(rec.onlyIf, r.corpus.engine) {
			continue
		}
		switch rec.kind {
		case "halt":
			return
		case "include":
			// The records of the n-th included file count from n thousand on.
			r.nested += 1000
			r.file(filepath.Join(filepath.Dir(path), rec.args[0]))
		case "statement", "query":
			r.record(path, base+rec.line, &rec)
		}
	}
}

func (r *scriptRun) record(path string, line int, rec *record) {
	var got result
	texts := []string{rec.sql}
	if r.corpus.prepare != nil {
		texts = r.corpus.prepare(rec.sql)
	}
	for _, text := range texts {
		if got = r.engine.run("main", text); got.err != nil {
			break
		}
	}
	msg := r.check(rec, got)
	if msg == "" {
		if r.all || slices.Contains(r.count, line) {
			r.passed = append(r.passed, line)
		}
		return
	}
	if !slices.Contains(r.count, line) {
		return
	}
	r.failed = append(r.failed, line)
	if !r.quiet && !slices.Contains(r.open, line) {
		r.t.Errorf("%s:%d: %s\n%s", path, rec.line, rec.sql, msg)
	}
}

// check compares a result with the record, and says what differs.
func (r *scriptRun) check(rec *record, got result) string {
	switch {
	case len(rec.args) > 0 && rec.args[0] == "error":
		return checkScriptError(rec, got)
	case got.err != nil:
		return describeError(got.err)
	case rec.kind == "statement":
		return ""
	}
	// The types are not compared with the columns: some scripts have too few.
	want, have := rowTokens(rec.expected), make([][]string, 0, len(got.rows))
	if len(rec.args) > 1 && strings.Contains(rec.args[1], "colnames") {
		have = append(have, got.columns)
	}
	for _, row := range got.rows {
		have = append(have, strings.Fields(strings.ReplaceAll(strings.Join(row, " "), "\\n", " ")))
	}
	if len(rec.args) > 1 && strings.Contains(rec.args[1], "sort") {
		slices.SortFunc(want, slices.Compare)
		slices.SortFunc(have, slices.Compare)
	}
	if len(want) == len(have) && slices.EqualFunc(want, have, func(a, b []string) bool { return slices.EqualFunc(a, b, sameToken) }) {
		return ""
	}
	return fmt.Sprintf("got %v, want %v", have, want)
}

func rowTokens(lines []string) [][]string {
	out := make([][]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Fields(l)
	}
	return out
}

// sameToken reports whether a word of the script stands for a word of PostgreSQL's output: numbers may have other numbers of places, and
// true and false are t and f.
func sameToken(want, got string) bool {
	if want == got || want == "true" && got == "t" || want == "false" && got == "f" ||
		strings.HasPrefix(want, `\x`) && strings.EqualFold(want, got) {
		return true
	}
	a, errA := strconv.ParseFloat(want, 64)
	b, errB := strconv.ParseFloat(got, 64)
	return errA == nil && errB == nil && math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

var sqlstate = regexp.MustCompile(`pgcode ([0-9A-Z]{5})`)

// checkScriptError looks for an error. Its words are the other database's; a SQLSTATE is not.
func checkScriptError(rec *record, got result) string {
	if got.err == nil {
		return "no error"
	}
	if got.err.Code == sqlerr.SyntaxError && !strings.Contains(rec.text, "syntax") {
		return describeError(got.err) // that is not the error which is meant
	}
	if m := sqlstate.FindStringSubmatch(rec.text); m != nil && m[1] != string(got.err.Code) {
		return fmt.Sprintf("want SQLSTATE %s, got %s", m[1], describeError(got.err))
	}
	return ""
}
