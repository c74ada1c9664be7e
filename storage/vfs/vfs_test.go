package vfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"testing"
)

// eachFS runs the test over every implementation.
func eachFS(t *testing.T, test func(t *testing.T, fsys FS, dir string)) {
	t.Run("disk", func(t *testing.T) { test(t, Disk, t.TempDir()) })
	t.Run("mem", func(t *testing.T) { mem := NewMem(); must(t, mem.MkdirAll("/d")); test(t, mem, "/d") })
	t.Run("volatile", func(t *testing.T) { mem := NewVolatile(); must(t, mem.MkdirAll("/d")); test(t, mem, "/d") })
	t.Run("fault", func(t *testing.T) { test(t, NewFault(Disk), t.TempDir()) })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t testing.TB, fsys FS, name, data string) File {
	t.Helper()
	f, err := fsys.Create(name)
	must(t, err)
	_, err = f.Write([]byte(data))
	must(t, err)
	return f
}

func readFile(t testing.TB, fsys FS, name string) string {
	t.Helper()
	f, err := fsys.Open(name)
	must(t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	must(t, err)
	return string(data)
}

func TestFilesReadBackWhatWasWritten(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		name := path.Join(dir, "a")
		f := writeFile(t, fsys, name, "hello ")
		_, err := f.Write([]byte("world"))
		must(t, err)
		_, err = f.WriteAt([]byte("J"), 0)
		must(t, err)
		must(t, f.Sync())
		must(t, f.Preallocate(11, 4))
		if size, err := f.Size(); err != nil || size != 15 {
			t.Fatalf("size %d, %v", size, err)
		}
		_, err = f.WriteAt([]byte("!"), 11)
		must(t, err)
		must(t, f.Truncate(13))
		must(t, f.Close())
		if got := readFile(t, fsys, name); got != "Jello world!\x00" {
			t.Fatalf("got %q", got)
		}
		rw, err := fsys.OpenReadWrite(name)
		must(t, err)
		_, err = rw.WriteAt([]byte("h"), 0)
		must(t, err)
		buf := make([]byte, 20)
		n, err := rw.ReadAt(buf, 6)
		if err != io.EOF || string(buf[:n]) != "world!\x00" {
			t.Fatalf("ReadAt: %q, %v", buf[:n], err)
		}
		must(t, rw.Close())
		if _, err := rw.ReadAt(buf, 0); !errors.Is(err, fs.ErrClosed) {
			t.Fatalf("read of a closed file: %v", err)
		}
		must(t, writeFile(t, fsys, name, "x").Close()) // Create truncates
		if got := readFile(t, fsys, name); got != "x" {
			t.Fatalf("after Create: %q", got)
		}
		r, err := fsys.Open(name)
		must(t, err)
		if _, err := r.WriteAt([]byte("y"), 0); err == nil {
			t.Fatal("a file opened for reading took a write")
		}
		must(t, r.Close())
	})
}

func TestDirectoriesAndLinks(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		sub := path.Join(dir, "x/y")
		must(t, fsys.MkdirAll(sub))
		must(t, fsys.MkdirAll(sub))
		a, b, c := path.Join(sub, "a"), path.Join(sub, "b"), path.Join(dir, "c")
		must(t, writeFile(t, fsys, a, "one").Close())
		must(t, fsys.Link(a, b))
		if err := fsys.Link(a, b); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("Link onto a file: %v", err)
		}
		must(t, fsys.Rename(b, c))
		must(t, fsys.Remove(a))
		if got := readFile(t, fsys, c); got != "one" {
			t.Fatalf("the second name reads %q", got)
		}
		names, err := fsys.List(dir)
		if err != nil || !slices.Equal(names, []string{"c", "x"}) {
			t.Fatalf("List: %v, %v", names, err)
		}
		for _, err := range []error{
			fsys.Remove(a), fsys.Rename(a, b), fsys.Link(a, b), fsys.SyncDir(path.Join(dir, "no")),
			second(fsys.Open(a)), second(fsys.OpenReadWrite(a)), second(fsys.Stat(a)),
			second(fsys.List(path.Join(dir, "no"))), second(fsys.Create(path.Join(dir, "no/file"))),
		} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("want ErrNotExist, got %v", err)
			}
		}
		info, err := fsys.Stat(sub)
		if err != nil || !info.IsDir {
			t.Fatalf("Stat: %+v, %v", info, err)
		}
		if fsys.Remove(path.Join(dir, "x")) == nil {
			t.Fatal("Remove took a directory that is not empty")
		}
		must(t, fsys.RemoveAll(path.Join(dir, "x")))
		must(t, fsys.RemoveAll(path.Join(dir, "x")))
		must(t, fsys.SyncDir(dir))
	})
}

func second[T any](_ T, err error) error { return err }

func TestLockIsExclusiveUntilClosed(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		name := path.Join(dir, "LOCK")
		lock, err := fsys.Lock(name)
		must(t, err)
		if _, err := fsys.Lock(name); !errors.Is(err, ErrLocked) {
			t.Fatalf("second Lock: %v", err)
		}
		must(t, lock.Close())
		lock, err = fsys.Lock(name)
		must(t, err)
		must(t, lock.Close())
	})
}

func TestCrashDropsWhatIsNotSynced(t *testing.T) {
	mem := NewMem()
	must(t, mem.MkdirAll("/d"))
	must(t, mem.SyncDir("/"))
	f := writeFile(t, mem, "/d/kept", "synced")
	must(t, f.Sync())
	must(t, mem.SyncDir("/d"))
	_, err := f.WriteAt([]byte("LOST.."), 0)
	must(t, err)
	must(t, f.Truncate(3))
	must(t, writeFile(t, mem, "/d/no-entry", "x").Sync())
	writeFile(t, mem, "/d/no-bytes", "x")
	must(t, mem.SyncDir("/d"))
	must(t, writeFile(t, mem, "/d/later", "x").Sync())
	must(t, mem.Rename("/d/no-entry", "/d/renamed"))

	clone := mem.CrashClone(CrashOptions{Seed: 1})
	names, err := clone.List("/d")
	must(t, err)
	if !slices.Equal(names, []string{"kept", "no-bytes", "no-entry"}) {
		t.Fatalf("entries after the crash: %v", names)
	}
	if got := readFile(t, clone, "/d/kept"); got != "synced" {
		t.Fatalf("synced file reads %q", got)
	}
	if got := readFile(t, clone, "/d/no-bytes"); got != "" {
		t.Fatalf("unsynced file reads %q", got)
	}
	if got := readFile(t, mem, "/d/kept"); got != "LOS" {
		t.Fatalf("the original changed: %q", got)
	}
	all := mem.CrashClone(CrashOptions{Seed: 1, KeepUnsynced: 1})
	names, err = all.List("/d")
	must(t, err)
	if !slices.Equal(names, []string{"kept", "later", "no-bytes", "renamed"}) {
		t.Fatalf("entries with everything kept: %v", names)
	}
	if got := readFile(t, all, "/d/kept"); got != "LOS" {
		t.Fatalf("with everything kept: %q", got)
	}
}

func TestCrashTearsWritesInUnits(t *testing.T) {
	mem := NewMem()
	f := writeFile(t, mem, "/f", string(make([]byte, 64)))
	must(t, f.Sync())
	must(t, mem.SyncDir("/"))
	_, err := f.WriteAt(bytes.Repeat([]byte{1}, 64), 0)
	must(t, err)
	seen := map[string]bool{}
	for seed := range uint64(50) {
		o := CrashOptions{Seed: seed, KeepUnsynced: 0.5, TearBytes: 16}
		got := readFile(t, mem.CrashClone(o), "/f")
		if got != readFile(t, mem.CrashClone(o), "/f") {
			t.Fatal("the same seed gave two outcomes")
		}
		for unit := 0; unit < 48; unit += 16 {
			if n := bytes.Count([]byte(got[unit:unit+16]), []byte{1}); n != 0 && n != 16 {
				t.Fatalf("seed %d: unit %d has %d of its 16 bytes", seed, unit/16, n)
			}
		}
		seen[got] = true
	}
	if len(seen) < 8 {
		t.Fatalf("50 seeds gave only %d outcomes", len(seen))
	}
}

func TestCrashLosesFilesOfAnUnsyncedDirectory(t *testing.T) {
	mem := NewMem()
	must(t, mem.MkdirAll("/a/b"))
	must(t, writeFile(t, mem, "/a/b/f", "x").Sync())
	must(t, mem.SyncDir("/a/b"))
	if names, _ := mem.CrashClone(CrashOptions{}).List("/"); len(names) != 0 {
		t.Fatalf("survived without a durable entry: %v", names)
	}
	must(t, mem.SyncDir("/a"))
	must(t, mem.SyncDir("/"))
	if got := readFile(t, mem.CrashClone(CrashOptions{}), "/a/b/f"); got != "x" {
		t.Fatalf("got %q", got)
	}
}

func TestFaultFailsTheNthCall(t *testing.T) {
	boom := errors.New("boom")
	fault := NewFault(NewMem())
	f := writeFile(t, fault, "/f", "x")
	fault.FailNth(OpSync, 2, boom, false)
	for n, want := range []error{nil, boom, nil} {
		if err := f.Sync(); !errors.Is(err, want) {
			t.Fatalf("sync %d: %v, want %v", n+1, err, want)
		}
	}
	fault.FailNth(OpWrite, 1, boom, true)
	for range 2 {
		if _, err := f.Write([]byte("y")); !errors.Is(err, boom) {
			t.Fatalf("sticky: %v", err)
		}
	}
	fault.Heal()
	_, err := f.Write([]byte("y"))
	must(t, err)
	if got := readFile(t, fault, "/f"); got != "xy" {
		t.Fatalf("got %q", got)
	}
	if fault.Count(OpSync) != 3 || fault.Count(OpWrite) != 4 {
		t.Fatalf("counted %d syncs, %d writes", fault.Count(OpSync), fault.Count(OpWrite))
	}
	fault.SetHook(func(op Op, name string) error {
		if op == OpRemove && name == "/f" {
			return fmt.Errorf("hook: %w", boom)
		}
		return nil
	})
	if err := fault.Remove("/f"); !errors.Is(err, boom) {
		t.Fatalf("hook: %v", err)
	}
}

func TestFaultBudgetEndsInNoSpace(t *testing.T) {
	fault := NewFault(NewMem())
	fault.SetBudget(10)
	f, err := fault.Create("/f")
	must(t, err)
	must(t, f.Preallocate(0, 4))
	_, err = f.WriteAt([]byte("abcd"), 0) // overwriting is free
	must(t, err)
	n, err := f.WriteAt([]byte("0123456789"), 2)
	if n != 8 || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("wrote %d, %v", n, err)
	}
	if err := f.Preallocate(10, 1); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("preallocate: %v", err)
	}
	if got := readFile(t, fault, "/f"); got != "ab01234567" {
		t.Fatalf("got %q", got)
	}
	fault.Heal()
	_, err = f.WriteAt([]byte("xyz"), 8)
	must(t, err)
}
