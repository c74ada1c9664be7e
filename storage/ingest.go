package storage

import (
	"bytes"
	"errors"
	"fmt"

	"minidb/sstable"
	"minidb/storage/internal/compact"
	"minidb/storage/internal/manifest"
)

// pendingIngest is a file that is about to become part of the store.
type pendingIngest struct {
	span   manifest.Span
	oldest []byte
}

// notePendingIngests calls note with the oldest suffix of each pending file whose
// span holds prefix.
func (db *DB) notePendingIngests(prefix []byte, note func(suffix []byte)) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for p := range db.ingests {
		if p.span.Contains(prefix) {
			note(p.oldest)
		}
	}
}

// Ingest makes the sstables at paths part of the store, all or none, by one edit
// of the manifest. They must be synced, carry their final suffixes, and lie in the
// file system of the DB's directory; they are linked and remain for the caller to
// delete. Everything committed before is durable when it returns.
//
// On an error that is ErrNotApplied nothing was added; after another one the DB is
// read-only and the next Open tells.
func (db *DB) Ingest(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if err := db.writable(); err != nil {
		return err
	}
	var files []*manifest.File
	for _, p := range paths {
		f, err := db.checkIngest(p)
		if err != nil {
			return notApplied(fmt.Errorf("ingest %s: %w", p, err))
		}
		files = append(files, f)
	}
	release := db.announce(files)
	defer release()
	if err := db.linkTables(paths, files); err != nil {
		return notApplied(fmt.Errorf("ingest: %w", err))
	}
	info := JobInfo{Inputs: len(files), Outputs: len(files)}
	for _, f := range files {
		info.InputBytes += int64(f.Bytes)
	}
	info.OutputBytes = info.InputBytes
	// What was acknowledged before must not be lost by a crash that the ingest
	// survives.
	err := db.atBarrier(db.syncLog)
	if err == nil {
		var claims []*claim
		err = db.change(func() *manifest.Edit {
			var e *manifest.Edit
			e, claims = db.placeLocked(files)
			return e
		}, db.installVersionLocked)
		db.unclaim(claims)
	}
	if err != nil {
		if errors.Is(err, ErrNotApplied) {
			db.removeTables(files)
		}
		return fmt.Errorf("ingest: %w", err)
	}
	db.counters.ingests.Add(int64(len(files)))
	db.counters.ingestBytes.Add(info.InputBytes)
	if db.o.Events.Ingested != nil {
		db.o.Events.Ingested(info)
	}
	return nil
}

// syncLog makes everything in the log durable. The leader calls it.
func (db *DB) syncLog() error {
	if err := db.writable(); err != nil {
		return err
	}
	if err := db.wal.Sync(); err != nil {
		return notApplied(db.fail(db.wal.Name(), err))
	}
	return nil
}

// checkIngest reads what the file says of itself, checks that its ends are where
// it says, and gives it a number.
func (db *DB) checkIngest(name string) (*manifest.File, error) {
	r, err := db.openTable(name, 0, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	props := r.Properties()
	if props.NumEntries == 0 {
		return nil, errors.New("the file is empty")
	}
	if len(props.Smallest) <= SuffixLen {
		return nil, fmt.Errorf("key %x has no prefix before its suffix", props.Smallest)
	}
	it, err := r.NewIter(sstable.IterOptions{})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	if !it.First() || !bytes.Equal(it.Key(), props.Smallest) || !it.Last() || !bytes.Equal(it.Key(), props.Largest) {
		if err := it.Err(); err != nil {
			return nil, err
		}
		return nil, &sstable.CorruptionError{File: name, Reason: "its keys are not those its properties tell"}
	}
	return manifest.NewFile(db.nextFile.Add(1)-1, props), nil
}

// announce lets compactions know of files that are on their way.
func (db *DB) announce(files []*manifest.File) (release func()) {
	db.mu.Lock()
	defer db.mu.Unlock()
	var pending []*pendingIngest
	for _, f := range files {
		p := &pendingIngest{f.Span(), f.MaxSuffix}
		pending = append(pending, p)
		db.ingests[p] = true
	}
	return func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		for _, p := range pending {
			delete(db.ingests, p)
		}
	}
}

// linkTables gives the files durable names of the store's; on an error it removes
// those it made.
func (db *DB) linkTables(paths []string, files []*manifest.File) error {
	for i, f := range files {
		if err := db.fs.Link(paths[i], db.tableName(f.Num)); err != nil {
			db.removeTables(files[:i])
			return err
		}
	}
	if err := db.fs.SyncDir(db.dir); err != nil {
		db.removeTables(files)
		return err
	}
	return nil
}

// placeLocked puts each file into the lowest level that nothing overlaps at or
// above, those of the same ingest and the outputs of running compactions included.
// The places are claimed, so that no compaction that starts before the edit is
// installed puts something there. Requires: mu and manifestMu.
func (db *DB) placeLocked(files []*manifest.File) (*manifest.Edit, []*claim) {
	e := &manifest.Edit{}
	var claims []*claim
	for _, f := range files {
		c := &claim{span: f.Span()}
		c.level = compact.IngestLevel(db.state.version, c.span, db.busyLocked)
		db.claims[c] = true
		claims = append(claims, c)
		e.Added = append(e.Added, manifest.Added{Level: c.level, File: f})
	}
	return e, claims
}

func (db *DB) unclaim(claims []*claim) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range claims {
		delete(db.claims, c)
	}
	db.cond.Broadcast()
}

// DeleteFilesInSpan removes the files whose keys all lie in [start, end), except
// those that a compaction is reading. Facts of the span in memtables or in files
// that reach beyond it remain.
func (db *DB) DeleteFilesInSpan(start, end []byte) error {
	if err := db.writable(); err != nil {
		return err
	}
	var removed []*manifest.File
	err := db.change(func() *manifest.Edit {
		e := &manifest.Edit{}
		for level, files := range db.state.version.Levels {
			for _, f := range files {
				if f.Compacting || bytes.Compare(f.Smallest, start) < 0 || bytes.Compare(f.Largest, end) >= 0 {
					continue
				}
				f.Compacting = true // no job may take it from here on
				removed = append(removed, f)
				e.Removed = append(e.Removed, manifest.Removed{Level: level, Num: f.Num})
			}
		}
		return e
	}, db.installVersionLocked)
	if err != nil {
		db.mu.Lock()
		defer db.mu.Unlock()
		for _, f := range removed {
			f.Compacting = false
		}
		return fmt.Errorf("delete files: %w", err)
	}
	return nil
}
