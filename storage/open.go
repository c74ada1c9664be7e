package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"syscall"

	"minidb/sstable"
	"minidb/storage/internal/cache"
	"minidb/storage/internal/manifest"
	"minidb/storage/internal/memtable"
	"minidb/storage/internal/wal"
	"minidb/storage/vfs"
)

// Open opens the engine in dir, which is made if it is not there, and recovers
// what was acknowledged. vfs.ErrLocked if the directory is in use;
// *sstable.CorruptionError if its files are damaged. If there is no space to
// begin a new log the DB opens read-only (ErrReadOnly).
func Open(dir string, o Options) (_ *DB, err error) {
	o = o.withDefaults()
	db := &DB{
		dir: dir, fs: o.FS, o: o,
		closing:  make(chan struct{}),
		kickSync: make(chan struct{}, 1),
		claims:   map[*claim]bool{},
		ingests:  map[*pendingIngest]bool{},
		blocks:   newBlocks(o.CacheBytes),
	}
	db.cond = sync.NewCond(&db.mu)
	db.tables = cache.NewTables(o.MaxOpenTables, func(num uint64) (*sstable.Reader, error) {
		return db.openTable(db.tableName(num), num, db.blocks)
	})
	if err := makeDir(o.FS, dir); err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	if db.lock, err = o.FS.Lock(path.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			db.abandon()
		}
	}()
	if err := db.recover(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	db.startWorkers()
	return db, nil
}

// abandon releases what an Open that failed took.
func (db *DB) abandon() {
	if db.wal != nil {
		db.wal.Close(false)
	}
	if db.manifest != nil {
		db.manifest.Close(false)
	}
	db.lock.Close()
}

// makeDir makes dir and the parents it lacks, durably.
func makeDir(fsys vfs.FS, dir string) error {
	var parents []string
	for d := path.Clean(dir); ; d = path.Dir(d) {
		_, err := fsys.Stat(d)
		if err == nil || d == path.Dir(d) {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		parents = append(parents, path.Dir(d))
	}
	if len(parents) == 0 {
		return nil
	}
	if err := fsys.MkdirAll(dir); err != nil {
		return err
	}
	for _, p := range parents {
		if err := fsys.SyncDir(p); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) startWorkers() {
	if db.fatal.Load() == nil {
		db.workers.Add(2)
		go db.syncLoop()
		go db.flushLoop()
		for range db.o.Workers {
			db.workers.Add(1)
			go db.compactLoop()
		}
	}
	db.workers.Add(1)
	go db.cleanLoop()
}

// openTable opens the sstable name; errors name it.
func (db *DB) openTable(name string, num uint64, blocks *cache.Blocks) (*sstable.Reader, error) {
	f, err := db.fs.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	if err != nil {
		f.Close()
		return nil, err
	}
	o := sstable.ReaderOptions{FileNum: num, FileName: name}
	if blocks != nil {
		o.Cache = blocks
	}
	r, err := sstable.OpenReader(f, size, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// recover reads the manifest and the logs and begins new ones.
func (db *DB) recover() error {
	if err := db.emptyStaging(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	state, err := manifest.Load(db.fs, db.dir)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		version, _ := (*manifest.Version)(nil).Apply(&manifest.Edit{})
		state, err = &manifest.State{Version: version, MinLog: 1, NextFile: 1}, nil
	}
	if err != nil {
		return err
	}
	found, err := db.scanDir(state, fresh)
	if err != nil {
		return err
	}
	imms, last, err := db.replayLogs(found.logs, state.MinLog, fresh)
	if err != nil {
		return err
	}
	if fresh && len(imms) > 0 {
		return &sstable.CorruptionError{File: path.Join(db.dir, manifest.CurrentName), Reason: "it is missing, but there are logs with data"}
	}
	for _, name := range found.junk {
		db.removeFile(name)
	}
	db.recycled = found.oldLogs
	return db.begin(state, imms, last)
}

// emptyStaging makes the staging directory and removes what is in it.
func (db *DB) emptyStaging() error {
	names, err := db.fs.List(db.StagingDir())
	if errors.Is(err, fs.ErrNotExist) {
		return db.fs.MkdirAll(db.StagingDir())
	}
	for _, name := range names {
		if err := db.fs.RemoveAll(path.Join(db.StagingDir(), name)); err != nil {
			return err
		}
	}
	return err
}

// dirFiles is what lies in the store's directory.
type dirFiles struct {
	logs    []uint64 // those to replay, ascending
	oldLogs []string // obsolete ones
	junk    []string // what a crash left behind
}

// scanDir sorts the directory's files, and checks that the tables of the version
// are there in their full size.
func (db *DB) scanDir(s *manifest.State, fresh bool) (found dirFiles, err error) {
	names, err := db.fs.List(db.dir)
	if err != nil {
		return found, err
	}
	tables := map[uint64]*manifest.File{}
	for _, files := range s.Version.Levels {
		for _, f := range files {
			tables[f.Num] = f
		}
	}
	top := s.NextFile
	for _, name := range names {
		full := path.Join(db.dir, name)
		kind, num := parseName(name)
		switch {
		case kind == tableFile && fresh:
			return found, &sstable.CorruptionError{File: path.Join(db.dir, manifest.CurrentName), Reason: "it is missing, but there are sstables"}
		case kind == tableFile && tables[num] != nil:
			info, err := db.fs.Stat(full)
			if err != nil {
				return found, err
			}
			if uint64(info.Size) != tables[num].Bytes {
				return found, &sstable.CorruptionError{
					File: full, Offset: info.Size,
					Reason: fmt.Sprintf("the file has %d bytes, the manifest says %d", info.Size, tables[num].Bytes),
				}
			}
			delete(tables, num)
		case kind == logFile && num >= s.MinLog:
			found.logs = append(found.logs, num)
		case kind == logFile && len(found.oldLogs) < maxRecycled:
			found.oldLogs = append(found.oldLogs, full)
		case kind == manifestFile && num == s.Num && !fresh, kind == otherFile:
		default:
			found.junk = append(found.junk, full)
		}
		if kind == tableFile || kind == manifestFile {
			top = max(top, num+1)
		}
	}
	for num := range tables {
		return found, &sstable.CorruptionError{File: db.tableName(num), Reason: "the file is missing"}
	}
	// Numbers of files that a crash left behind are not used again.
	db.nextFile.Store(top)
	return found, nil
}

// lastLog is the log that was written last.
type lastLog struct {
	num uint64
	end int64
}

// replayLogs puts the facts of the logs from minLog on into memtables, one for
// each log that has any, and makes the logs durable as far as they were read.
func (db *DB) replayLogs(nums []uint64, minLog uint64, fresh bool) (imms []*table, last lastLog, err error) {
	last = lastLog{num: minLog - 1}
	if len(nums) == 0 {
		if !fresh {
			return nil, last, &sstable.CorruptionError{File: db.logName(minLog), Reason: "the log is missing"}
		}
		return nil, last, nil
	}
	logs := make([]*wal.Log, len(nums))
	for i, num := range nums {
		if num != minLog+uint64(i) {
			return nil, last, &sstable.CorruptionError{
				File:   db.logName(minLog + uint64(i)),
				Reason: fmt.Sprintf("the log is missing between logs %d and %d", minLog, nums[len(nums)-1]),
			}
		}
		if logs[i], err = wal.Open(db.fs, db.logName(num), num); err != nil {
			return nil, last, err
		}
	}
	for i, log := range logs {
		limit := int64(-1)
		if i+1 < len(logs) && logs[i+1].Intact {
			limit = logs[i+1].PrevEnd
		}
		mem := &table{Memtable: memtable.New(), logNum: nums[i]}
		end, err := log.Replay(limit, func(offset int64, data []byte) error {
			if !checkEntries(data) {
				return &sstable.CorruptionError{File: db.logName(nums[i]), Offset: offset, Reason: "malformed batch"}
			}
			for key, value := range allEntries(data) {
				mem.Insert(key, value)
			}
			return nil
		})
		if err != nil {
			return nil, last, err
		}
		if mem.Len() > 0 {
			imms = append(imms, mem)
		}
		last = lastLog{nums[i], end}
	}
	return imms, last, db.syncLogs(nums)
}

// syncLogs makes the logs durable: readers are about to see facts that may lie in
// the page cache only, and later ones must not survive a power cut without them.
func (db *DB) syncLogs(nums []uint64) error {
	for _, num := range nums {
		f, err := db.fs.OpenReadWrite(db.logName(num))
		if err != nil {
			return err
		}
		err = f.Sync()
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin makes the next log and a new manifest, and installs the first state.
func (db *DB) begin(s *manifest.State, imms []*table, last lastLog) error {
	db.mem = &table{Memtable: memtable.New(), logNum: last.num + 1}
	db.mu.Lock()
	s.Version.Ref() // one for the state, one for the new manifest's making
	db.installLocked(db.mem, imms, s.Version)
	db.mu.Unlock()
	defer s.Version.Unref(func(*manifest.File) {})
	s.MinLog = db.mem.logNum
	if len(imms) > 0 {
		s.MinLog = imms[0].logNum
	}
	db.noteOldLogs(s.MinLog, last)
	var err error
	db.wal, err = db.createLog(last.num+1, last.end)
	if err == nil {
		s.Num = db.nextFile.Add(1) - 1
		s.NextFile = db.nextFile.Load()
		db.minLog = s.MinLog
		db.manifest, err = manifest.Create(db.fs, db.dir, s)
	}
	if errors.Is(err, syscall.ENOSPC) {
		_ = db.fail(db.dir, err)
		return nil
	}
	if err != nil {
		return err
	}
	return db.dropManifests()
}

// noteOldLogs remembers the logs that the recovered memtables still need, and
// those they do not.
func (db *DB) noteOldLogs(minLog uint64, last lastLog) {
	for num := minLog; num <= last.num; num++ {
		size := last.end
		if info, err := db.fs.Stat(db.logName(num)); err == nil {
			size = info.Size
		}
		db.logs = append(db.logs, oldLog{num, db.logName(num), size})
	}
}

// dropManifests removes all manifests but the current one, and the logs before
// the first one that is needed.
func (db *DB) dropManifests() error {
	names, err := db.fs.List(db.dir)
	if err != nil {
		return err
	}
	recycled := map[string]bool{}
	for _, name := range db.recycled {
		recycled[name] = true
	}
	for _, name := range names {
		full := path.Join(db.dir, name)
		switch kind, num := parseName(name); {
		case kind == manifestFile && full != db.manifest.Name(),
			kind == logFile && num < db.minLog && !recycled[full]:
			db.removeFile(full)
		}
	}
	return nil
}

// Close waits for background work, makes everything committed durable and closes
// the files. Requires: no other call is running, and iterators are closed.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return ErrClosed
	}
	close(db.closing)
	db.mu.Lock()
	db.cond.Broadcast()
	db.mu.Unlock()
	db.workers.Wait()
	var errs []error
	healthy := db.fatal.Load() == nil
	if db.wal != nil {
		errs = append(errs, db.wal.Close(healthy && !db.mustRotate))
	}
	if db.manifest != nil {
		errs = append(errs, db.manifest.Close(healthy))
	}
	if !healthy {
		errs = nil // the error that made it read-only was reported
	}
	if n := db.state.refs.Load(); n != 1 {
		errs = append(errs, fmt.Errorf("storage: closed with %d iterators open", n-1))
	}
	errs = append(errs, db.tables.Close(), db.lock.Close())
	return errors.Join(errs...)
}

// cleanLoop deletes obsolete files.
func (db *DB) cleanLoop() {
	defer db.workers.Done()
	for {
		db.mu.Lock()
		for len(db.obsolete) == 0 && !db.isClosing() {
			db.cond.Wait()
		}
		files := db.obsolete
		db.obsolete = nil
		db.mu.Unlock()
		if len(files) == 0 {
			return
		}
		for _, f := range files {
			db.tables.Forget(f.Num)
			db.removeFile(db.tableName(f.Num))
		}
	}
}

// VerifyChecksums reads every sstable of the store. The first damage is returned
// as *sstable.CorruptionError.
func (db *DB) VerifyChecksums() error {
	if db.closed.Load() {
		return ErrClosed
	}
	s := db.acquire()
	defer db.release(s)
	for _, files := range s.version.Levels {
		for _, f := range files {
			t, err := db.tables.Get(f.Num)
			if err != nil {
				return err
			}
			err = t.VerifyChecksums()
			t.Release()
			if err != nil {
				return err
			}
		}
	}
	return nil
}
