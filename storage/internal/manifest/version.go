// Package manifest knows which files make up the store: a Version is the set of
// sstables by level, an Edit is one atomic change of it, and the manifest is the
// log of edits since a first one that names all files.
//
// It knows nothing of what is in the files beyond the properties it keeps of
// them, and opens none but its own. The format is in docs/formats/manifest.md.
package manifest

import (
	"bytes"
	"fmt"
	"sort"
	"sync/atomic"

	"minidb/sstable"
)

// NumLevels is the number of levels. The files of level 0 may overlap; those of
// another level are sorted and share no prefix.
const NumLevels = 7

// File is one sstable. All but the marked fields are immutable.
type File struct {
	Num, Bytes          uint64
	Entries, Tombstones uint64
	// Smallest and Largest are the first and last key.
	Smallest, Largest []byte
	// MinSuffix and MaxSuffix are the bytewise extremes of the suffixes.
	MinSuffix, MaxSuffix []byte

	// Compacting is set while a job has the file as an input; the DB's mutex guards it.
	Compacting bool
	refs       atomic.Int32
}

// NewFile describes the finished table num by its properties.
func NewFile(num uint64, p *sstable.Properties) *File {
	return &File{
		Num: num, Bytes: p.FileBytes, Entries: p.NumEntries, Tombstones: p.NumTombstones,
		Smallest: bytes.Clone(p.Smallest), Largest: bytes.Clone(p.Largest),
		MinSuffix: bytes.Clone(p.MinSuffix), MaxSuffix: bytes.Clone(p.MaxSuffix),
	}
}

// Span returns the prefixes of the first and the last key.
func (f *File) Span() Span { return Span{prefix(f.Smallest), prefix(f.Largest)} }

func prefix(key []byte) []byte { return key[:sstable.Split(key)] }

// Span is an interval of prefixes, both ends inclusive.
type Span struct{ First, Last []byte }

// Overlaps reports whether the spans share a prefix.
func (s Span) Overlaps(o Span) bool {
	return bytes.Compare(s.First, o.Last) <= 0 && bytes.Compare(o.First, s.Last) <= 0
}

// Contains reports whether prefix lies in the span.
func (s Span) Contains(prefix []byte) bool {
	return bytes.Compare(s.First, prefix) <= 0 && bytes.Compare(prefix, s.Last) <= 0
}

// Union returns the smallest span that holds both.
func (s Span) Union(o Span) Span {
	if bytes.Compare(o.First, s.First) < 0 {
		s.First = o.First
	}
	if bytes.Compare(o.Last, s.Last) > 0 {
		s.Last = o.Last
	}
	return s
}

// SpanOf returns the span of all the files. Requires: there is one.
func SpanOf(files []*File) Span {
	span := files[0].Span()
	for _, f := range files[1:] {
		span = span.Union(f.Span())
	}
	return span
}

// Version is a set of files, immutable. Each version that is in use holds its
// files; a file that no version holds is obsolete.
type Version struct {
	Levels [NumLevels][]*File
	refs   atomic.Int32
}

// Ref takes a reference.
func (v *Version) Ref() { v.refs.Add(1) }

// Unref gives a reference back. With the last one the files that no other version
// holds are handed to obsolete.
func (v *Version) Unref(obsolete func(*File)) {
	if v.refs.Add(-1) > 0 {
		return
	}
	for _, files := range v.Levels {
		for _, f := range files {
			if f.refs.Add(-1) == 0 {
				obsolete(f)
			}
		}
	}
}

// Overlapping returns the files of the level that share a prefix with span, in
// the level's order.
func (v *Version) Overlapping(level int, span Span) []*File {
	files := v.Levels[level]
	if level == 0 {
		var found []*File
		for _, f := range files {
			if f.Span().Overlaps(span) {
				found = append(found, f)
			}
		}
		return found
	}
	from := sort.Search(len(files), func(i int) bool {
		return bytes.Compare(prefix(files[i].Largest), span.First) >= 0
	})
	to := from
	for to < len(files) && bytes.Compare(prefix(files[to].Smallest), span.Last) <= 0 {
		to++
	}
	return files[from:to]
}

// Find returns the file of a level other than 0 that may hold prefix, or nil.
func (v *Version) Find(level int, p []byte) *File {
	files := v.Levels[level]
	lo, hi := 0, len(files)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if bytes.Compare(prefix(files[mid].Largest), p) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(files) && bytes.Compare(prefix(files[lo].Smallest), p) <= 0 {
		return files[lo]
	}
	return nil
}

// Bytes returns the size of the level.
func (v *Version) Bytes(level int) (n uint64) {
	for _, f := range v.Levels[level] {
		n += f.Bytes
	}
	return n
}

// Apply returns the version that the edit makes of v, with a reference of its
// own; v may be nil, which is the empty version. An edit that does not fit is an
// error: it removes a file that is not there or adds one where another lies.
func (v *Version) Apply(e *Edit) (*Version, error) {
	next := &Version{}
	next.refs.Store(1)
	removed := make(map[Removed]bool, len(e.Removed))
	for _, r := range e.Removed {
		removed[r] = true
	}
	for level := range NumLevels {
		var files []*File
		if v != nil {
			for _, f := range v.Levels[level] {
				if r := (Removed{level, f.Num}); removed[r] {
					delete(removed, r)
				} else {
					files = append(files, f)
				}
			}
		}
		for _, a := range e.Added {
			if a.Level == level {
				files = append(files, a.File)
			}
		}
		if err := arrange(level, files); err != nil {
			return nil, err
		}
		next.Levels[level] = files
	}
	for r := range removed {
		return nil, fmt.Errorf("edit removes file %d, which is not in level %d", r.Num, r.Level)
	}
	for _, files := range next.Levels {
		for _, f := range files {
			f.refs.Add(1)
		}
	}
	return next, nil
}

// arrange sorts the files as the level wants them and checks its law.
func arrange(level int, files []*File) error {
	if level == 0 {
		sort.Slice(files, func(i, j int) bool { return files[i].Num < files[j].Num })
		return nil
	}
	sort.Slice(files, func(i, j int) bool { return bytes.Compare(files[i].Smallest, files[j].Smallest) < 0 })
	for i := 1; i < len(files); i++ {
		if bytes.Compare(prefix(files[i-1].Largest), prefix(files[i].Smallest)) >= 0 {
			return fmt.Errorf("files %d and %d overlap in level %d", files[i-1].Num, files[i].Num, level)
		}
	}
	return nil
}

// Depth returns the largest number of level-0 files over one prefix: the number
// of places a read of it must look.
func (v *Version) Depth() int {
	type edge struct {
		at    []byte
		delta int
	}
	var edges []edge
	for _, f := range v.Levels[0] {
		edges = append(edges, edge{prefix(f.Smallest), 1}, edge{prefix(f.Largest), -1})
	}
	sort.Slice(edges, func(i, j int) bool {
		if c := bytes.Compare(edges[i].at, edges[j].at); c != 0 {
			return c < 0
		}
		return edges[i].delta > edges[j].delta
	})
	depth, now := 0, 0
	for _, e := range edges {
		now += e.delta
		depth = max(depth, now)
	}
	return depth
}
