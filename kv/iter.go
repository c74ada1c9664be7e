package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"minidb/kv/internal/resolver"
	"minidb/kv/mvcc"
	"minidb/storage"
)

// IterOptions say what an iterator sees.
type IterOptions struct {
	// Reverse walks from the last key to the first.
	Reverse bool
	// Latest sees the newest commits instead of those at the read timestamp, and
	// this transaction's writes of all statements, also those made after the
	// iterator was: for uniqueness checks, and to re-read a row after locking it.
	Latest bool
}

// Iter walks the live keys of a span in key order, forward or in reverse. It is
// placed before the first. Not safe for concurrent use.
//
// It merges two sides: the engine's versions at a timestamp and the
// transaction's buffer. Where both have a key the buffer's counts.
type Iter struct {
	t       *Txn
	ctx     context.Context
	span    Span
	reverse bool
	latest  bool
	limit   uint32 // sees the writes of statements below it
	err     error

	state iterState
	steps uint // Nexts, to look at ctx now and then

	eng    storage.Iter
	isOpen bool // eng is
	mv     mvcc.Iter
	// The engine's side stands on the first live key at or above sought, if
	// hasSought.
	sought    []byte
	hasSought bool

	// The buffer's side: the next write to look at. puts and rollbacks are the
	// buffer's counts when it was found.
	node            uint32 // 0: none
	written         []byte // the value of node; nil: deleted
	puts, rollbacks int

	onEng, onBuf bool   // which sides have the present key
	scratch      []byte // a key
}

type iterState uint8

const (
	atStart    iterState = iota
	positioned           // on a key, or at the end
	lost                 // moved by CPut
)

// NewIter returns an iterator over the live keys of s, placed before the first.
// Close it before the transaction ends.
func (t *Txn) NewIter(ctx context.Context, s Span, o IterOptions) (*Iter, error) {
	i := &Iter{}
	if err := t.OpenIter(ctx, i, s, o); err != nil {
		return nil, err
	}
	return i, nil
}

// OpenIter is NewIter that makes i, which is closed or new, the iterator. I keeps
// its memory from one use to the next.
func (t *Txn) OpenIter(ctx context.Context, i *Iter, s Span, o IterOptions) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	*i = Iter{
		t: t, ctx: ctx, span: s, reverse: o.Reverse, latest: o.Latest, limit: t.stmt,
		mv: i.mv, sought: i.sought[:0], scratch: i.scratch[:0],
	}
	at := t.reader.at
	if o.Latest {
		i.limit = allStatements
		// The mark first, the engine's sources second: they then hold all it says.
		at = t.db.published.load()
	}
	return i.open(at)
}

func (i *Iter) open(at Timestamp) error {
	if err := i.t.db.eng.OpenIter(&i.eng, storage.IterOptions{Lower: i.span.Start, Upper: i.span.End}); err != nil {
		return err
	}
	i.isOpen, i.hasSought = true, false
	i.mv.Init(&i.eng, at)
	return nil
}

// Next moves to the next key and reports whether there is one.
func (i *Iter) Next() bool {
	switch {
	case i.err != nil:
		return false
	case i.t.ended:
		return i.fail(ErrTxnDone)
	case i.state == lost:
		return i.fail(errLostPosition)
	}
	if i.steps++; i.steps%256 == 0 && i.ctx.Err() != nil {
		return i.fail(context.Cause(i.ctx))
	}
	switch {
	case i.state == positioned:
		i.step()
	case i.reverse:
		i.state = positioned
		i.mv.SeekLT(i.span.End)
		i.findBack(i.t.buf.seekLT(i.span.End))
	default:
		i.state = positioned
		i.seekEngine(i.span.Start)
		i.find(i.t.buf.seekGE(i.span.Start))
	}
	return i.settle()
}

// SeekGE places a forward iterator on the first key >= key. On a Latest iterator
// it sees what was committed until the call.
func (i *Iter) SeekGE(key []byte) bool {
	if i.reverse {
		panic("kv: SeekGE on a reverse iterator")
	}
	if bytes.Compare(key, i.span.Start) < 0 {
		key = i.span.Start
	}
	if i.t.ended {
		return i.fail(ErrTxnDone)
	}
	if i.err != nil || !i.refresh(key, i.span.End) {
		return false
	}
	i.state = positioned
	i.seekEngine(key)
	i.find(i.t.buf.seekGE(key))
	return i.settle()
}

// refresh reopens a Latest iterator if something in [start, end) was committed
// after it was opened.
func (i *Iter) refresh(start, end []byte) bool {
	if !i.latest {
		return true
	}
	db := i.t.db
	at := db.published.load()
	if at == i.mv.At() || db.window.Touched(start, end, i.mv.At()) == resolver.No {
		return true
	}
	i.isOpen = false
	if err := i.eng.Close(); err != nil {
		return i.fail(err)
	}
	if err := i.open(at); err != nil {
		return i.fail(err)
	}
	return true
}

// seekEngine places the engine's side on the first live key at or above key. That
// costs nothing if it stands there.
func (i *Iter) seekEngine(key []byte) {
	if i.hasSought && bytes.Compare(i.sought, key) <= 0 &&
		(!i.mv.Valid() || bytes.Compare(key, i.mv.Key()) <= 0) {
		return
	}
	i.sought, i.hasSought = append(i.sought[:0], key...), true
	i.mv.SeekGE(key)
}

// find places the buffer's side on the first write at or after node n.
func (i *Iter) find(n uint32) {
	b := &i.t.buf
	i.node, i.puts, i.rollbacks = 0, b.puts, b.rollbacks
	for ; n != 0 && bytes.Compare(b.nodes[n].key, i.span.End) < 0; n = b.next(n) {
		if value, ok := b.visible(n, i.limit); ok {
			i.node, i.written = n, value
			return
		}
	}
}

// findBack places the buffer's side on the last write at or before node n.
func (i *Iter) findBack(n uint32) {
	b := &i.t.buf
	i.node, i.puts, i.rollbacks = 0, b.puts, b.rollbacks
	for ; n != 0 && bytes.Compare(b.nodes[n].key, i.span.Start) >= 0; n = b.seekLT(b.nodes[n].key) {
		if value, ok := b.visible(n, i.limit); ok {
			i.node, i.written = n, value
			return
		}
	}
}

// step moves the sides that have the present key past it.
func (i *Iter) step() {
	b := &i.t.buf
	if b.rollbacks != i.rollbacks || i.latest && b.puts != i.puts {
		// The buffer's side may have changed between here and where it stands.
		i.relocate()
	} else if i.onBuf {
		i.stepBuffer()
	}
	if i.onEng {
		i.stepEngine()
	}
}

// relocate finds the buffer's side anew, past the present key.
func (i *Iter) relocate() {
	b := &i.t.buf
	if !i.onEng && !i.onBuf {
		return
	}
	if i.scratch = append(i.scratch[:0], i.Key()...); i.reverse {
		i.findBack(b.seekLT(i.scratch))
		return
	}
	n := b.seekGE(i.scratch)
	if n != 0 && bytes.Equal(b.nodes[n].key, i.scratch) {
		n = b.next(n)
	}
	i.find(n)
}

func (i *Iter) stepEngine() {
	i.hasSought = false
	if i.reverse {
		i.mv.Prev()
	} else {
		i.mv.Next()
	}
}

func (i *Iter) stepBuffer() {
	b := &i.t.buf
	if i.reverse {
		i.findBack(b.seekLT(b.nodes[i.node].key))
	} else {
		i.find(b.next(i.node))
	}
}

// settle chooses the side with the next key and passes keys the transaction
// deleted.
func (i *Iter) settle() bool {
	for {
		i.onEng, i.onBuf = i.mv.Valid(), i.node != 0
		switch {
		case i.onEng && i.onBuf:
			c := bytes.Compare(i.mv.Key(), i.t.buf.nodes[i.node].key)
			if i.reverse {
				c = -c
			}
			i.onEng, i.onBuf = c <= 0, c >= 0
		case !i.onEng && !i.onBuf:
			if err := i.mv.Err(); err != nil {
				i.err = err
			}
			return false
		case !i.onEng:
			if err := i.mv.Err(); err != nil {
				return i.fail(err)
			}
		}
		if !i.onBuf || i.written != nil {
			return true
		}
		if i.onEng {
			i.stepEngine()
		}
		i.stepBuffer()
	}
}

// newest returns the newest value of key through the iterator, own writes
// included; nil: absent. It is valid until the next call.
func (i *Iter) newest(key []byte) ([]byte, error) {
	if !i.span.Contains(key) {
		return nil, fmt.Errorf("kv: key %q is outside the iterator's span", key)
	}
	i.scratch = append(append(i.scratch[:0], key...), 0)
	if i.err != nil || !i.refresh(key, i.scratch) {
		return nil, i.err
	}
	i.state, i.onEng, i.onBuf = lost, false, false
	if value, ok := i.t.buf.get(key, allStatements); ok {
		return value, nil
	}
	i.seekEngine(key)
	if i.mv.Valid() && bytes.Equal(i.mv.Key(), key) {
		return i.mv.Value(), nil
	}
	return nil, i.mv.Err()
}

// Key returns the present key, valid until the next call.
func (i *Iter) Key() []byte {
	if i.onBuf {
		return i.t.buf.nodes[i.node].key
	}
	return i.mv.Key()
}

// Value returns the present value, valid until the next call.
func (i *Iter) Value() []byte {
	if i.onBuf {
		return i.written
	}
	return i.mv.Value()
}

// Err returns the error that ended the walk, if one did.
func (i *Iter) Err() error { return i.err }

// errLostPosition: Next after a CPut through the iterator, without a SeekGE.
var errLostPosition = errors.New("kv: the iterator was moved by CPut and has no position")

// fail records the first error and returns false.
func (i *Iter) fail(err error) bool {
	if i.err == nil {
		i.err = err
	}
	i.onEng, i.onBuf = false, false
	return false
}

// Close releases the iterator and returns Err.
func (i *Iter) Close() error {
	if i.isOpen {
		i.isOpen = false
		if err := i.eng.Close(); i.err == nil {
			i.err = err
		}
	}
	return i.err
}
