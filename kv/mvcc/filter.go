package mvcc

import (
	"bytes"
	"slices"
	"sort"

	"minidb/storage"
)

// Filter drops garbage from flushes and compactions: versions that no read at or
// above the threshold can see. It is a storage.CompactionFilter. The rules, of
// which each has a test:
//
//   - Shadowing: a version goes if a newer one of its key is at or below the
//     threshold itself.
//   - Tombstones: the newest version at or below the threshold, if it is a
//     delete, goes only where nothing outside the compaction may hold an older
//     one, which would come back to life.
//   - Dropped spans: what is at or below the timestamp of a drop goes, once
//     that is at or below the threshold.
//   - Nothing above the threshold goes.
type Filter struct {
	threshold Timestamp
	dropped   *DroppedSpans

	key       []byte    // the present key
	covered   bool      // a version at or below the threshold was seen
	deadBelow Timestamp // by dropped spans
}

// NewFilter returns a filter for one flush or compaction. Threshold is at or below
// every read timestamp, present and future, and below every commit to
// come. Dropped holds only drops at or below threshold; nil: none.
func NewFilter(threshold Timestamp, dropped *DroppedSpans) *Filter {
	return &Filter{threshold: threshold, dropped: dropped}
}

// Drop implements storage.CompactionFilter.
func (f *Filter) Drop(engineKey, value []byte, outside storage.Outside) bool {
	key, version := Split(engineKey)
	if version > f.threshold {
		return false
	}
	if f.key == nil || !bytes.Equal(key, f.key) {
		f.key = append(f.key[:0], key...)
		f.covered = false
		f.deadBelow = f.dropped.at(key)
	}
	if version <= f.deadBelow || f.covered {
		return true
	}
	f.covered = true
	if len(value) > 0 {
		return false
	}
	oldest, ok := outside.OldestSuffix(key)
	return !ok || DecodeSuffix(oldest) >= version
}

// DroppedSpan says that all versions of keys in [Start, End) at or below At are
// dead.
type DroppedSpan struct {
	Start, End []byte
	At         Timestamp
}

// DroppedSpans answers which drop a key lies in. Immutable.
type DroppedSpans struct {
	// bounds cut the keys into segments; at[i] is that of [bounds[i], bounds[i+1]).
	bounds  [][]byte
	segment []Timestamp
}

// NewDroppedSpans returns the union of spans, which may overlap.
func NewDroppedSpans(spans []DroppedSpan) *DroppedSpans {
	d := &DroppedSpans{}
	for _, s := range spans {
		d.bounds = append(d.bounds, s.Start, s.End)
	}
	slices.SortFunc(d.bounds, bytes.Compare)
	d.bounds = slices.CompactFunc(d.bounds, bytes.Equal)
	d.segment = make([]Timestamp, len(d.bounds))
	for _, s := range spans {
		for i := d.find(s.Start); i < len(d.bounds) && bytes.Compare(d.bounds[i], s.End) < 0; i++ {
			d.segment[i] = max(d.segment[i], s.At)
		}
	}
	return d
}

// find returns the segment key lies in, or -1.
func (d *DroppedSpans) find(key []byte) int {
	return sort.Search(len(d.bounds), func(i int) bool { return bytes.Compare(d.bounds[i], key) > 0 }) - 1
}

// at returns the timestamp at or below which key's versions are dead; 0: none.
func (d *DroppedSpans) at(key []byte) Timestamp {
	if d == nil {
		return 0
	}
	if i := d.find(key); i >= 0 {
		return d.segment[i]
	}
	return 0
}
