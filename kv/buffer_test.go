package kv

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// modelWrite is one write as the model keeps it.
type modelWrite struct {
	key, value string // "" : deleted
	stmt       uint32
}

// modelView is what a reader with the limit sees of the writes.
func modelView(log []modelWrite, limit uint32) map[string]string {
	view := map[string]string{}
	for _, w := range log {
		if w.stmt < limit {
			view[w.key] = w.value
		}
	}
	return view
}

// bufferView is the same read out of the buffer by its links.
func bufferView(t *testing.T, b *buffer, limit uint32) map[string]string {
	view := map[string]string{}
	last := []byte(nil)
	for n := b.next(0); n != 0; n = b.next(n) {
		key := b.nodes[n].key
		if last != nil && bytes.Compare(last, key) >= 0 {
			t.Fatalf("%q after %q", key, last)
		}
		last = key
		if value, ok := b.visible(n, limit); ok {
			view[string(key)] = string(value)
		}
	}
	return view
}

func TestBufferEqualsAListOfWrites(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var b buffer
		var log []modelWrite
		type save struct{ mark, log int }
		var saves []save
		stmt := uint32(1)
		ascending := 0
		for range 120 {
			switch op := rng.IntN(20); {
			case op < 12:
				w := modelWrite{key: fmt.Sprintf("%03d", rng.IntN(40)), stmt: stmt}
				if rng.IntN(3) == 0 {
					ascending++
					w.key = fmt.Sprintf("%03d", ascending)
				}
				var value []byte
				if rng.IntN(4) > 0 {
					w.value = fmt.Sprint(rng.IntN(1000))
					value = []byte(w.value)
				}
				b.put([]byte(w.key), value, stmt)
				log = append(log, w)
			case op < 15:
				stmt++
			case op < 17:
				saves = append(saves, save{b.mark(), len(log)})
			case op < 18 && len(saves) > 0:
				i := rng.IntN(len(saves))
				b.rollback(saves[i].mark)
				log, saves = log[:saves[i].log], saves[:i+1]
			default:
				limit := uint32(rng.IntN(int(stmt) + 2))
				if limit > stmt {
					limit = allStatements
				}
				// In place changes keep only the last write of a statement, which is
				// all that a reader may see of it.
				want, got := modelView(log, limit), bufferView(t, &b, limit)
				if !maps.Equal(want, got) {
					t.Fatalf("limit %d of %v:\nwant %v\ngot  %v", limit, log, want, got)
				}
				key := fmt.Sprintf("%03d", rng.IntN(45))
				value, ok := b.get([]byte(key), limit)
				if w, wok := want[key]; ok != wok || string(value) != w {
					t.Fatalf("get %s: %q, %v; want %q, %v", key, value, ok, w, wok)
				}
				checkSeeks(t, &b, key)
			}
		}
	}
}

func checkSeeks(t *testing.T, b *buffer, key string) {
	t.Helper()
	var keys []string
	for n := b.next(0); n != 0; n = b.next(n) {
		keys = append(keys, string(b.nodes[n].key))
	}
	i, _ := slices.BinarySearch(keys, key)
	ge, lt := "", ""
	if i < len(keys) {
		ge = keys[i]
	}
	if i > 0 {
		lt = keys[i-1]
	}
	name := func(n uint32) string {
		if n == 0 {
			return ""
		}
		return string(b.nodes[n].key)
	}
	if name(b.seekGE([]byte(key))) != ge || name(b.seekLT([]byte(key))) != lt {
		t.Fatalf("seeks of %s in %v", key, keys)
	}
}

func BenchmarkBufferPutAscending(b *testing.B) {
	b.ReportAllocs()
	var buf buffer
	key := make([]byte, 0, 16)
	for i := range b.N {
		key = fmt.Appendf(key[:0], "%012d", i)
		buf.put(key, key, 1)
	}
}
