package storage

import (
	"errors"
	"fmt"

	"minidb/sstable"
	"minidb/storage/internal/compact"
	"minidb/storage/internal/iterator"
	"minidb/storage/internal/manifest"
)

// claim says that something is being put into a level within a span.
type claim struct {
	level int
	span  manifest.Span
}

// busyLocked implements compact.Busy. Requires: mu.
func (db *DB) busyLocked(level int, span manifest.Span) bool {
	for c := range db.claims {
		if c.level == level && level > 0 && c.span.Overlaps(span) {
			return true
		}
	}
	return false
}

func (db *DB) pickOptions() compact.Options {
	return compact.Options{
		BaseBytes:     uint64(db.o.BaseLevelBytes),
		L0Depth:       db.o.L0CompactDepth,
		MaxInputBytes: uint64(32 * db.o.TargetFileBytes),
	}
}

// startLocked marks the job's files and its output. Requires: mu.
func (db *DB) startLocked(j *compact.Job) *claim {
	for _, f := range j.Files() {
		f.Compacting = true
	}
	c := &claim{j.Output, j.Span}
	db.claims[c] = true
	db.running++
	return c
}

func (db *DB) end(j *compact.Job, c *claim) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, f := range j.Files() {
		f.Compacting = false
	}
	delete(db.claims, c)
	db.running--
	db.cond.Broadcast()
}

// compactLoop runs compactions while there are any to run.
func (db *DB) compactLoop() {
	defer db.workers.Done()
	for {
		db.mu.Lock()
		var j *compact.Job
		for j == nil && !db.isClosing() {
			if !db.o.DisableAutoCompactions {
				j = compact.Pick(db.state.version, db.pickOptions(), db.busyLocked)
			}
			if j == nil {
				db.cond.Wait()
			}
		}
		if db.isClosing() || db.fatal.Load() != nil {
			db.mu.Unlock()
			return
		}
		c := db.startLocked(j)
		db.mu.Unlock()
		err := db.compact(j)
		db.end(j, c)
		db.setBackoff(err != nil)
		if err != nil && !errors.Is(err, errClosing) {
			db.o.Logger.Error("compaction failed", "error", err)
			db.backgroundError(err)
			db.pause(func() bool { return db.backoff })
		}
	}
}

// setBackoff tells writers whether it makes sense to wait for compactions.
func (db *DB) setBackoff(failing bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.backoff = failing
	db.cond.Broadcast()
}

// compact does the job, which is marked as started.
func (db *DB) compact(j *compact.Job) error {
	if err := db.writable(); err != nil {
		return err
	}
	inputs := j.Files()
	info := JobInfo{Inputs: len(inputs), OutputLevel: j.Output}
	for _, f := range inputs {
		info.InputBytes += int64(f.Bytes)
	}
	outputs := inputs
	if info.Moved = j.Moves() && j.Score > 0; !info.Moved {
		var err error
		if outputs, info.Dropped, err = db.mergeFiles(j, inputs); err != nil {
			return fmt.Errorf("compact to level %d: %w", j.Output, err)
		}
	}
	edit := &manifest.Edit{}
	for level, files := range j.Inputs {
		for _, f := range files {
			edit.Removed = append(edit.Removed, manifest.Removed{Level: level, Num: f.Num})
		}
	}
	for _, f := range outputs {
		edit.Added = append(edit.Added, manifest.Added{Level: j.Output, File: f})
		info.OutputBytes += int64(f.Bytes)
	}
	info.Outputs = len(outputs)
	err := db.change(func() *manifest.Edit { return edit }, db.installVersionLocked)
	if err != nil {
		if errors.Is(err, ErrNotApplied) && !info.Moved {
			db.removeTables(outputs)
		}
		return fmt.Errorf("compact to level %d: %w", j.Output, err)
	}
	db.counters.compacted(info)
	if db.o.Events.Compacted != nil {
		db.o.Events.Compacted(info)
	}
	return nil
}

// mergeFiles writes what the filter keeps of the job's inputs to new files.
func (db *DB) mergeFiles(j *compact.Job, inputs []*manifest.File) ([]*manifest.File, int64, error) {
	var sources []iterator.Iterator
	for _, f := range j.Inputs[0] {
		sources = append(sources, db.scanFiles([]*manifest.File{f}))
	}
	for _, files := range j.Inputs[1:] {
		if len(files) > 0 {
			sources = append(sources, db.scanFiles(files))
		}
	}
	it := iterator.NewMerge(sources...)
	files, dropped, err := db.writeTables(it, j.Output, db.o.TargetFileBytes, db.newOutside(nil, inputs))
	if cerr := it.Close(); err == nil && cerr != nil {
		db.removeTables(files)
		err = cerr
	}
	return files, dropped, err
}

func (db *DB) scanFiles(files []*manifest.File) iterator.Iterator {
	return iterator.NewLevel(&levelFiles{db: db, files: files, o: sstable.IterOptions{NoCacheFill: true}})
}

// Compact flushes and then merges all files that overlap [lower, upper) into the
// lowest level, running the filter over them. nil means no bound.
func (db *DB) Compact(lower, upper []byte) error {
	if err := db.Flush(); err != nil {
		return err
	}
	db.mu.Lock()
	var j *compact.Job
	for {
		span, ok := db.spanLocked(lower, upper)
		if !ok {
			db.mu.Unlock()
			return nil
		}
		if j, ok = compact.All(db.state.version, span, db.busyLocked); ok {
			break
		}
		if db.isClosing() || db.fatal.Load() != nil {
			db.mu.Unlock()
			return db.writable()
		}
		db.cond.Wait()
	}
	if j == nil {
		db.mu.Unlock()
		return nil
	}
	c := db.startLocked(j)
	db.mu.Unlock()
	defer db.end(j, c)
	return db.compact(j)
}

// spanLocked returns the span of the files that overlap [lower, upper). Requires: mu.
func (db *DB) spanLocked(lower, upper []byte) (span manifest.Span, ok bool) {
	for _, files := range db.state.version.Levels {
		for _, f := range files {
			if !overlapsBounds(f, lower, upper) {
				continue
			}
			if !ok {
				span, ok = f.Span(), true
			}
			span = span.Union(f.Span())
		}
	}
	return span, ok
}
