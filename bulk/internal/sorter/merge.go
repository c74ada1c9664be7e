package sorter

import (
	"bytes"
	"sort"
)

// Merge walks runs as one sorted sequence, in which equal keys stand next to each
// other.
type Merge struct {
	its     []mergeItem // a heap by key, the smallest first
	started bool
	err     error
}

// mergeItem is an iterator that stands on key.
type mergeItem struct {
	key []byte
	it  iterator
}

// NewMerge returns a merge of the keys from lower on that are below upper; nil
// means no bound. It stands before the first.
func NewMerge(runs []Run, lower, upper []byte) (*Merge, error) {
	m := &Merge{}
	for _, r := range runs {
		it, err := r.iter(lower, upper)
		if err != nil {
			m.Close()
			return nil, err
		}
		ok, err := it.next()
		if err != nil || !ok {
			_ = it.close() // it was only read
			if err != nil {
				m.Close()
				return nil, err
			}
			continue
		}
		key, _ := it.pair()
		m.its = append(m.its, mergeItem{key: key, it: it})
	}
	for i := len(m.its)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m, nil
}

// Next moves to the next key.
func (m *Merge) Next() bool {
	if len(m.its) == 0 || m.err != nil {
		return false
	}
	if !m.started {
		m.started = true
		return true
	}
	top := &m.its[0]
	ok, err := top.it.next()
	switch {
	case err != nil:
		m.err = err
		return false
	case ok:
		top.key, _ = top.it.pair()
		m.sink(0)
	default:
		_ = top.it.close() // it was only read
		last := len(m.its) - 1
		m.its[0], m.its[last] = m.its[last], mergeItem{}
		m.its = m.its[:last]
		m.sink(0)
	}
	return len(m.its) > 0
}

// sink moves item i down to its place.
func (m *Merge) sink(i int) {
	its := m.its
	for {
		child := 2*i + 1
		if child >= len(its) {
			return
		}
		if child+1 < len(its) && bytes.Compare(its[child+1].key, its[child].key) < 0 {
			child++
		}
		if bytes.Compare(its[i].key, its[child].key) <= 0 {
			return
		}
		its[i], its[child] = its[child], its[i]
		i = child
	}
}

// Key and Value are valid until the next call of Next.
func (m *Merge) Key() []byte { return m.its[0].key }

// Value is the value of Key.
func (m *Merge) Value() []byte {
	_, v := m.its[0].it.pair()
	return v
}

// Err is the error that ended the walk.
func (m *Merge) Err() error { return m.err }

// Close ends the walk. Requires that no Key or Value is in use.
func (m *Merge) Close() {
	for _, i := range m.its {
		_ = i.it.close() // it was only read
	}
	m.its = nil
}

// Split returns up to n-1 ascending keys that divide runs into parts of about
// even numbers of keys. They are copies.
func Split(runs []Run, n int) [][]byte {
	const samplesPerPart = 32
	total := 0
	for _, r := range runs {
		total += r.Len()
	}
	var samples [][]byte
	for _, r := range runs {
		// Longer runs have more of a say.
		samples = r.sample(samples, n*samplesPerPart*r.Len()/max(total, 1)+1)
	}
	sort.Slice(samples, func(i, j int) bool { return bytes.Compare(samples[i], samples[j]) < 0 })
	var keys [][]byte
	for i := 1; i < n && len(samples) > 0; i++ {
		k := samples[i*len(samples)/n]
		if len(keys) == 0 || !bytes.Equal(keys[len(keys)-1], k) {
			keys = append(keys, bytes.Clone(k))
		}
	}
	return keys
}
