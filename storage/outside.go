package storage

import (
	"bytes"

	"minidb/storage/internal/manifest"
)

// outside answers for one flush or compaction what lies outside its inputs.
//
// Facts move from the commit queue to a memtable, from there to a file, from a
// file to others, and from a pending ingest to a file. It looks in that order, at
// the present state each time, so that what moves meanwhile is met at least once.
type outside struct {
	db     *DB
	mems   map[*table]bool
	files  map[uint64]bool
	oldest []byte
}

func (db *DB) newOutside(mems []*table, files []*manifest.File) *outside {
	o := &outside{db: db, mems: map[*table]bool{}, files: map[uint64]bool{}}
	for _, m := range mems {
		o.mems[m] = true
	}
	for _, f := range files {
		o.files[f.Num] = true
	}
	return o
}

// OldestSuffix implements Outside.
func (o *outside) OldestSuffix(prefix []byte) ([]byte, bool) {
	o.oldest = o.oldest[:0]
	o.db.commits.oldest(o.note)
	o.db.notePendingIngests(prefix, o.note)
	s := o.db.acquire()
	defer o.db.release(s)
	for _, m := range s.memtables() {
		if !o.mems[m] {
			o.noteMemtable(m, prefix)
		}
	}
	for level := range s.version.Levels {
		o.noteLevel(s.version, level, prefix)
	}
	return o.oldest, len(o.oldest) > 0
}

func (o *outside) note(suffix []byte) {
	if len(o.oldest) == 0 || bytes.Compare(suffix, o.oldest) > 0 {
		o.oldest = append(o.oldest[:0], suffix...)
	}
}

func (o *outside) noteMemtable(m *table, prefix []byte) {
	last := append(append(make([]byte, 0, len(prefix)+SuffixLen+1), prefix...), maxSuffix...)
	it := m.NewIter(nil, nil)
	if it.SeekLT(append(last, 0)) && bytes.Equal(it.Key()[:Split(it.Key())], prefix) {
		o.note(it.Key()[Split(it.Key()):])
	}
}

func (o *outside) noteLevel(v *manifest.Version, level int, prefix []byte) {
	files := v.Levels[level]
	if level > 0 {
		f := v.Find(level, prefix)
		if f == nil {
			return
		}
		files = []*manifest.File{f}
	}
	for _, f := range files {
		if !o.files[f.Num] && f.Span().Contains(prefix) && o.mayContain(f, prefix) {
			o.note(f.MaxSuffix)
		}
	}
}

// mayContain asks the file's filter; a file that cannot be read may contain all.
func (o *outside) mayContain(f *manifest.File, prefix []byte) bool {
	if len(o.oldest) > 0 && bytes.Compare(f.MaxSuffix, o.oldest) <= 0 {
		return false // it would not change the answer
	}
	t, err := o.db.tables.Get(f.Num)
	if err != nil {
		return true
	}
	defer t.Release()
	may, err := t.MayContain(prefix)
	return may || err != nil
}
