package storage

import (
	"sync/atomic"
	"time"

	"minidb/storage/internal/cache"
	"minidb/storage/internal/manifest"
)

// counters are counted since Open.
type counters struct {
	l0Depth atomic.Int64

	commits, commitGroups       atomic.Int64
	walBytes, walSyncs          atomic.Int64
	flushes, flushBytes         atomic.Int64
	compactions, moves, dropped atomic.Int64
	compactRead, compactWritten atomic.Int64
	ingests, ingestBytes        atomic.Int64
	stallNanos                  atomic.Int64
}

func (c *counters) compacted(info JobInfo) {
	if info.Moved {
		c.moves.Add(1)
		return
	}
	c.compactions.Add(1)
	c.dropped.Add(info.Dropped)
	c.compactRead.Add(info.InputBytes)
	c.compactWritten.Add(info.OutputBytes)
}

// Metrics are counts since Open and sizes now.
type Metrics struct {
	Levels  [manifest.NumLevels]LevelMetrics
	L0Depth int // the most L0 files over one key

	Memtables     int // the one being written included
	MemtableBytes int64

	Commits, CommitGroups int64 // batches, and how often the log was written for them
	WALBytes, WALSyncs    int64
	WALFiles              int

	Flushes, FlushBytes                    int64
	Compactions, Moves                     int64
	CompactionRead, CompactionWritten      int64 // bytes
	DroppedEntries                         int64 // by the filter in compactions
	IngestedFiles, IngestedBytes           int64
	CacheHits, CacheMisses, CacheBytes     int64
	OpenTables                             int
	WriteStall                             time.Duration
	ObsoleteFiles, PendingIngests, Running int
}

// LevelMetrics are the sizes of one level.
type LevelMetrics struct {
	Files               int
	Bytes               int64
	Entries, Tombstones int64
}

// Metrics returns the present figures.
func (db *DB) Metrics() Metrics {
	c := &db.counters
	m := Metrics{
		L0Depth: int(c.l0Depth.Load()),
		Commits: c.commits.Load(), CommitGroups: c.commitGroups.Load(),
		WALBytes: c.walBytes.Load(), WALSyncs: c.walSyncs.Load(),
		Flushes: c.flushes.Load(), FlushBytes: c.flushBytes.Load(),
		Compactions: c.compactions.Load(), Moves: c.moves.Load(), DroppedEntries: c.dropped.Load(),
		CompactionRead: c.compactRead.Load(), CompactionWritten: c.compactWritten.Load(),
		IngestedFiles: c.ingests.Load(), IngestedBytes: c.ingestBytes.Load(),
		OpenTables: db.tables.Len(),
		WriteStall: time.Duration(c.stallNanos.Load()),
	}
	if db.blocks != nil {
		st := db.blocks.Stats()
		m.CacheHits, m.CacheMisses, m.CacheBytes = st.Hits, st.Misses, st.Bytes
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	m.WALFiles = len(db.logs)
	if db.wal != nil {
		m.WALFiles++
		m.WALSyncs += db.wal.Syncs()
	}
	m.ObsoleteFiles, m.PendingIngests, m.Running = len(db.obsolete), len(db.ingests), db.running
	for _, t := range db.state.memtables() {
		m.Memtables++
		m.MemtableBytes += t.Bytes()
	}
	for level, files := range db.state.version.Levels {
		l := &m.Levels[level]
		for _, f := range files {
			l.Files++
			l.Bytes += int64(f.Bytes)
			l.Entries += int64(f.Entries)
			l.Tombstones += int64(f.Tombstones)
		}
	}
	return m
}

// newBlocks returns the block cache that the options want, or nil.
func newBlocks(maxBytes int64) *cache.Blocks {
	if maxBytes < 0 {
		return nil
	}
	return cache.NewBlocks(maxBytes)
}
