package sql_test

import (
	"bufio"
	"crypto/md5"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// corpusFlag runs all of the sqllogictest corpus; without it only a few files are run.
var corpusFlag = flag.String("corpus", "", "files of the sqllogictest corpus to run: a prefix of their path below test/, or all")

// corpusFiles are those that always run.
var corpusFiles = []string{"select1.test", "select2.test", "select3.test", "select5.test", "evidence/in1.test", "index/delete/1/slt_good_0.test"}

// corpora is where the test data lies that nobody of this project wrote.
func corpora() string {
	if dir := os.Getenv("MINIDB_CORPORA"); dir != "" {
		return dir
	}
	return "../../shared/corpora"
}

// TestSQLLogicTestCorpus runs SQLite's sqllogictest files. Records that PostgreSQL 15 fails are left out.
func TestSQLLogicTestCorpus(t *testing.T) {
	root := filepath.Join(corpora(), "sqllogictest")
	if _, err := os.Stat(root); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the corpora are not there: %v", err)
		}
		t.Skipf("the corpora are not there (set MINIDB_CORPORA): %v", err)
	}
	failing := postgresFails(t, filepath.Join(root, "pg15_failing.tsv"))
	for _, file := range chosenCorpusFiles(t, filepath.Join(root, "test")) {
		t.Run(strings.TrimSuffix(file, ".test"), func(t *testing.T) {
			passed, failed := runCorpusFile(t, filepath.Join(root, "test", file), failing["test/"+file])
			t.Logf("%d passed, %d failed", passed, failed)
		})
	}
}

func chosenCorpusFiles(t *testing.T, dir string) []string {
	if *corpusFlag == "" {
		return slices.DeleteFunc(slices.Clone(corpusFiles), func(f string) bool {
			_, err := os.Stat(filepath.Join(dir, f))
			return err != nil
		})
	}
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err == nil && strings.HasSuffix(path, ".test") && (*corpusFlag == "all" || strings.HasPrefix(rel, *corpusFlag)) {
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// postgresFails are the lines, by file, of the records that PostgreSQL 15 fails.
func postgresFails(t *testing.T, file string) map[string]map[int]bool {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]map[int]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.SplitN(s.Text(), "\t", 3)
		line, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		if out[fields[0]] == nil {
			out[fields[0]] = map[int]bool{}
		}
		out[fields[0]][line] = true
	}
	return out
}

// maxCorpusFailures is how many failures of a file are printed.
const maxCorpusFailures = 10

func runCorpusFile(t *testing.T, file string, skip map[int]bool) (passed, failed int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := parseRecords(strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), false)
	if err != nil {
		t.Fatal(err)
	}
	e := openMinidb(t)
	defer e.close()
	e.session("main").mustRun(t, "SET statement_timeout = '20s'")
	labels := map[string]string{}
	for _, r := range records {
		if slices.Contains(r.skipIf, "postgresql") || len(r.onlyIf) > 0 && !slices.Contains(r.onlyIf, "postgresql") || skip[r.line] {
			continue
		}
		if r.kind == "halt" {
			break
		}
		if r.kind != "statement" && r.kind != "query" {
			continue
		}
		msg := checkCorpusRecord(&r, e.run("main", r.sql), labels)
		if msg == "" {
			passed++
			continue
		}
		if failed++; failed <= maxCorpusFailures {
			t.Errorf("%s:%d: %s\n%s", file, r.line, r.sql, msg)
		}
	}
	return passed, failed
}

func checkCorpusRecord(r *record, got result, labels map[string]string) string {
	if r.kind == "statement" {
		if wantErr := r.args[0] == "error"; wantErr != (got.err != nil) {
			if got.err != nil {
				return describeError(got.err)
			}
			return "no error"
		}
		return ""
	}
	if got.err != nil {
		return describeError(got.err)
	}
	types := r.args[0]
	if len(types) != len(got.columns) {
		return fmt.Sprintf("%d columns, want %s", len(got.columns), types)
	}
	values := corpusValues(got.rows, types, r.args[1:])
	hash := fmt.Sprintf("%d values hashing to %x", len(values), md5.Sum([]byte(strings.Join(values, "\n")+"\n")))
	if len(r.args) > 2 {
		if seen, ok := labels[r.args[2]]; ok && seen != hash {
			return "another result than before under label " + r.args[2]
		}
		labels[r.args[2]] = hash
	}
	if len(r.expected) == 1 && strings.Contains(r.expected[0], " values hashing to ") {
		if r.expected[0] != hash {
			return fmt.Sprintf("got %s, want %s", hash, r.expected[0])
		}
		return ""
	}
	if !slices.Equal(values, r.expected) {
		return fmt.Sprintf("got %v, want %v", values, r.expected)
	}
	return ""
}

// corpusValues are the result's values, one a line, in the order that is compared.
func corpusValues(rows [][]string, types string, modes []string) []string {
	for _, row := range rows {
		for c, v := range row {
			row[c] = corpusValue(v, types[c])
		}
	}
	if slices.Contains(modes, "rowsort") {
		slices.SortFunc(rows, func(a, b []string) int { return slices.Compare(a, b) })
	}
	values := slices.Concat(rows...)
	if slices.Contains(modes, "valuesort") {
		slices.Sort(values)
	}
	return values
}

func corpusValue(v string, kind byte) string {
	if v == "NULL" || v == "(empty)" {
		return v
	}
	switch kind {
	case 'I':
		if v == "t" { // true: as the databases say that have no booleans
			return "1"
		}
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return strconv.FormatInt(int64(f), 10)
		}
		return "0" // as atoi makes of a text
	case 'R':
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return strconv.FormatFloat(f, 'f', 3, 64)
		}
	}
	return v
}
