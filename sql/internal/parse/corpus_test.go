package parse

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// corpusDir is where the corpora are, or skips the test.
func corpusDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MINIDB_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(filepath.Join(dir, "pg-statements")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpora: %v", err)
		}
		t.Skipf("no corpora at %s; MINIDB_CORPORA names another place", dir)
	}
	return dir
}

// corpusStmt is one statement of pg-statements with PostgreSQL 15's verdict.
type corpusStmt struct {
	class, construct, text string
	valid                  bool
	message                string // PostgreSQL's, where it is not valid
}

// loadStatements reads pg-statements.
func loadStatements(t *testing.T) []corpusStmt {
	t.Helper()
	dir := filepath.Join(corpusDir(t), "pg-statements")
	texts := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, s := range statementsOf(t, f) {
			sum := md5.Sum([]byte(s))
			texts[hex.EncodeToString(sum[:])] = s
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "pg15_valid.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []corpusStmt
	for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		f := strings.Split(line, "\t")
		text, ok := texts[f[0]]
		if !ok {
			t.Errorf("no text for %s %s", f[0], f[4])
			continue
		}
		list = append(list, corpusStmt{f[3], f[4], text, f[1] == "true", f[5]})
	}
	return list
}

// statementsOf reads "construct | statement" lines and "--@ construct" blocks.
func statementsOf(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list, block []string
	inBlock := false
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		switch {
		case strings.HasPrefix(line, "--@"):
			inBlock, block = true, nil
		case inBlock && line == "--.":
			inBlock = false
			list = append(list, strings.Join(block, "\n"))
		case inBlock:
			block = append(block, line)
		default:
			if _, s, ok := strings.Cut(line, " | "); ok {
				list = append(list, s)
			} else if _, s, ok := strings.Cut(line, " |"); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// corpusFloor is how many of the statements that PostgreSQL 15 accepts are parsed; the
// rest is refused by name. It only ever rises.
const corpusFloor = 1414

func TestValidStatementsParseOrAreRefusedByName(t *testing.T) {
	parsed := 0
	for _, s := range loadStatements(t) {
		if !s.valid {
			continue
		}
		_, err := Parse(s.text)
		switch {
		case err == nil:
			parsed++
		case sqlerr.CodeOf(err) == sqlerr.FeatureNotSupported:
			t.Logf("%s, %s: %v", s.class, s.construct, err)
		default:
			t.Errorf("%s, %s: %v\n%s", s.class, s.construct, err, s.text)
		}
	}
	t.Logf("%d parsed", parsed)
	if parsed < corpusFloor {
		t.Errorf("%d statements parsed, want at least %d", parsed, corpusFloor)
	}
}

func TestInvalidStatementsFailAsInPostgreSQL(t *testing.T) {
	for _, s := range loadStatements(t) {
		if s.valid {
			continue
		}
		_, err := Parse(s.text)
		if err == nil || sqlerr.CodeOf(err) == sqlerr.FeatureNotSupported {
			// A form of CockroachDB's or TiDB's.
			t.Logf("%s, %s: %v", s.class, s.construct, err)
			continue
		}
		if e, _ := sqlerr.As(err); e.Message != s.message {
			t.Errorf("%s, %s: %q, PostgreSQL says %q\n%s", s.class, s.construct, e.Message, s.message, s.text)
		}
	}
}

func TestClientStatementsParseOrAreRefusedByName(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(corpusDir(t), "client-statements.json"))
	if err != nil {
		t.Fatal(err)
	}
	var groups map[string][]string
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	for name, list := range groups {
		for _, s := range list {
			if _, err := Parse(s); err != nil && sqlerr.CodeOf(err) != sqlerr.FeatureNotSupported {
				t.Errorf("%s: %v\n%s", name, err, s)
			}
		}
	}
}
