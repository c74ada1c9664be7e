package sstable

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestFormatDocumentExample compares the hex example in docs/formats/sstable.md
// with what the writer writes.
func TestFormatDocumentExample(t *testing.T) {
	doc, err := os.ReadFile("../docs/formats/sstable.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _ := writeTable(t, WriterOptions{Compression: NoCompression, Filter: BloomFilter}, []entry{
		{key("anteater", 1), []byte("4")}, {key("antelope", 1), []byte("six")},
	})
	var want strings.Builder
	for line := range strings.Lines(hex.Dump(table)) {
		want.WriteString("    " + line)
	}
	if !strings.Contains(string(doc), want.String()) {
		t.Errorf("the example is not what the writer writes:\n%s", want.String())
	}
}
