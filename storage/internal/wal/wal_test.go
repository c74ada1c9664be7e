package wal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
	"testing"

	"minidb/sstable"
	"minidb/storage/vfs"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const logName = "/log"

func create(t testing.TB, fsys vfs.FS, num uint64, o Options) *Writer {
	t.Helper()
	w, err := Create(fsys, logName, num, o)
	must(t, err)
	return w
}

// write adds each record in a write of its own; "!" syncs instead.
func write(t testing.TB, w *Writer, records ...string) {
	t.Helper()
	for _, r := range records {
		if r == "!" {
			must(t, w.Sync())
			continue
		}
		w.Add([]byte(r[:1]), []byte(r[1:]))
		must(t, w.Flush())
	}
}

// read returns the log's records, and where it ends.
func read(fsys vfs.FS, num uint64, limit int64) (string, int64, error) {
	l, err := Open(fsys, logName, num)
	if err != nil {
		return "", 0, err
	}
	var records []string
	end, err := l.Replay(limit, func(_ int64, data []byte) error {
		records = append(records, string(data))
		return nil
	})
	return strings.Join(records, " "), end, err
}

func contents(t testing.TB, fsys vfs.FS) []byte {
	t.Helper()
	f, err := fsys.Open(logName)
	must(t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	must(t, err)
	return data
}

func store(t testing.TB, data []byte) vfs.FS {
	t.Helper()
	mem := vfs.NewMem()
	f, err := mem.Create(logName)
	must(t, err)
	_, err = f.Write(data)
	must(t, err)
	must(t, f.Close())
	return mem
}

func isCorrupt(err error) bool {
	var c *sstable.CorruptionError
	return errors.As(err, &c) && c.File == logName
}

func TestLogReadsBack(t *testing.T) {
	mem := vfs.NewMem()
	w := create(t, mem, 7, Options{PrevEnd: 99})
	write(t, w, "one", "two", "!", "three")
	w.Add([]byte("x"))
	w.Add([]byte("y"))
	must(t, w.Flush())
	end := w.Size()
	must(t, w.Close(false))
	for _, limit := range []int64{-1, end} {
		got, gotEnd, err := read(mem, 7, limit)
		if got != "one two three x y" || gotEnd != end || err != nil {
			t.Fatalf("limit %d: %q up to %d of %d, %v", limit, got, gotEnd, end, err)
		}
	}
	l, err := Open(mem, logName, 7)
	if err != nil || !l.Intact || l.PrevEnd != 99 {
		t.Fatalf("%+v, %v", l, err)
	}
	if _, _, err := read(mem, 7, end+8); !isCorrupt(err) {
		t.Fatalf("shorter than the next log says: %v", err)
	}
	if _, _, err := read(mem, 7, end-8); !isCorrupt(err) {
		t.Fatalf("longer than the next log says: %v", err)
	}
}

// TestTornTailIsTheEnd cuts an unsynced log at every byte, and zeroes it from
// there: what is whole before the cut is read, and there is no error.
func TestTornTailIsTheEnd(t *testing.T) {
	mem := vfs.NewMem()
	w := create(t, mem, 3, Options{AllocateBytes: 64})
	records := []string{"alpha", "be", "c", "delta-delta"}
	var ends []int64
	for _, r := range records {
		write(t, w, r)
		ends = append(ends, w.Size())
	}
	data := contents(t, mem)[:w.Size()]
	for cut := range len(data) {
		var want []string
		for i, r := range records {
			// The padding of a record is not part of it.
			if cut >= int(ends[i])-padding(r) {
				want = append(want, r)
			}
		}
		zeroed := append(bytes.Clone(data[:cut]), make([]byte, len(data)-cut)...)
		got, _, err := read(store(t, data[:cut]), 3, -1)
		if got != strings.Join(want, " ") || err != nil {
			t.Fatalf("cut at %d: %q, %v; want %q", cut, got, err, want)
		}
		if got, _, err = read(store(t, zeroed), 3, -1); got != strings.Join(want, " ") || err != nil {
			t.Fatalf("zeroed from %d: %q, %v; want %q", cut, got, err, want)
		}
	}
}

func padding(record string) int {
	n := headerLen + 1 + int64(len(record))
	return int(align(n) - n)
}

// TestFlippedBitIsCorruptionWhereTheLogWasDurable flips every bit. Before the
// offset that a later record knows to be synced it is corruption, behind it the
// end of the log.
func TestFlippedBitIsCorruptionWhereTheLogWasDurable(t *testing.T) {
	mem := vfs.NewMem()
	w := create(t, mem, 3, Options{AllocateBytes: 64})
	write(t, w, "alpha", "beta")
	durable := w.Size()
	write(t, w, "!", "gamma", "delta")
	data := contents(t, mem)[:w.Size()]
	const all = "alpha beta gamma delta"
	for bit := range len(data) * 8 {
		flipped := bytes.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		got, _, err := read(store(t, flipped), 3, -1)
		if got == all && err == nil {
			continue // padding
		}
		if bit/8 < int(durable) && !isCorrupt(err) {
			t.Fatalf("byte %d, before the synced offset: %q, %v", bit/8, got, err)
		}
		if bit/8 >= int(durable) && (err != nil || !strings.HasPrefix(all, got)) {
			t.Fatalf("byte %d, behind the synced offset: %q, %v", bit/8, got, err)
		}
	}
}

// TestCleanCloseDetectsEveryFlip: the last record of a log closed in good order
// vouches for all before it.
func TestCleanCloseDetectsEveryFlip(t *testing.T) {
	mem := vfs.NewMem()
	w := create(t, mem, 3, Options{AllocateBytes: 64})
	write(t, w, "alpha", "beta")
	end := w.Size()
	must(t, w.Close(true))
	data := contents(t, mem)
	if got, _, err := read(mem, 3, -1); got != "alpha beta" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	for bit := range int(end) * 8 {
		flipped := bytes.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		got, _, err := read(store(t, flipped), 3, -1)
		if !isCorrupt(err) && !(got == "alpha beta" && err == nil) {
			t.Fatalf("byte %d: %q, %v", bit/8, got, err)
		}
	}
}

// TestRecycledLogHidesItsOldRecords: what a file held as an older log is not read,
// wherever the new log ends, and overwriting it needs no new space.
func TestRecycledLogHidesItsOldRecords(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	w, err := Create(fault, "/old", 3, Options{AllocateBytes: 4096})
	must(t, err)
	for i := range 20 {
		write(t, w, fmt.Sprintf("old record %d", i), "!")
	}
	must(t, w.Close(false))
	fault.SetBudget(0)
	w = create(t, fault, 4, Options{Recycle: "/old"})
	write(t, w, "new record 0")
	data := contents(t, fault)
	for n := 1; n < 20; n++ {
		write(t, w, fmt.Sprintf("new record %d", n), "!")
		got, end, err := read(fault, 4, -1)
		if err != nil || end != w.Size() || strings.Count(got, "new record") != n+1 || strings.Contains(got, "old") {
			t.Fatalf("%d records: %q, %v", n, got, err)
		}
	}
	// Even if an old record stands exactly where the next one is expected.
	if got, _, err := read(store(t, data), 4, -1); got != "new record 0" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := fault.Stat("/old"); err == nil {
		t.Fatal("the old name is still there")
	}
}

func TestHalfMadeLogIsNotIntact(t *testing.T) {
	for _, data := range [][]byte{nil, make([]byte, 100), []byte("garbage garbage garbage garbage garbage")} {
		l, err := Open(store(t, data), logName, 3)
		if err != nil || l.Intact {
			t.Fatalf("%q: %+v, %v", data, l, err)
		}
		if end, err := l.Replay(-1, nil); end != 0 || err != nil {
			t.Fatalf("%q: end %d, %v", data, end, err)
		}
	}
}

func TestNoSpaceLeavesTheLogAsItWas(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	w := create(t, fault, 3, Options{AllocateBytes: 64})
	fault.SetBudget(0)
	w.Add(make([]byte, 1000))
	if err := w.Flush(); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, ErrNotWritten) {
		t.Fatalf("without space: %v", err)
	}
	fault.Heal()
	write(t, w, "after")
	if got, _, err := read(fault, 3, -1); got != "after" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestFailureIsForGood(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpWrite, vfs.OpSync} {
		fault := vfs.NewFault(vfs.NewMem())
		w := create(t, fault, 3, Options{})
		fault.FailNth(op, 1, syscall.EIO, false)
		w.Add([]byte("x"))
		err := w.Flush()
		if err == nil {
			err = w.Sync()
		}
		if !errors.Is(err, syscall.EIO) || errors.Is(err, ErrNotWritten) {
			t.Fatalf("%v: %v", op, err)
		}
		syncs := fault.Count(vfs.OpSync)
		w.Add([]byte("y"))
		if err := w.Flush(); !errors.Is(err, syscall.EIO) {
			t.Fatalf("%v: a later write: %v", op, err)
		}
		if err := w.Sync(); !errors.Is(err, syscall.EIO) || fault.Count(vfs.OpSync) != syncs {
			t.Fatalf("%v: a later sync: %v", op, err)
		}
	}
}

// FuzzReplay: any bytes are a log, a beginning of one, or corrupt.
func FuzzReplay(f *testing.F) {
	mem := vfs.NewMem()
	w, err := Create(mem, logName, 3, Options{AllocateBytes: 64})
	if err != nil {
		f.Fatal(err)
	}
	w.Add([]byte("record"))
	if err := w.Flush(); err != nil {
		f.Fatal(err)
	}
	file, err := readAll(mem, logName)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:w.Size()-4])
	f.Fuzz(func(t *testing.T, data []byte) {
		_, end, err := read(store(t, data), 3, -1)
		if err != nil && !isCorrupt(err) && !strings.Contains(err.Error(), "format version") {
			t.Fatal(err)
		}
		if end > int64(len(data))+alignment {
			t.Fatalf("ends at %d of %d", end, len(data))
		}
	})
}

func TestNamesInErrors(t *testing.T) {
	_, err := Open(vfs.NewMem(), path.Join("/no", "log"), 1)
	if err == nil || !strings.Contains(err.Error(), "/no/log") {
		t.Fatal(err)
	}
}

// TestDocumentedExample keeps docs/formats/wal.md true.
func TestDocumentedExample(t *testing.T) {
	mem := vfs.NewMem()
	w := create(t, mem, 2, Options{PrevEnd: 120, AllocateBytes: 64})
	w.Add([]byte("\x0a\x02k1\xff\xff\xff\xff\xff\xff\xff\xfahi"))
	must(t, w.Flush())
	must(t, w.Close(true))
	doc, err := os.ReadFile("../../../docs/formats/wal.md")
	must(t, err)
	data := contents(t, mem)[:w.Size()]
	for at := 0; at < len(data); at += 16 {
		line := hex.Dump(data[at:min(at+16, len(data))])
		hexPart := strings.TrimRight(line[10:58], " ")
		if !strings.Contains(string(doc), fmt.Sprintf("%08x  %s", at, hexPart)) {
			t.Errorf("not in the document: %08x  %s", at, hexPart)
		}
	}
}
