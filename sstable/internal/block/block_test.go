package block

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
)

// buildData returns an opened data block of the keys "prefix@version".
func buildData(compress, mixed bool, keys ...string) []byte {
	b := NewBuilder(mixed)
	last := ""
	for n, k := range keys {
		at := len(k) - 2
		prefix, version := k[:at], k[at+1:]
		shared := 0
		for shared < len(prefix) && shared < len(last) && prefix[shared] == last[shared] {
			shared++
		}
		b.Add([]byte(prefix), bytes.Repeat([]byte(version), SuffixLen), fmt.Appendf(nil, "%d", n), shared)
		last = prefix
	}
	payload, suffix := b.Finish(nil)
	opened, err := Open(nil, Seal(nil, payload, suffix, Data, compress), Data)
	if err != nil {
		panic(err)
	}
	return opened
}

func show(key []byte) string {
	at := len(key) - SuffixLen
	return string(key[:at]) + "@" + string(key[at:at+1])
}

func TestDataBlockKeepsEntries(t *testing.T) {
	for _, keys := range [][]string{
		{"a@1"},
		{"a@1", "a@2", "a@3"},
		{"apple@1", "apricot@1", "banana@1"},
		{"apple@1", "apricot@1", "banana@2"},
		manyKeys(100, 1),
		manyKeys(100, 9),
	} {
		for _, mixed := range []bool{false, true} {
			var it Iter
			if err := it.Init(buildData(true, mixed, keys...)); err != nil {
				t.Fatal(err)
			}
			n := 0
			for ok := it.First(); ok; ok = it.Next() {
				if show(it.Key()) != keys[n] || string(it.Value()) != fmt.Sprint(n) || it.Ordinal() != n {
					t.Fatalf("entry %d: %s = %s, want %s", n, show(it.Key()), it.Value(), keys[n])
				}
				n++
			}
			for ok := it.Last(); ok; ok = it.Prev() {
				n--
				if show(it.Key()) != keys[n] || string(it.Value()) != fmt.Sprint(n) {
					t.Fatalf("entry %d backwards: %s = %s, want %s", n, show(it.Key()), it.Value(), keys[n])
				}
			}
			if n != 0 || it.Err() != nil || it.Len() != len(keys) {
				t.Fatalf("%d entries left, error %v", n, it.Err())
			}
		}
	}
}

// manyKeys returns n keys with the given number of versions a prefix.
func manyKeys(n, versions int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("key%04d@%d", i/versions, i%versions+1)
	}
	return keys
}

func TestUniformBlockStoresSuffixOnce(t *testing.T) {
	suffix := bytes.Repeat([]byte("1"), SuffixLen)
	if n := bytes.Count(buildData(false, false, manyKeys(50, 1)...), suffix); n != 1 {
		t.Errorf("uniform block holds its suffix %d times", n)
	}
	if n := bytes.Count(buildData(false, true, manyKeys(50, 1)...), suffix); n != 50 {
		t.Errorf("mixed block of 50 keys holds the suffix %d times", n)
	}
}

func TestNextPrefixSkipsVersions(t *testing.T) {
	for _, versions := range []int{1, 2, 7} {
		var it Iter
		if err := it.Init(buildData(false, true, manyKeys(90, versions)...)); err != nil {
			t.Fatal(err)
		}
		n := 0
		for ok := it.First(); ok; ok = it.NextPrefix() {
			if want := fmt.Sprintf("key%04d@1", n); show(it.Key()) != want || string(it.Value()) != fmt.Sprint(n*versions) {
				t.Fatalf("%d versions: at %s = %s, want %s", versions, show(it.Key()), it.Value(), want)
			}
			n++
		}
		if want := (90 + versions - 1) / versions; n != want {
			t.Errorf("%d versions: %d prefixes, want %d", versions, n, want)
		}
	}
	// All 90 are versions of one prefix: there is no next.
	keys := make([]string, 90)
	for i := range keys {
		keys[i] = "k@" + string(rune('!'+i))
	}
	var it Iter
	if err := it.Init(buildData(false, true, keys...)); err != nil {
		t.Fatal(err)
	}
	if it.First(); it.NextPrefix() {
		t.Errorf("found %s", show(it.Key()))
	}
}

func TestSeekFromEveryPlace(t *testing.T) {
	keys := manyKeys(70, 3)
	data := buildData(false, false, keys...)
	for from := range keys {
		for to := range keys {
			var it Iter
			if err := it.Init(data); err != nil {
				t.Fatal(err)
			}
			for range from + 1 {
				it.Next()
			}
			k := keys[to]
			target := append([]byte(k[:len(k)-2]), bytes.Repeat([]byte(k[len(k)-1:]), SuffixLen)...)
			if !it.SeekGE(target) || it.Ordinal() != to {
				t.Fatalf("SeekGE from %d to %d comes to %d", from, to, it.Ordinal())
			}
			if it.SeekGE(append(target, 0)) != (to+1 < len(keys)) || it.Ordinal() != to+1 {
				t.Fatalf("SeekGE from %d behind %d comes to %d", to, to, it.Ordinal())
			}
			if it.SeekLT(target) != (to > 0) || it.Ordinal() != to-1 {
				t.Fatalf("SeekLT to %d comes to %d", to, it.Ordinal())
			}
		}
	}
}

// TestSeeksGallopFromWhereTheyStand damages the restart point that a search from
// scratch asks first: a short step must not meet it.
func TestSeeksGallopFromWhereTheyStand(t *testing.T) {
	keys := manyKeys(40*restartInterval, 1)
	opened := buildData(false, false, keys...)
	var it Iter
	if err := it.Init(opened); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(it.restarts[20*restartLen:], 1<<30)
	seek := func(n int) bool {
		k := keys[n]
		return it.SeekGE(append([]byte(k[:len(k)-2]), bytes.Repeat([]byte("1"), SuffixLen)...)) && it.Ordinal() == n
	}
	for _, c := range []struct{ from, to int }{{5, 6}, {5, 5 + 2*restartInterval}, {35 * restartInterval, 33*restartInterval + 3}} {
		it.ord, it.err = -1, nil
		it.jump(c.from / restartInterval)
		it.walkTo(c.from)
		if !seek(c.to) {
			t.Errorf("from %d to %d: %v", c.from, c.to, it.Err())
		}
	}
	it.NoGallop = true
	if seek(6) || it.Err() == nil {
		t.Error("a search from scratch did not meet the damage")
	}
}

func TestIndexFindsSeparators(t *testing.T) {
	var b IndexBuilder
	for i := range 40 {
		b.Add(fmt.Appendf(nil, "%02d", i*2), Handle{uint64(i), uint64(1000 + i)}, []byte{byte(i)})
	}
	opened, err := Open(nil, Seal(nil, b.Finish(nil), nil, Index, true), Index)
	if err != nil {
		t.Fatal(err)
	}
	var x IndexView
	if err := x.Init(opened); err != nil {
		t.Fatal(err)
	}
	for from := -1; from < 40; from++ {
		for k := -1; k < 82; k++ {
			key := fmt.Appendf(nil, "%02d", k)
			if k < 0 {
				key = nil
			}
			below, atMost := -1, -1
			for i := range 40 {
				if k > i*2 {
					below = i
				}
				if k >= i*2 {
					atMost = i
				}
			}
			if got := x.Find(key, false, from); got != below {
				t.Fatalf("last below %q from %d: %d, want %d", key, from, got, below)
			}
			if got := x.Find(key, true, from); got != atMost {
				t.Fatalf("last at most %q from %d: %d, want %d", key, from, got, atMost)
			}
		}
	}
	sep, h, props, err := x.Entry(39)
	if err != nil || string(sep) != "78" || h != (Handle{39, 1039}) || string(props) != "'" {
		t.Errorf("entry 39: %s %v %q %v", sep, h, props, err)
	}
}

func TestSealCompressesOnlyWhatShrinks(t *testing.T) {
	dull, noise := bytes.Repeat([]byte("dull "), 100), make([]byte, 500)
	for i := range noise {
		noise[i] = byte(i * i * 31 >> 3)
	}
	for _, c := range []struct {
		payload    []byte
		compress   bool
		compressed bool
	}{{dull, true, true}, {dull, false, false}, {noise[:7], true, false}} {
		disk := Seal([]byte("before"), c.payload, nil, Index, c.compress)[len("before"):]
		kind, err := Check(disk, Index)
		if err != nil || kind.Compressed() != c.compressed {
			t.Errorf("kind %v, error %v", kind, err)
		}
		opened, err := Open(nil, disk, Index)
		if err != nil || !bytes.Equal(Payload(opened), c.payload) {
			t.Errorf("payload differs, error %v", err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	good := Seal(nil, []byte("payload"), nil, Data, false)
	with := func(kind byte) []byte {
		b := append([]byte("payload"), kind)
		return binary.LittleEndian.AppendUint32(b, Checksum(b))
	}
	for name, disk := range map[string][]byte{
		"nothing":                  nil,
		"too short":                good[:4],
		"flipped byte":             append([]byte("P"), good[1:]...),
		"other type":               with(byte(MakeKind(Filter, false))),
		"unknown compression":      with(2),
		"uniform index":            with(byte(MakeKind(Index, true))),
		"bad snappy":               with(byte(kindSnappy)),
		"uniform without a suffix": with(byte(MakeKind(Data, true)))[7:],
	} {
		if _, err := Open(nil, disk, Data); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// A payload that claims to be far larger than it can be.
	huge := binary.AppendUvarint(nil, 1<<30)
	huge = append(huge, byte(kindSnappy))
	huge = binary.LittleEndian.AppendUint32(huge, Checksum(huge))
	if _, err := Open(nil, huge, Data); !errors.Is(err, ErrCorrupt) {
		t.Errorf("snappy bomb: error %v", err)
	}
}

func TestSuffixesArePatchedInPlace(t *testing.T) {
	from, to := bytes.Repeat([]byte("1"), SuffixLen), bytes.Repeat([]byte("8"), SuffixLen)
	b := NewBuilder(false)
	b.Add([]byte("a"), from, []byte("v"), 0)
	payload, suffix := b.Finish(nil)
	disk := Seal(nil, payload, suffix, Data, true)
	if SetUniformSuffix(disk, to, from) {
		t.Error("another suffix was taken for from")
	}
	if !SetUniformSuffix(disk, from, to) {
		t.Error("from was not found")
	}
	if _, err := Check(disk, Data); err != nil {
		t.Error(err)
	}
	opened := buildData(false, true, "a@1", "b@1", "c@2", "d@1")
	if n, err := SetMixedSuffixes(opened, from, to); n != 2 || err != nil {
		t.Errorf("odd entry %d, error %v, want entry 2", n, err)
	}
	var it Iter
	if err := it.Init(opened); err != nil || !it.First() || show(it.Key()) != "a@8" {
		t.Errorf("first key %s, error %v", show(it.Key()), err)
	}
}

// FuzzIter walks an iterator over an arbitrary opened block: nothing may panic,
// and it must come to an end.
func FuzzIter(f *testing.F) {
	f.Add(buildData(false, false, manyKeys(40, 1)...), []byte("key0007"))
	f.Add(buildData(false, true, manyKeys(40, 3)...), []byte("key0007"))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, opened, target []byte) {
		var it Iter
		if it.Init(opened) != nil {
			return
		}
		limit := it.Len() + 1
		for _, gallop := range []bool{true, false} {
			it.NoGallop = !gallop
			for n := 0; it.Next(); n++ {
				_, _ = it.Key(), it.Value()
				if n > limit {
					t.Fatal("no end forwards")
				}
			}
			for n := 0; n < 100 && it.Prev(); n++ {
			}
			_ = it.SeekGE(target) && it.Next() && it.SeekLT(target) && it.SeekGE(target)
			for n := 0; it.NextPrefix(); n++ {
				if n > limit {
					t.Fatal("no end by prefixes")
				}
			}
			if err := it.Err(); err != nil && !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			_ = it.Init(opened)
		}
		_, _ = SetMixedSuffixes(opened, target, target)
	})
}

// FuzzIndexView does the same for index blocks.
func FuzzIndexView(f *testing.F) {
	var b IndexBuilder
	b.Add(nil, Handle{0, 10}, []byte("p"))
	b.Add([]byte("m"), Handle{10, 300}, []byte("q"))
	opened, _ := Open(nil, Seal(nil, b.Finish(nil), nil, Index, false), Index)
	f.Add(opened, []byte("n"))
	f.Fuzz(func(t *testing.T, opened, key []byte) {
		var x IndexView
		if x.Init(opened) != nil {
			return
		}
		for i := range min(x.Len(), 1000) {
			if _, _, _, err := x.Entry(i); err != nil && !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			if n := x.Find(key, i%2 == 0, i); n < -1 || n >= x.Len() {
				t.Fatalf("found entry %d of %d", n, x.Len())
			}
		}
	})
}
