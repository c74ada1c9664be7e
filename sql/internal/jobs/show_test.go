package jobs

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"minidb/sql/types"
)

func TestRowsFitTheirColumns(t *testing.T) {
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	row := Row{ID: 7, Type: "IMPORT", Status: Running, Created: created, Modified: created, Progress: Progress{Fraction: 0.5, Rows: 10}}
	want := map[string]string{
		"job_id": "7", "job_type": "IMPORT", "description": "", "user_name": "", "status": "running", "running_status": "NULL",
		"fraction_completed": "0.5", "rows": "10", "bytes": "0", "created": "2026-01-02 03:04:05+00",
		"modified": "2026-01-02 03:04:05+00", "finished": "NULL", "error": "NULL",
	}
	for _, show := range []struct {
		columns []Column
		values  []types.Datum
	}{{Columns, row.Datums()}, {ResultColumns, row.Result()}} {
		if len(show.columns) != len(show.values) {
			t.Fatalf("%d values for %d columns", len(show.values), len(show.columns))
		}
		for i, c := range show.columns {
			got := "NULL"
			if !show.values[i].Null {
				got = string(types.AppendText(nil, nil, c.Type, show.values[i]))
			}
			if got != want[c.Name] {
				t.Errorf("%s is %s, want %s", c.Name, got, want[c.Name])
			}
		}
	}
}

// TestDocumentedRow checks the example of docs/formats/catalog.md.
func TestDocumentedRow(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/formats/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(doc), "```job\n")
	block, _, _ = strings.Cut(block, "```")
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	row := Row{
		ID: 7, Type: "IMPORT", Description: "IMPORT INTO t …", User: "postgres", Status: Running, Created: created,
		Modified: created.Add(time.Second), Progress: Progress{Fraction: 0.25, Rows: 1000, Bytes: 119000, Stage: "reading"},
	}
	value, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(block, "\n", ""); got != string(value) {
		t.Errorf("docs/formats/catalog.md shows\n%s\nwhile a row is\n%s", got, value)
	}
}
