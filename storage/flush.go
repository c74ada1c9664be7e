package storage

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"minidb/storage/internal/iterator"
	"minidb/storage/internal/manifest"
	"minidb/storage/internal/wal"
)

// Flush writes all memtables to files of level 0.
func (db *DB) Flush() error {
	if err := db.rotateNow(); err != nil {
		return err
	}
	return db.flushAll()
}

// rotateNow begins a new memtable, unless the present one is empty. Batches
// enqueued before are in the older ones then.
func (db *DB) rotateNow() error {
	return db.atBarrier(func() error {
		if err := db.writable(); err != nil {
			return err
		}
		if db.mem.Len() == 0 && !db.memHasWriters() {
			return nil
		}
		return db.rotate()
	})
}

// memHasWriters reports whether batches of the log are not in the memtable yet.
// The leader calls it.
func (db *DB) memHasWriters() bool {
	q := &db.commits
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.live {
		if p.done && p.mem == db.mem {
			return true
		}
	}
	return false
}

// flushAll flushes the memtables that are full.
func (db *DB) flushAll() error {
	db.flushMu.Lock()
	defer db.flushMu.Unlock()
	err := db.flushLocked()
	db.mu.Lock()
	db.flushErr = err
	db.cond.Broadcast()
	db.mu.Unlock()
	return err
}

// flushLocked writes the waiting memtables to level 0 in one edit. Requires: flushMu.
func (db *DB) flushLocked() error {
	db.mu.Lock()
	imms := db.state.imms
	db.mu.Unlock()
	if len(imms) == 0 {
		return nil
	}
	if err := db.writable(); err != nil {
		return err
	}
	info := JobInfo{Inputs: len(imms)}
	sources := make([]iterator.Iterator, len(imms))
	for i, m := range imms {
		m.writers.Wait()
		info.InputBytes += m.Bytes()
		sources[i] = m.NewIter(nil, nil)
	}
	it := iterator.NewMerge(sources...)
	files, dropped, err := db.writeTables(it, 0, db.o.TargetFileBytes, db.newOutside(imms, nil))
	if err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	err = db.change(func() *manifest.Edit {
		e := &manifest.Edit{MinLog: db.logAfterLocked(imms)}
		for _, f := range files {
			e.Added = append(e.Added, manifest.Added{Level: 0, File: f})
		}
		return e
	}, func(v *manifest.Version) {
		db.installLocked(db.state.mem, db.state.imms[len(imms):], v)
	})
	if err != nil {
		if errors.Is(err, ErrNotApplied) {
			db.removeTables(files)
		}
		return fmt.Errorf("flush: %w", err)
	}
	db.dropLogs()
	info.Outputs, info.Dropped = len(files), dropped
	for _, f := range files {
		info.OutputBytes += int64(f.Bytes)
	}
	db.counters.flushes.Add(1)
	db.counters.flushBytes.Add(info.OutputBytes)
	if db.o.Events.Flushed != nil {
		db.o.Events.Flushed(info)
	}
	return nil
}

// logAfterLocked returns the oldest log that is needed once flushed, the oldest
// memtables, are in files. Requires: mu.
func (db *DB) logAfterLocked(flushed []*table) uint64 {
	if rest := db.state.imms[len(flushed):]; len(rest) > 0 {
		return rest[0].logNum
	}
	return db.state.mem.logNum
}

func (db *DB) removeTables(files []*manifest.File) {
	for _, f := range files {
		db.removeFile(db.tableName(f.Num))
	}
}

// change makes an edit durable and installs the version that follows. plan is
// called with mu held and returns the edit; install is called with mu held and
// takes over the version's reference. An error that is ErrNotApplied leaves
// everything as it was; after another one the DB is read-only and the edit may
// come into force at the next Open.
func (db *DB) change(plan func() *manifest.Edit, install func(*manifest.Version)) error {
	db.manifestMu.Lock()
	defer db.manifestMu.Unlock()
	if e := db.fatal.Load(); e != nil {
		return notApplied(e)
	}
	db.mu.Lock()
	e := plan()
	base := db.state.version
	db.mu.Unlock()
	if e.Empty() {
		return nil
	}
	e.NextFile = db.nextFile.Load()
	// Only a holder of manifestMu replaces the version, so base stays.
	next, err := base.Apply(e)
	if err != nil {
		return notApplied(fmt.Errorf("storage: %w", err))
	}
	if err := db.manifest.Append(e); err != nil {
		next.Unref(func(*manifest.File) {}) // the caller knows what it added
		if !errors.Is(err, wal.ErrNotWritten) {
			return db.fail(db.manifest.Name(), err)
		}
		if errors.Is(err, syscall.ENOSPC) {
			return notApplied(fmt.Errorf("storage: no space for the manifest: %w", err))
		}
		return notApplied(db.fail(db.manifest.Name(), err))
	}
	if e.MinLog != 0 {
		db.minLog = e.MinLog
	}
	db.mu.Lock()
	install(next)
	db.mu.Unlock()
	if db.manifest.Grown() {
		return db.renewManifest(next)
	}
	return nil
}

// installVersionLocked makes the version current with the memtables as they are.
func (db *DB) installVersionLocked(v *manifest.Version) {
	db.installLocked(db.state.mem, db.state.imms, v)
}

// renewManifest begins a new manifest with the version. Requires: manifestMu. Its
// failure leaves open which manifest is current, but both say the same.
func (db *DB) renewManifest(v *manifest.Version) error {
	num := db.nextFile.Add(1) - 1
	s := &manifest.State{Num: num, Version: v, MinLog: db.minLog, NextFile: db.nextFile.Load()}
	next, err := manifest.Create(db.fs, db.dir, s)
	if err != nil {
		_ = db.fail(manifest.Name(num), err)
		return nil // the edit itself is durable
	}
	old := db.manifest
	db.manifest = next
	if err := old.Close(false); err != nil {
		db.o.Logger.Warn("close a manifest", "file", old.Name(), "error", err)
	}
	db.removeFile(old.Name())
	return nil
}

// maxRecycled is how many files of old logs are kept: one to follow each log in use.
const maxRecycled = 2

// dropLogs recycles or deletes the logs that are obsolete.
func (db *DB) dropLogs() {
	db.manifestMu.Lock()
	minLog := db.minLog
	db.manifestMu.Unlock()
	var gone []string
	db.mu.Lock()
	for len(db.logs) > 0 && db.logs[0].num < minLog {
		l := db.logs[0]
		db.logs = db.logs[1:]
		if len(db.recycled) < maxRecycled && l.size <= 2*db.o.MemtableBytes {
			db.recycled = append(db.recycled, l.name)
		} else {
			gone = append(gone, l.name)
		}
	}
	db.mu.Unlock()
	for _, name := range gone {
		db.removeFile(name)
	}
}

// retryDelay is the pause after background work failed.
const retryDelay = 500 * time.Millisecond

// flushLoop flushes memtables as they fill up.
func (db *DB) flushLoop() {
	defer db.workers.Done()
	for {
		db.mu.Lock()
		for len(db.state.imms) == 0 && !db.isClosing() {
			db.cond.Wait()
		}
		db.mu.Unlock()
		if db.isClosing() || db.fatal.Load() != nil {
			return
		}
		if err := db.flushAll(); err != nil && !errors.Is(err, errClosing) {
			db.o.Logger.Error("flush failed", "error", err)
			db.backgroundError(err)
			db.pause(func() bool { return db.flushErr != nil })
		}
	}
}

// pause waits for retryDelay, or until Close, or until somebody else's success
// shows that the failure is over. failing is called with mu held.
func (db *DB) pause(failing func() bool) {
	for end := time.Now().Add(retryDelay); time.Now().Before(end); {
		db.mu.Lock()
		over := !failing()
		db.mu.Unlock()
		if over {
			return
		}
		select {
		case <-db.closing:
			return
		case <-time.After(retryDelay / 25):
		}
	}
}
