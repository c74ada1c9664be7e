package sstable

import (
	"bytes"
	"sync"

	"minidb/sstable/internal/block"
)

// place says where an iterator stands.
type place uint8

const (
	unpositioned place = iota
	onEntry
	beforeFirst
	afterLast
)

// Iter visits the entries of a file in key order, within the bounds. Beyond the
// last entry Prev returns to it, before the first Next does; a new iterator may
// begin with any move, Next then means First and Prev means Last. Every move
// reports whether the iterator stands on an entry. After an error all moves
// return false. It is used from one goroutine.
//
// A seek from an entry gallops: it doubles its steps from there, over the index
// and within the block, so that its cost follows the logarithm of the distance.
type Iter struct {
	// The state serves another Iter after Close. This one does not lead to it any
	// more, so that closing it twice does no harm.
	*tableIter
}

// tableIter is the state of an Iter and all that it does.
type tableIter struct {
	r       *Reader
	o       IterOptions
	filters []activeFilter
	idx     cursor
	data    block.Iter
	buf     buffers
	loaded  int64 // offset of the block in data, -1: none
	place   place
	// Whether keys of the block in data can lie outside the bounds.
	checkLower, checkUpper bool
	target                 []byte // of NextPrefix
	err                    error
}

// activeFilter is a filter and the place of its property in index entries.
type activeFilter struct {
	f BlockPropertyFilter
	n int
}

var iters = sync.Pool{New: func() any { return new(tableIter) }}

// NewIter returns an unpositioned iterator. Close it before r.
func (r *Reader) NewIter(o IterOptions) (*Iter, error) {
	i := iters.Get().(*tableIter)
	i.r, i.o = r, o
	i.idx.init(r, !o.NoCacheFill, !o.noGallop)
	i.data.Reset()
	i.data.NoGallop = o.noGallop
	i.loaded, i.place, i.err = -1, unpositioned, nil
	i.filters = i.filters[:0]
	for _, f := range o.Filters {
		for n, c := range r.collected {
			if c.name == f.Name() {
				i.filters = append(i.filters, activeFilter{f: f, n: n})
			}
		}
	}
	return &Iter{i}, nil
}

// Close releases the iterator and returns Err; a second Close does nothing. The
// iterator, and keys and values it returned, must not be used afterwards.
func (i *Iter) Close() error {
	t := i.tableIter
	if t == nil {
		return nil
	}
	i.tableIter = nil
	err := t.err
	t.r, t.o, t.idx.r, t.idx.leaf, t.err = nil, IterOptions{}, nil, block.IndexView{}, nil
	t.data.Reset()
	clear(t.filters)
	iters.Put(t)
	return err
}

// Valid reports whether the iterator stands on an entry.
func (i *tableIter) Valid() bool { return i.place == onEntry }

// Key is the current key, valid until the next call. Requires Valid.
func (i *tableIter) Key() []byte { return i.data.Key() }

// Value is the current value, valid until the next call. Requires Valid.
func (i *tableIter) Value() []byte { return i.data.Value() }

// Err is the error that ended the iteration, nil at a plain end.
func (i *tableIter) Err() error { return i.err }

// First moves to the first entry.
func (i *tableIter) First() bool {
	if i.o.Lower != nil {
		return i.SeekGE(i.o.Lower)
	}
	if i.err != nil {
		return false
	}
	return i.start(i.idx.edge(false)) && i.ahead(i.enter() && i.data.First())
}

// Last moves to the last entry.
func (i *tableIter) Last() bool {
	if i.o.Upper != nil {
		return i.SeekLT(i.o.Upper)
	}
	if i.err != nil {
		return false
	}
	return i.start(i.idx.edge(true)) && i.back(i.enter() && i.data.Last())
}

// SeekGE moves to the first entry whose key is at least key.
func (i *tableIter) SeekGE(key []byte) bool {
	if i.err != nil {
		return false
	}
	if i.o.Lower != nil && bytes.Compare(key, i.o.Lower) < 0 {
		key = i.o.Lower
	}
	if i.o.Upper != nil && bytes.Compare(key, i.o.Upper) >= 0 {
		i.place = afterLast
		return false
	}
	return i.start(i.idx.find(key, true)) && i.ahead(i.enter() && i.data.SeekGE(key))
}

// SeekLT moves to the last entry whose key is below key.
func (i *tableIter) SeekLT(key []byte) bool {
	if i.err != nil {
		return false
	}
	if i.o.Upper != nil && bytes.Compare(key, i.o.Upper) > 0 {
		key = i.o.Upper
	}
	if i.o.Lower != nil && bytes.Compare(key, i.o.Lower) <= 0 {
		i.place = beforeFirst
		return false
	}
	return i.start(i.idx.find(key, false)) && i.back(i.enter() && i.data.SeekLT(key))
}

// Next moves to the next entry.
func (i *tableIter) Next() bool {
	switch i.place {
	case onEntry:
	case afterLast:
		return false
	default:
		return i.First()
	}
	return i.ahead(i.data.Next())
}

// Prev moves to the previous entry.
func (i *tableIter) Prev() bool {
	switch i.place {
	case onEntry:
	case beforeFirst:
		return false
	default:
		return i.Last()
	}
	return i.back(i.data.Prev())
}

// NextPrefix moves to the first entry with a greater prefix than the current
// one, or as Next if there is no current one. Requires that no prefix is the
// beginning of another.
func (i *tableIter) NextPrefix() bool {
	if i.place != onEntry {
		return i.Next()
	}
	if i.data.NextPrefix() {
		return i.ahead(true)
	}
	// The block ended; its last prefix may go on in the next ones.
	key := i.data.Key()
	i.target = append(i.target[:0], key[:len(key)-SuffixLen]...)
	prefix := len(i.target)
	if !i.nextBlock() {
		return false
	}
	if key = i.data.Key(); !bytes.Equal(key[:len(key)-SuffixLen], i.target[:prefix]) {
		return true
	}
	i.target = append(i.target, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0)
	return i.SeekGE(i.target)
}

// start takes the outcome of a move in the index.
func (i *tableIter) start(ok bool, err error) bool {
	i.place = afterLast
	i.fail(err)
	return ok && err == nil
}

func (i *tableIter) fail(err error) {
	if err != nil {
		i.err, i.place = err, afterLast
	}
}

// ahead ends a move ahead: on the entry that was found in the block, or at the
// upper bound, or in a later block.
func (i *tableIter) ahead(found bool) bool {
	if !found {
		return i.nextBlock()
	}
	if i.checkUpper && bytes.Compare(i.data.Key(), i.o.Upper) >= 0 {
		i.place = afterLast
		return false
	}
	i.place = onEntry
	return true
}

// back is ahead for moves back.
func (i *tableIter) back(found bool) bool {
	if !found {
		return i.prevBlock()
	}
	if i.checkLower && bytes.Compare(i.data.Key(), i.o.Lower) < 0 {
		i.place = beforeFirst
		return false
	}
	i.place = onEntry
	return true
}

// nextBlock moves to the first entry of the blocks behind the index cursor.
func (i *tableIter) nextBlock() bool {
	for {
		if i.failed() {
			return false
		}
		i.place = afterLast
		if !i.start(i.idx.step(false, i.skip)) {
			return false
		}
		if sep, _, _, err := i.idx.entry(); err == nil && i.o.Upper != nil && bytes.Compare(sep, i.o.Upper) >= 0 {
			return false
		}
		if i.enter() && i.data.First() {
			return i.ahead(true)
		}
	}
}

// prevBlock moves to the last entry of the blocks before the index cursor.
func (i *tableIter) prevBlock() bool {
	for {
		if i.failed() {
			return false
		}
		i.place = beforeFirst
		if sep, _, _, err := i.idx.entry(); err == nil && i.o.Lower != nil && bytes.Compare(sep, i.o.Lower) <= 0 {
			return false
		}
		ok, err := i.idx.step(true, i.skip)
		if i.fail(err); !ok {
			return false
		}
		if i.enter() && i.data.Last() {
			return i.back(true)
		}
	}
}

// failed takes over damage that was met in the block.
func (i *tableIter) failed() bool {
	if err := i.data.Err(); err != nil && i.err == nil {
		i.fail(i.r.corruption(i.loaded, err))
	}
	return i.err != nil
}

// enter loads the block at the index cursor. It returns false if the block is to
// be skipped or cannot be read.
func (i *tableIter) enter() bool {
	sep, h, props, err := i.idx.entry()
	if err != nil {
		i.fail(err)
		return false
	}
	if out, err := i.skip(props); err != nil || out {
		i.fail(err)
		return false
	}
	if int64(h.Offset) != i.loaded {
		i.loaded = -1
		opened, err := i.r.read(h, block.Data, &i.buf, i.idx.fill)
		if err != nil {
			i.fail(err)
			return false
		}
		if err := i.data.Init(opened); err != nil {
			i.fail(i.r.corruption(int64(h.Offset), err))
			return false
		}
		i.loaded = int64(h.Offset)
	}
	i.checkLower = i.o.Lower != nil && bytes.Compare(sep, i.o.Lower) < 0
	i.checkUpper = false
	if i.o.Upper != nil {
		if next, ok := i.idx.following(); ok {
			i.checkUpper = bytes.Compare(next, i.o.Upper) > 0
		} else {
			i.checkUpper = bytes.Compare(i.r.props.Largest, i.o.Upper) >= 0
		}
	}
	return true
}

// skip reports whether blocks with these properties hold nothing of interest.
func (i *tableIter) skip(props []byte) (bool, error) {
	if i.o.MinSuffix != nil || i.o.MaxSuffix != nil {
		lo, hi := splitSuffixRange(property(props, 0))
		if lo != nil && (i.o.MinSuffix != nil && bytes.Compare(hi, i.o.MinSuffix) < 0 ||
			i.o.MaxSuffix != nil && bytes.Compare(lo, i.o.MaxSuffix) > 0) {
			return true, nil
		}
	}
	for _, f := range i.filters {
		in, err := f.f.Intersects(property(props, f.n))
		if err != nil || !in {
			return true, err
		}
	}
	return false, nil
}
