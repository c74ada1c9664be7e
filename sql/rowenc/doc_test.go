package rowenc

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// TestDocumentedExample checks the KVs shown in docs/formats/rows.md.
func TestDocumentedExample(t *testing.T) {
	pet := &catalog.Table{
		ID: 100, Columns: []catalog.Column{
			{ID: 1, Type: types.Int8}, {ID: 2, Type: types.Text}, {ID: 3, Type: types.NumericPS(6, 2)}, {ID: 4, Type: types.Date},
		},
		Families: []catalog.Family{{ID: 0, Columns: []catalog.ColumnID{1, 2}}, {ID: 1, Columns: []catalog.ColumnID{3, 4}}},
		Primary:  catalog.Index{ID: 1, Primary: true, Unique: true, Keys: []catalog.IndexColumn{{Column: 1}}},
		Indexes: []catalog.Index{
			{ID: 2, Unique: true, Keys: []catalog.IndexColumn{{Column: 2}}},
			{ID: 3, Keys: []catalog.IndexColumn{{Column: 3, Desc: true, NullsFirst: true}, {Column: 4}}, Stored: []catalog.ColumnID{2}},
		},
	}
	kvs := store{}
	for _, row := range [][]types.Datum{
		{types.NewInt(7), types.NewText("Rex"), types.NewNumeric(1250, 2), types.NullDatum},
		{types.NewInt(300), types.NewText("Zoë"), types.NullDatum, types.NullDatum},
	} {
		if err := NewEncoder(pet).Insert(row, kvs.apply); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := os.ReadFile("../../docs/formats/rows.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(doc), "```kv\n")
	block, _, _ = strings.Cut(block, "```")
	var lines []string
	for _, k := range kvs.keys() {
		lines = append(lines, hex.EncodeToString([]byte(k))+"="+hex.EncodeToString([]byte(kvs[k])))
	}
	if got, want := strings.ReplaceAll(block, " ", ""), strings.Join(lines, "\n")+"\n"; got != want {
		t.Errorf("docs/formats/rows.md shows\n%swhile the code makes\n%s", got, want)
	}
}
