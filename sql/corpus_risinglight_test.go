package sql_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRisingLightScripts runs RisingLight's scripts, TPC-H on 8,700 rows among them. The answers of tpch-full belong to data that the
// corpus lacks.
func TestRisingLightScripts(t *testing.T) {
	(&scriptCorpus{
		dir: "slt-risinglight/tests/sql", list: "risinglight.txt", open: "risinglight_open.txt", ext: ".slt", engine: "postgresql",
		always:  func(name string) bool { return !strings.HasPrefix(name, "tpch-full") },
		prepare: copyAsInserts,
	}).run(t)
}

var copyFrom = regexp.MustCompile(`(?i)^\s*COPY\s+(\w+)\s+FROM\s+'(tests/[^']+)'`)

// copyAsInserts turns COPY of a file of the corpus, which neither database has on its disk, into INSERTs. The files end each line with
// the delimiter.
func copyAsInserts(sql string) []string {
	m := copyFrom.FindStringSubmatch(sql)
	if m == nil {
		return []string{sql}
	}
	text, err := os.ReadFile(filepath.Join(corpora(), "slt-risinglight", m[2]))
	if err != nil {
		return []string{sql}
	}
	var out, rows []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(strings.TrimSuffix(strings.ReplaceAll(line, "'", "''"), "|"), "|")
		rows = append(rows, "('"+strings.Join(fields, "', '")+"')")
		if len(rows) == 1000 {
			out, rows = append(out, "INSERT INTO "+m[1]+" VALUES "+strings.Join(rows, ", ")), nil
		}
	}
	if len(rows) > 0 {
		out = append(out, "INSERT INTO "+m[1]+" VALUES "+strings.Join(rows, ", "))
	}
	return out
}
