// Package compact decides what to compact: which files, into which level. It
// looks at a version and at what is being worked on, and does no work itself.
//
// The levels below L0 grow by a factor of ten each; their sizes are counted from
// the largest level upwards, so that nine tenths of the data lie in the last one.
// L0 is compacted into the base level, the first one that has a size to reach.
// Because facts have no order of arrival, any set of files may be merged into any
// level in which nothing else lies in their span.
package compact

import (
	"bytes"
	"slices"

	"minidb/storage/internal/manifest"
)

// Options are the sizes the picker works towards.
type Options struct {
	// BaseBytes is the most that the base level holds.
	BaseBytes uint64
	// L0Depth is the number of L0 files over one prefix that asks for a compaction.
	L0Depth int
	// MaxInputBytes bounds the L0 files that one compaction takes.
	MaxInputBytes uint64
}

// Job is one compaction: the files of Inputs leave their levels, and what is kept
// of their facts goes to Output.
type Job struct {
	Inputs [manifest.NumLevels][]*manifest.File
	Output int
	// Span holds the prefixes of all inputs.
	Span  manifest.Span
	Score float64
}

// Busy reports whether something is being put into a level within a span.
type Busy func(level int, span manifest.Span) bool

// maxL0Files is the number of L0 files that asks for a compaction even if no two
// overlap: each costs a scan a source.
const maxL0Files = 16

// growth is the size of a level divided by that of the one above.
const growth = 10

const last = manifest.NumLevels - 1

// Targets returns the base level and how many bytes each level from there on
// should hold at most.
func Targets(v *manifest.Version, o Options) (base int, targets [manifest.NumLevels]uint64) {
	var largest uint64
	first := last
	for level := last; level >= 1; level-- {
		n := v.Bytes(level)
		largest = max(largest, n)
		if n > 0 {
			first = level
		}
	}
	base = last
	for size := largest; base > 1 && size > o.BaseBytes; base-- {
		size /= growth
	}
	base = min(base, first)
	size := max(largest, o.BaseBytes)
	for level := last; level >= base; level-- {
		targets[level] = max(size, 1)
		size /= growth
	}
	return base, targets
}

// Pick returns the most urgent compaction that can run now, or nil.
func Pick(v *manifest.Version, o Options, busy Busy) *Job {
	base, targets := Targets(v, o)
	var best *Job
	consider := func(score float64, pick func() *Job) {
		if score < 1 || best != nil && score <= best.Score {
			return
		}
		if j := pick(); j != nil {
			j.Score = score
			best = j
		}
	}
	l0 := max(float64(v.Depth())/float64(o.L0Depth), float64(len(v.Levels[0]))/float64(maxL0Files))
	consider(l0, func() *Job {
		if j := moveL0(v, busy); j != nil {
			return j
		}
		return pickL0(v, base, o, busy)
	})
	for level := base; level < last; level++ {
		score := float64(v.Bytes(level)) / float64(targets[level])
		consider(score, func() *Job { return pickLevel(v, level, busy) })
	}
	return best
}

// moveL0 takes a file of L0 that can go to the last level as it is, because
// nothing overlaps it there; nil if there is none. One with tombstones has to meet
// what they delete.
func moveL0(v *manifest.Version, busy Busy) *Job {
	for _, f := range v.Levels[0] {
		if !f.Compacting && f.Tombstones == 0 && len(v.Overlapping(last, f.Span())) == 0 && !busy(last, f.Span()) {
			return finish(v, 0, []*manifest.File{f}, last, busy)
		}
	}
	return nil
}

// pickL0 takes the oldest files of L0, as many as one compaction should, and what
// they overlap in the base level.
func pickL0(v *manifest.Version, base int, o Options, busy Busy) *Job {
	var files []*manifest.File
	var size uint64
	for _, f := range v.Levels[0] {
		if f.Compacting {
			continue
		}
		if size += f.Bytes; len(files) > 0 && size > o.MaxInputBytes {
			break
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil
	}
	return finish(v, 0, files, base, busy)
}

// pickLevel takes the file that costs the least to push down: the one with the
// fewest bytes below it for its own.
func pickLevel(v *manifest.Version, level int, busy Busy) *Job {
	var best *Job
	var bestCost float64
	for _, f := range v.Levels[level] {
		if f.Compacting {
			continue
		}
		var below uint64
		for _, g := range v.Overlapping(level+1, f.Span()) {
			below += g.Bytes
		}
		cost := float64(below) / float64(max(f.Bytes, 1))
		if best != nil && cost >= bestCost {
			continue
		}
		if j := finish(v, level, []*manifest.File{f}, level+1, busy); j != nil {
			best, bestCost = j, cost
		}
	}
	return best
}

// finish adds the files of the output level that lie in the span of the inputs.
// nil if somebody is at work there.
func finish(v *manifest.Version, level int, files []*manifest.File, output int, busy Busy) *Job {
	j := &Job{Output: output}
	j.Inputs[level] = files
	j.Span = manifest.SpanOf(files)
	if !j.close(v) || busy(output, j.Span) {
		return nil
	}
	return j
}

// close widens the span until no file of the output level reaches beyond it.
func (j *Job) close(v *manifest.Version) bool {
	for {
		found := v.Overlapping(j.Output, j.Span)
		if j.Output == 0 {
			return true
		}
		for _, f := range found {
			if f.Compacting {
				return false
			}
		}
		grown := len(found) > len(j.Inputs[j.Output])
		j.Inputs[j.Output] = found
		if !grown {
			return true
		}
		j.Span = j.Span.Union(manifest.SpanOf(found))
	}
}

// All returns the job that merges every file within the span, of all levels, into
// the lowest level in use; nil if there is none. ok is false if somebody is at
// work on one of them.
func All(v *manifest.Version, span manifest.Span, busy Busy) (j *Job, ok bool) {
	j = &Job{Output: last}
	n := 0
	for level := range v.Levels {
		for _, f := range v.Overlapping(level, span) {
			if f.Compacting {
				return nil, false
			}
			if n == 0 {
				j.Span = f.Span()
			}
			n++
			j.Inputs[level] = append(j.Inputs[level], f)
			j.Span = j.Span.Union(f.Span())
		}
	}
	if n == 0 {
		return nil, true
	}
	if !j.close(v) || busy(j.Output, j.Span) {
		return nil, false
	}
	return j, true
}

// Files returns all inputs.
func (j *Job) Files() []*manifest.File {
	var files []*manifest.File
	for _, in := range j.Inputs {
		files = append(files, in...)
	}
	return files
}

// Moves reports whether the inputs can go to the output level as they are: there
// is nothing to merge them with, neither there nor among themselves.
func (j *Job) Moves() bool {
	files := j.Files()
	if len(j.Inputs[j.Output]) > 0 {
		return false
	}
	slices.SortFunc(files, func(a, b *manifest.File) int { return bytes.Compare(a.Smallest, b.Smallest) })
	for i := 1; i < len(files); i++ {
		if files[i-1].Span().Overlaps(files[i].Span()) {
			return false
		}
	}
	return true
}

// IngestLevel returns the lowest level in which a file with the span can be
// placed: nothing overlaps it there or above, and nothing is being put there.
func IngestLevel(v *manifest.Version, span manifest.Span, busy Busy) int {
	place := 0
	for level := 0; level <= last; level++ {
		if len(v.Overlapping(level, span)) > 0 || busy(level, span) {
			break
		}
		place = level
	}
	return place
}
