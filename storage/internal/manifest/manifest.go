package manifest

import (
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"minidb/sstable"
	"minidb/storage/internal/wal"
	"minidb/storage/vfs"
)

// CurrentName is the file that names the manifest in use. It is replaced by a
// rename, so it is always whole.
const CurrentName = "CURRENT"

// Name returns the name of manifest num.
func Name(num uint64) string { return fmt.Sprintf("MANIFEST-%06d", num) }

// State is what a manifest says.
type State struct {
	Num uint64 // the manifest's own
	// Version has one reference, the caller's.
	Version          *Version
	MinLog, NextFile uint64
}

// Load reads the manifest that CURRENT names in dir. An error that is
// fs.ErrNotExist means that there is no CURRENT: a new store.
func Load(fsys vfs.FS, dir string) (*State, error) {
	num, err := readCurrent(fsys, path.Join(dir, CurrentName))
	if err != nil {
		return nil, err
	}
	name := path.Join(dir, Name(num))
	damaged := func(offset int64, err error) error {
		return &sstable.CorruptionError{File: name, Offset: offset, Reason: err.Error()}
	}
	log, err := wal.Open(fsys, name, num)
	if err != nil {
		// Not wrapped: a missing manifest is not a new store.
		return nil, keepCorruption(fmt.Errorf("manifest named by %s: %v", CurrentName, err), err)
	}
	if !log.Intact {
		return nil, damaged(0, fmt.Errorf("the manifest has no header"))
	}
	s := &State{Num: num}
	empty := true
	if _, err := log.Replay(-1, func(offset int64, data []byte) error {
		e, err := decodeEdit(data)
		if err != nil {
			return damaged(offset, err)
		}
		empty = false
		return s.apply(e, func(err error) error { return damaged(offset, err) })
	}); err != nil {
		return nil, err
	}
	if empty || s.MinLog == 0 || s.NextFile == 0 {
		return nil, damaged(0, fmt.Errorf("the manifest does not begin with a whole version"))
	}
	return s, nil
}

// keepCorruption returns the corruption in err, else plain.
func keepCorruption(plain, err error) error {
	if c, ok := err.(*sstable.CorruptionError); ok {
		return c
	}
	return plain
}

func (s *State) apply(e *Edit, damaged func(error) error) error {
	next, err := s.Version.Apply(e)
	if err != nil {
		return damaged(err)
	}
	if s.Version != nil {
		s.Version.Unref(func(*File) {})
	}
	s.Version = next
	s.MinLog = max(s.MinLog, e.MinLog)
	s.NextFile = max(s.NextFile, e.NextFile)
	return nil
}

// snapshot is the edit that makes the state of nothing.
func (s *State) snapshot() *Edit {
	e := &Edit{MinLog: s.MinLog, NextFile: s.NextFile}
	if s.Version == nil {
		return e
	}
	for level, files := range s.Version.Levels {
		for _, f := range files {
			e.Added = append(e.Added, Added{level, f})
		}
	}
	return e
}

// Log is the manifest that edits are appended to. It is for one goroutine at a
// time.
type Log struct {
	w *wal.Writer
	// base is the size after the first edit.
	base int64
}

// Create writes a manifest with number s.Num that begins with s, and makes it the
// current one. On an error the old one, if there was one, may or may not still be
// the current one.
func Create(fsys vfs.FS, dir string, s *State) (*Log, error) {
	w, err := wal.Create(fsys, path.Join(dir, Name(s.Num)), s.Num, wal.Options{AllocateBytes: 64 << 10})
	if err != nil {
		return nil, err
	}
	l := &Log{w: w}
	err = l.Append(s.snapshot())
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err == nil {
		err = writeCurrent(fsys, dir, s.Num)
	}
	if err != nil {
		w.Close(false)
		return nil, fmt.Errorf("create %s: %w", Name(s.Num), err)
	}
	l.base = w.Size()
	return l, nil
}

// Append makes the edit durable. On an error that is wal.ErrNotWritten the log is
// as before; after another one it must not be used any more, and whether the edit
// is in it is not known.
func (l *Log) Append(e *Edit) error {
	l.w.Add(appendEdit(nil, e))
	if err := l.w.Flush(); err != nil {
		return err
	}
	return l.w.Sync()
}

// Grown reports whether the log is so much longer than the version it began with
// that a new one should be begun.
func (l *Log) Grown() bool { return l.w.Size() > max(1<<20, 8*l.base) }

// Name returns the file's name.
func (l *Log) Name() string { return l.w.Name() }

// Close closes the file; final marks it as closed in good order.
func (l *Log) Close(final bool) error { return l.w.Close(final) }

// CURRENT is the manifest's name, a blank, the CRC-32C of the name in hex, and a
// line end.
func currentLine(name string) string {
	return fmt.Sprintf("%s %08x\n", name, crc32.Checksum([]byte(name), crc32.MakeTable(crc32.Castagnoli)))
}

func writeCurrent(fsys vfs.FS, dir string, num uint64) error {
	temp := path.Join(dir, CurrentName+".tmp")
	f, err := fsys.Create(temp)
	if err != nil {
		return err
	}
	if _, err = f.Write([]byte(currentLine(Name(num)))); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fsys.Rename(temp, path.Join(dir, CurrentName))
	}
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	return err
}

func readCurrent(fsys vfs.FS, name string) (num uint64, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	manifest, _, _ := strings.Cut(string(data), " ")
	if _, err := fmt.Sscanf(manifest, "MANIFEST-%d", &num); err != nil || string(data) != currentLine(Name(num)) {
		return 0, &sstable.CorruptionError{File: name, Reason: "it does not name a manifest"}
	}
	return num, nil
}
