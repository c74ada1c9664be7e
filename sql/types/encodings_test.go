package types_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"minidb/sql/types"
)

// corpora finds the directory of shared test data, or skips the test.
func corpora(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MINIDB_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpora: %v", err)
		}
		t.Skipf("no corpora (set MINIDB_CORPORA): %v", err)
	}
	return dir
}

// bytesOf is a JSON array of numbers.
type bytesOf []byte

func (b *bytesOf) UnmarshalJSON(src []byte) error {
	var ints []int
	err := json.Unmarshal(src, &ints)
	for _, i := range ints {
		*b = append(*b, byte(i))
	}
	return err
}

func TestEncodingsAgreeWithTheCorpus(t *testing.T) {
	file := filepath.Join(corpora(t), "crdb-logictest-apl", "pkg", "sql", "pgwire", "testdata", "encodings.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		SQL          string
		Oid          types.OID
		TextAsBinary bytesOf
		Binary       bytesOf
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	literal := regexp.MustCompile(`^'(.*)'::[a-z0-9\[\]]+$`)
	ec := types.NewContext()
	ec.ExtraFloatDigits = 0 // as the corpus was made
	n := 0
	for _, c := range cases {
		typ, ok := types.ByOID(c.Oid)
		m := literal.FindStringSubmatch(c.SQL)
		if !ok || m == nil || !typ.HasValues() {
			continue
		}
		n++
		d, err := types.Input(nil, typ, []byte(m[1]))
		if err != nil {
			t.Errorf("%s: %v", c.SQL, err)
			continue
		}
		// The corpus writes "-1 mon", PostgreSQL 15 "-1 mons".
		if got := types.AppendText(ec, nil, typ, d); !bytes.Equal(got, c.TextAsBinary) && typ != types.Interval {
			t.Errorf("%s: text %s, want %s", c.SQL, got, c.TextAsBinary)
		}
		if got := types.AppendBinary(nil, nil, typ, d); !bytes.Equal(got, c.Binary) {
			t.Errorf("%s: binary %v, want %v", c.SQL, got, []byte(c.Binary))
		}
		back, err := types.DecodeBinary(nil, typ, c.Binary)
		if err != nil || types.Compare(typ, back, d) != 0 || types.FormatText(ec, typ, back) != types.FormatText(ec, typ, d) {
			t.Errorf("%s: read back as %s, %v", c.SQL, types.FormatText(ec, typ, back), err)
		}
	}
	if n < 100 {
		t.Errorf("only %d cases of types that minidb has", n)
	}
}
