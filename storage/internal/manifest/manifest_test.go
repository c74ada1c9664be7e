package manifest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minidb/sstable"
	"minidb/storage/internal/wal"
	"minidb/storage/vfs"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file makes a file over the prefixes first..last.
func file(num uint64, first, last string) *File {
	return &File{
		Num: num, Bytes: 100 * num, Entries: num, Tombstones: num / 2,
		Smallest: []byte(first + "00000001"), Largest: []byte(last + "00000009"),
		MinSuffix: []byte("00000001"), MaxSuffix: []byte("00000009"),
	}
}

func emptyVersion(t testing.TB) *Version {
	t.Helper()
	v, err := (*Version)(nil).Apply(&Edit{})
	must(t, err)
	return v
}

// show lists a version's files: "L0[3 4] L1[2:a-b]".
func show(v *Version) string {
	var out []string
	for level, files := range v.Levels {
		if len(files) == 0 {
			continue
		}
		var names []string
		for _, f := range files {
			names = append(names, fmt.Sprintf("%d:%s-%s", f.Num, prefix(f.Smallest), prefix(f.Largest)))
		}
		out = append(out, fmt.Sprintf("L%d[%s]", level, strings.Join(names, " ")))
	}
	return strings.Join(out, " ")
}

func TestEditsAreReadBack(t *testing.T) {
	mem := vfs.NewMem()
	log, err := Create(mem, "/", &State{Num: 1, Version: emptyVersion(t), MinLog: 1, NextFile: 2})
	must(t, err)
	must(t, log.Append(&Edit{MinLog: 2, NextFile: 5, Added: []Added{{0, file(3, "a", "m")}, {6, file(2, "n", "z")}}}))
	must(t, log.Append(&Edit{NextFile: 6, Removed: []Removed{{0, 3}}, Added: []Added{{6, file(5, "a", "m")}}}))
	must(t, log.Close(true))
	s, err := Load(mem, "/")
	must(t, err)
	if show(s.Version) != "L6[5:a-m 2:n-z]" || s.MinLog != 2 || s.NextFile != 6 || s.Num != 1 {
		t.Fatalf("%s, %+v", show(s.Version), s)
	}
	sameFile := cmp.Comparer(func(a, b *File) bool {
		return a.Num == b.Num && a.Bytes == b.Bytes && a.Entries == b.Entries && a.Tombstones == b.Tombstones &&
			string(a.Smallest)+string(a.Largest)+string(a.MinSuffix)+string(a.MaxSuffix) ==
				string(b.Smallest)+string(b.Largest)+string(b.MinSuffix)+string(b.MaxSuffix)
	})
	if d := cmp.Diff([]*File{file(5, "a", "m"), file(2, "n", "z")}, s.Version.Levels[6], sameFile); d != "" {
		t.Fatal(d)
	}
}

// TestTornManifestIsItsBeginning cuts the manifest at every byte: some first edits
// are in force, or, if not even the first is there, it is corrupt.
func TestTornManifestIsItsBeginning(t *testing.T) {
	mem := vfs.NewMem()
	log, err := Create(mem, "/", &State{Num: 1, Version: emptyVersion(t), MinLog: 1, NextFile: 2})
	must(t, err)
	seen := map[string]bool{}
	for num := uint64(2); num < 6; num++ {
		p := string(rune('a' + num))
		must(t, log.Append(&Edit{NextFile: num + 1, Added: []Added{{6, file(num, p, p)}}}))
	}
	f, err := mem.OpenReadWrite(log.Name())
	must(t, err)
	data := make([]byte, log.w.Size())
	_, err = f.ReadAt(data, 0)
	must(t, err)
	base := log.base
	for cut := len(data) - 1; cut >= 0; cut-- {
		_, err := f.WriteAt(make([]byte, len(data)-cut), int64(cut))
		must(t, err)
		s, err := Load(mem, "/")
		var c *sstable.CorruptionError
		if err != nil {
			if !errors.As(err, &c) || int64(cut) >= base {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		seen[show(s.Version)] = true
	}
	if len(seen) < 4 { // the last edit may lose no more than its padding
		t.Fatalf("the cuts gave %v", seen)
	}
}

func TestCurrentSwitchesByRename(t *testing.T) {
	mem := vfs.NewMem()
	_, err := Load(mem, "/")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("no store: %v", err)
	}
	v := emptyVersion(t)
	_, err = Create(mem, "/", &State{Num: 1, Version: v, MinLog: 1, NextFile: 2})
	must(t, err)
	// However the switch to the next one fails, the old or the new one is in force.
	for _, op := range []vfs.Op{vfs.OpCreate, vfs.OpWrite, vfs.OpSync, vfs.OpRename, vfs.OpSyncDir, vfs.OpPreallocate} {
		for n := 1; n < 4; n++ {
			fault := vfs.NewFault(mem.CrashClone(vfs.CrashOptions{KeepUnsynced: 1}))
			fault.FailNth(op, n, syscall.EIO, false)
			_, err := Create(fault, "/", &State{Num: 2, Version: v, MinLog: 7, NextFile: 3})
			s, lerr := Load(fault, "/")
			must(t, lerr)
			if err == nil && s.Num != 2 || s.Num == 2 && s.MinLog != 7 {
				t.Fatalf("%v %d: manifest %d in force after %v", op, n, s.Num, err)
			}
		}
	}
}

func TestDamagedCurrentIsCorruption(t *testing.T) {
	mem := vfs.NewMem()
	_, err := Create(mem, "/", &State{Num: 1, Version: emptyVersion(t), MinLog: 1, NextFile: 2})
	must(t, err)
	f, err := mem.OpenReadWrite("/" + CurrentName)
	must(t, err)
	data, err := io.ReadAll(f)
	must(t, err)
	for bit := range len(data) * 8 {
		data[bit/8] ^= 1 << (bit % 8)
		_, err := f.WriteAt(data, 0)
		must(t, err)
		_, err = Load(mem, "/")
		var c *sstable.CorruptionError
		if !errors.As(err, &c) || c.File != "/CURRENT" {
			t.Fatalf("bit %d: %v", bit, err)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	must(t, mem.Remove("/"+Name(1)))
	_, err = f.WriteAt(data, 0)
	must(t, err)
	if _, err := Load(mem, "/"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a missing manifest is taken for a new store: %v", err)
	}
}

func TestAppendWithoutSpaceChangesNothing(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	log, err := Create(fault, "/", &State{Num: 1, Version: emptyVersion(t), MinLog: 1, NextFile: 2})
	must(t, err)
	fault.SetBudget(0)
	big := &Edit{NextFile: 9}
	for range 2000 {
		big.Removed = append(big.Removed, Removed{1, 1 << 60})
	}
	for range 8 {
		big.Removed = append(big.Removed, big.Removed...)
	}
	if err := log.Append(big); !errors.Is(err, wal.ErrNotWritten) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("append: %v", err)
	}
	fault.Heal()
	must(t, log.Append(&Edit{NextFile: 4, Added: []Added{{1, file(3, "a", "b")}}}))
	s, err := Load(fault, "/")
	must(t, err)
	if show(s.Version) != "L1[3:a-b]" {
		t.Fatal(show(s.Version))
	}
}

func TestEditsThatDoNotFitAreRefused(t *testing.T) {
	v := emptyVersion(t)
	v, err := v.Apply(&Edit{Added: []Added{{1, file(1, "c", "f")}, {0, file(2, "a", "z")}}})
	must(t, err)
	for name, e := range map[string]*Edit{
		"not there":   {Removed: []Removed{{1, 2}}},
		"overlaps":    {Added: []Added{{1, file(3, "f", "g")}}},
		"within":      {Added: []Added{{1, file(3, "d", "e")}}},
		"around":      {Added: []Added{{1, file(3, "a", "z")}}},
		"removed two": {Removed: []Removed{{0, 2}, {0, 9}}},
	} {
		if _, err := v.Apply(e); err == nil {
			t.Errorf("%s: applied", name)
		}
	}
	next, err := v.Apply(&Edit{Removed: []Removed{{1, 1}}, Added: []Added{{1, file(3, "f", "g")}, {0, file(4, "a", "b")}}})
	must(t, err)
	if show(next) != "L0[2:a-z 4:a-b] L1[3:f-g]" {
		t.Fatal(show(next))
	}
}

func TestFilesAreObsoleteWithTheLastVersionThatHasThem(t *testing.T) {
	var gone []uint64
	obsolete := func(f *File) { gone = append(gone, f.Num) }
	a := emptyVersion(t)
	b, err := a.Apply(&Edit{Added: []Added{{1, file(1, "a", "b")}, {1, file(2, "c", "d")}}})
	must(t, err)
	a.Unref(obsolete)
	b.Ref() // a reader
	moved := b.Levels[1][1]
	c, err := b.Apply(&Edit{Removed: []Removed{{1, 1}, {1, 2}}, Added: []Added{{2, moved}}})
	must(t, err)
	b.Unref(obsolete)
	if len(gone) != 0 {
		t.Fatalf("gone under a reader: %v", gone)
	}
	b.Unref(obsolete)
	if !reflect.DeepEqual(gone, []uint64{1}) {
		t.Fatalf("gone: %v", gone)
	}
	c.Unref(obsolete)
	if !reflect.DeepEqual(gone, []uint64{1, 2}) {
		t.Fatalf("gone at the end: %v", gone)
	}
}

func TestVersionLookups(t *testing.T) {
	v, err := (*Version)(nil).Apply(&Edit{Added: []Added{
		{0, file(1, "a", "m")},
		{0, file(2, "k", "z")},
		{0, file(3, "l", "l")},
		{0, file(4, "x", "z")},
		{2, file(5, "b", "d")},
		{2, file(6, "f", "h")},
		{2, file(7, "j", "j")},
	}})
	must(t, err)
	if v.Depth() != 3 {
		t.Errorf("depth %d", v.Depth())
	}
	for p, want := range map[string]uint64{"a": 0, "b": 5, "c": 5, "d": 5, "e": 0, "h": 6, "j": 7, "k": 0} {
		var got uint64
		if f := v.Find(2, []byte(p)); f != nil {
			got = f.Num
		}
		if got != want {
			t.Errorf("Find(%s) = %d, want %d", p, got, want)
		}
	}
	for span, want := range map[[2]string]int{{"a", "a"}: 0, {"a", "b"}: 1, {"d", "f"}: 2, {"e", "e"}: 0, {"g", "z"}: 2, {"a", "z"}: 3} {
		if got := v.Overlapping(2, Span{[]byte(span[0]), []byte(span[1])}); len(got) != want {
			t.Errorf("Overlapping(%v): %d files, want %d", span, len(got), want)
		}
	}
	if got := v.Overlapping(0, Span{[]byte("l"), []byte("l")}); len(got) != 3 {
		t.Errorf("Overlapping in L0: %d files", len(got))
	}
}

func FuzzDecodeEdit(f *testing.F) {
	f.Add(appendEdit(nil, &Edit{MinLog: 2, NextFile: 5, Removed: []Removed{{1, 2}}, Added: []Added{{0, file(3, "a", "m")}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decodeEdit(data)
		if err != nil {
			return
		}
		again, err := decodeEdit(appendEdit(nil, e))
		if err != nil || len(again.Added) != len(e.Added) || len(again.Removed) != len(e.Removed) {
			t.Fatalf("%+v became %+v, %v", e, again, err)
		}
	})
}

// TestDocumentedExample keeps docs/formats/manifest.md true.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/formats/manifest.md")
	must(t, err)
	data := appendEdit(nil, &Edit{MinLog: 2, NextFile: 5, Removed: []Removed{{0, 3}}, Added: []Added{{6, file(4, "a", "m")}}})
	for line := range strings.Lines(hex.Dump(data)) {
		if !strings.Contains(string(doc), strings.TrimSpace(line)) {
			t.Errorf("not in the document: %s", line)
		}
	}
	if !strings.Contains(string(doc), strings.TrimSpace(currentLine(Name(5)))) {
		t.Errorf("not in the document: %s", currentLine(Name(5)))
	}
}
