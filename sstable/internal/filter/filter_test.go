package filter

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

func hashes(n int) []uint64 {
	h := make([]uint64, n)
	for i := range h {
		h[i] = Hash(fmt.Appendf(nil, "key %d", i))
	}
	return h
}

func TestFilterHasNoFalseNegatives(t *testing.T) {
	for name, build := range map[string]func([]byte, []uint64) []byte{"fuse": AppendFuse, "bloom": AppendBloom} {
		for _, n := range []int{1, 2, 3, 4, 5, 50, 5000} {
			f, err := Open(build(nil, hashes(n)))
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range hashes(n) {
				if !f.MayContain(h) {
					t.Fatalf("%s of %d denies key %d", name, n, i)
				}
			}
		}
	}
}

func TestFuseTakesEqualHashes(t *testing.T) {
	f, err := Open(AppendFuse(nil, []uint64{7, 7, 7, 8}))
	if err != nil || !f.MayContain(7) || !f.MayContain(8) {
		t.Errorf("error %v", err)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	for _, build := range []func([]byte, []uint64) []byte{AppendFuse, AppendBloom} {
		if !bytes.Equal(build(nil, hashes(1000)), build(nil, hashes(1000))) {
			t.Error("two builds differ")
		}
	}
}

func TestOpenRefusesOtherBytes(t *testing.T) {
	fuse, bloom := AppendFuse(nil, hashes(100)), AppendBloom(nil, hashes(100))
	for _, b := range [][]byte{nil, {9}, fuse[:5], fuse[:len(fuse)-1], append(fuse, 0), bloom[:3], bloom[:len(bloom)-1]} {
		if _, err := Open(b); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes: error %v", len(b), err)
		}
	}
}

// FuzzOpen checks that no filter that Open accepts reads outside of its bytes.
func FuzzOpen(f *testing.F) {
	f.Add(AppendFuse(nil, hashes(10)), uint64(1))
	f.Add(AppendBloom(nil, hashes(10)), uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, h uint64) {
		if flt, err := Open(b); err == nil {
			flt.MayContain(h)
			flt.MayContain(^h)
		}
	})
}
