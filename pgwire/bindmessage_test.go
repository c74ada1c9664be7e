package pgwire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgproto3/v2"
)

// TestBindIsReadAsPgproto3Writes: a message that uses the memory of the one before is the same as a fresh one, and no part of one is
// taken for a whole.
func TestBindIsReadAsPgproto3Writes(t *testing.T) {
	var m bindMessage
	for _, want := range []pgproto3.Bind{
		{},
		{DestinationPortal: "p", PreparedStatement: "s", ParameterFormatCodes: []int16{1}, Parameters: [][]byte{{0, 0, 0, 1}, nil, {}}, ResultFormatCodes: []int16{1}},
		{PreparedStatement: "s", ParameterFormatCodes: []int16{0, 1}, Parameters: [][]byte{[]byte("a"), []byte("b")}, ResultFormatCodes: []int16{0, 1, 7}},
		{PreparedStatement: "other", Parameters: [][]byte{nil}, ResultFormatCodes: []int16{0}},
		{PreparedStatement: "other", ResultFormatCodes: []int16{9}},
	} {
		encoded, err := want.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		body := encoded[5:]
		if err := m.decode(body); err != nil {
			t.Fatalf("%+v: %v", want, err)
		}
		got := pgproto3.Bind(m)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("-written +read\n%s", d)
		}
		for i := range got.Parameters {
			if (got.Parameters[i] == nil) != (want.Parameters[i] == nil) {
				t.Errorf("parameter %d is NULL: %t", i+1, got.Parameters[i] == nil)
			}
		}
		for n := range body {
			if m.decode(body[:n]) == nil {
				t.Errorf("%d of %d bytes were taken for %+v", n, len(body), want)
			}
		}
	}
	if m.decode([]byte{0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 0, 0}) == nil {
		t.Error("a parameter of -2 bytes was taken")
	}
}
