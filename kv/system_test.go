package kv

import (
	"bytes"
	"fmt"
	"testing"

	"minidb/kv/mvcc"
)

// The examples of docs/formats/kv.md.
func TestKeysAreAsDocumented(t *testing.T) {
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{mvcc.AppendKey(nil, []byte("pet"), 1), "70 65 74 ff ff ff ff ff ff ff fe"},
		{mvcc.AppendKey(nil, []byte("pet"), 2), "70 65 74 ff ff ff ff ff ff ff fd"},
		{sysKey(sysCounter, []byte("id")), "00 61 02 69 64"},
		{sysKey(sysDrop, []byte("b"), []byte("c")), "00 64 01 62 01 63"},
		{sysKey(sysClock), "00 63"},
		{sysKey(sysThreshold), "00 67"},
	} {
		if got := fmt.Sprintf("% x", c.got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestDamagedDropRecordIsAnError(t *testing.T) {
	good := sysKey(sysDrop, []byte("start"), []byte("end"))
	s, err := decodeDrop(good)
	if err != nil || !bytes.Equal(s.Start, []byte("start")) || !bytes.Equal(s.End, []byte("end")) {
		t.Fatal(s, err)
	}
	for n := 2; n < len(good); n++ {
		if _, err := decodeDrop(good[:n]); err == nil {
			t.Errorf("% x is accepted", good[:n])
		}
	}
}
