package pgwire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// encodingsFloor is how many of the corpus's 259 values have to pass; the others are of the types inet and bit.
const encodingsFloor = 211

// byteList is a JSON array of numbers.
type byteList []byte

func (b *byteList) UnmarshalJSON(src []byte) error {
	var ints []int
	err := json.Unmarshal(src, &ints)
	for _, i := range ints {
		*b = append(*b, byte(i))
	}
	return err
}

// TestEncodingsOfTheCorpus sends each value as a parameter, as text and in binary, and reads it back both ways.
func TestEncodingsOfTheCorpus(t *testing.T) {
	dir := os.Getenv("MINIDB_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpora")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "crdb-logictest-apl", "pkg", "sql", "pgwire", "testdata", "encodings.json"))
	if err != nil {
		missing(t, "no corpora (set MINIDB_CORPORA): %v", err)
	}
	var cases []struct {
		SQL          string
		Oid          uint32
		TextAsBinary byteList
		Binary       byteList
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	conn := connectSQL(t, serveSQL(t)).PgConn()
	ctx := context.Background()
	if _, err := conn.Exec(ctx, "set extra_float_digits = 0").ReadAll(); err != nil { // as the corpus was made
		t.Fatal(err)
	}
	// one runs a query with at most one parameter and gives its only value.
	one := func(text string, arg []byte, oid uint32, argFormat, resultFormat int16) ([]byte, error) {
		var args [][]byte
		if arg != nil {
			args = [][]byte{arg}
		}
		r := conn.ExecParams(ctx, text, args, []uint32{oid}[:len(args)], []int16{argFormat}[:len(args)], []int16{resultFormat}).Read()
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Rows[0][0], nil
	}
	passed := 0
	for _, c := range cases {
		binary, err := one("select "+c.SQL, nil, 0, 0, 1)
		if e, ok := err.(*pgconn.PgError); ok && (e.Code == "0A000" || e.Code == "42704") {
			t.Logf("%s: %s", c.SQL, e.Message)
			continue
		}
		ok := true
		check := func(what string, got, want []byte, err error) {
			t.Helper()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s: got %q %v, want %q", c.SQL, what, got, err, want)
				ok = false
			}
		}
		check("result in binary", binary, c.Binary, err)
		text, err := one("select "+c.SQL, nil, 0, 0, 0)
		if err != nil || !bytes.Equal(text, c.TextAsBinary) {
			t.Logf("%s: text %q %v, corpus %q", c.SQL, text, err, c.TextAsBinary)
		}
		if c.Oid == pgtype.RecordOID { // cannot be a parameter: its columns' types are not known
			if ok {
				passed++
			}
			continue
		}
		back, err := one("select $1", c.Binary, c.Oid, 1, 1)
		check("binary parameter", back, c.Binary, err)
		if c.Oid != pgtype.Float8OID && c.Oid != pgtype.Float4OID { // whose texts in the corpus are rounded
			back, err = one("select $1", c.TextAsBinary, c.Oid, 0, 1)
			check("text parameter", back, c.Binary, err)
		}
		back, err = one("select $1", c.Binary, c.Oid, 1, 0)
		check("binary parameter as text", back, text, err)
		if ok {
			passed++
		}
	}
	t.Logf("%d of %d values passed", passed, len(cases))
	if passed < encodingsFloor {
		t.Errorf("%d of %d values passed, want %d", passed, len(cases), encodingsFloor)
	}
}
