package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func readParts(t *testing.T, g tradeFiles) []byte {
	t.Helper()
	g.dir = t.TempDir()
	n, err := g.write(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for k := range g.parts {
		part, err := os.ReadFile(filepath.Join(g.dir, fmt.Sprint(k+1), "Trade.txt"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, part...)
	}
	if int64(len(all)) != n {
		t.Fatalf("write says %d bytes, the files have %d", n, len(all))
	}
	return all
}

func TestTradeRowsDependOnSeedAlone(t *testing.T) {
	one := readParts(t, tradeFiles{rows: 1000, seed: 7, parts: 1})
	if !bytes.Equal(one, readParts(t, tradeFiles{rows: 1000, seed: 7, parts: 3})) {
		t.Error("three parts hold other rows than one")
	}
	if bytes.Equal(one, readParts(t, tradeFiles{rows: 1000, seed: 8, parts: 1})) {
		t.Error("another seed gives the same rows")
	}
}

func TestTradeRowsShowEveryKindOfField(t *testing.T) {
	data := readParts(t, tradeFiles{rows: 5000, seed: 1, parts: 1})
	if size := len(data) / 5000; size < 114 || size > 124 {
		t.Errorf("a row has %d bytes, want about 119", size)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = '|'
	r.FieldsPerRecord = 15
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, rec := range records {
		seen["no price"] = seen["no price"] || rec[10] == ""
		seen["price"] = seen["price"] || rec[10] != ""
		seen["fraction"] = seen["fraction"] || len(rec[1]) > len("2005-01-03 09:00:00")
		seen["no fraction"] = seen["no fraction"] || len(rec[1]) == len("2005-01-03 09:00:00")
		seen["delimiter in a name"] = seen["delimiter in a name"] || bytes.ContainsRune([]byte(rec[9]), '|')
		seen["quote in a name"] = seen["quote in a name"] || bytes.ContainsRune([]byte(rec[9]), '"')
		seen["bool "+rec[4]] = true
	}
	for _, want := range []string{"no price", "price", "fraction", "no fraction", "delimiter in a name", "quote in a name", "bool 0", "bool 1", "bool true", "bool false"} {
		if !seen[want] {
			t.Errorf("no row with: %s", want)
		}
	}
}
