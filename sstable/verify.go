package sstable

import (
	"bytes"
	"errors"
	"fmt"

	"minidb/sstable/internal/block"
	"minidb/sstable/internal/filter"
)

// blockAt is one block of a file as eachBlock finds it.
type blockAt struct {
	handle    block.Handle
	kind      block.Type
	separator []byte // of a data or a leaf index block
	props     []byte
}

// eachBlock calls f for every block in the order of the file and checks that
// they lie one behind the other from the file's first byte to the footer. It
// reads the index blocks.
func (r *Reader) eachBlock(f func(blockAt) error) error {
	var next uint64
	visit := func(b blockAt) error {
		if b.handle.Offset != next {
			return r.corruption(int64(next), fmt.Errorf("%d bytes belong to no block", int64(b.handle.Offset)-int64(next)))
		}
		if err := r.checkHandle(b.handle); err != nil {
			return err
		}
		next += b.handle.Size
		return f(b)
	}
	var c cursor
	c.init(r, false, false)
	all := func([]byte) (bool, error) { return false, nil }
	ok, err := c.edge(false)
	for ; ok && err == nil; ok, err = c.step(false, all) {
		sep, h, props, err := c.entry()
		if err != nil {
			return err
		}
		if err := visit(blockAt{handle: h, kind: block.Data, separator: sep, props: props}); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if r.footer.filter.Size > 0 {
		if err := visit(blockAt{handle: r.footer.filter, kind: block.Filter}); err != nil {
			return err
		}
	}
	if r.footer.levels == 2 {
		for n := range r.root.Len() {
			sep, h, props, err := r.root.Entry(n)
			if err != nil {
				return r.corruption(int64(r.footer.index.Offset), err)
			}
			if err := visit(blockAt{handle: h, kind: block.Index, separator: sep, props: props}); err != nil {
				return err
			}
		}
	}
	if err := visit(blockAt{handle: r.footer.index, kind: block.Index}); err != nil {
		return err
	}
	if err := visit(blockAt{handle: r.footer.props, kind: block.Properties}); err != nil {
		return err
	}
	if next != uint64(r.size-footerLen) {
		return r.corruption(int64(next), errors.New("bytes before the footer belong to no block"))
	}
	return nil
}

// VerifyChecksums reads every block and checks its checksum, and that every byte
// of the file belongs to a block or the footer. It does not look at keys.
func (r *Reader) VerifyChecksums() error {
	var disk []byte
	return r.eachBlock(func(b blockAt) error {
		disk = resize(disk, int(b.handle.Size))
		if err := r.readAt(disk, int64(b.handle.Offset)); err != nil {
			return err
		}
		if _, err := block.Check(disk, b.kind); err != nil {
			return r.corruption(int64(b.handle.Offset), err)
		}
		return nil
	})
}

// Check does what VerifyChecksums does and then compares every key with what
// the rest of the file says: order, separators, suffix ranges, filter and
// counts. It finds errors of a writer, not only of the disk.
func (r *Reader) Check() error {
	if err := r.VerifyChecksums(); err != nil {
		return err
	}
	var f *filter.Filter
	if r.footer.filter.Size > 0 {
		var err error
		if f, err = r.openFilter(); err != nil {
			return err
		}
	}
	c := tableCheck{filter: f}
	var buf buffers
	err := r.eachBlock(func(b blockAt) error {
		if b.kind != block.Data {
			return nil
		}
		opened, err := r.read(b.handle, block.Data, &buf, false)
		if err == nil {
			if err = c.block(opened, b); err != nil {
				err = r.corruption(int64(b.handle.Offset), err)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	p, got := &r.props, &c.props
	got.Largest = c.last
	if got.NumEntries != p.NumEntries || got.NumTombstones != p.NumTombstones || got.NumBlocks != p.NumBlocks || got.NumUniform != p.NumUniform ||
		got.RawKeyBytes != p.RawKeyBytes || got.RawValueBytes != p.RawValueBytes || got.DataBytes != p.DataBytes ||
		!bytes.Equal(got.Smallest, p.Smallest) || !bytes.Equal(got.Largest, p.Largest) {
		return r.corruption(int64(r.footer.props.Offset), errors.New("properties are not those of the entries"))
	}
	return nil
}

// tableCheck is the state of Check along a file.
type tableCheck struct {
	filter *filter.Filter
	props  Properties
	last   []byte
}

// block checks one data block. The error is the reason only.
func (c *tableCheck) block(opened []byte, at blockAt) error {
	var it block.Iter
	if err := it.Init(opened); err != nil {
		return err
	}
	lo, hi := splitSuffixRange(property(at.props, 0))
	c.props.NumBlocks++
	c.props.DataBytes += at.handle.Size
	if block.Kind(opened[len(opened)-1]).Uniform() {
		c.props.NumUniform++
	}
	if c.last != nil && bytes.Compare(at.separator, c.last) <= 0 {
		return fmt.Errorf("separator %x is not above key %x", at.separator, c.last)
	}
	for ok := it.First(); ok; ok = it.Next() {
		k := it.Key()
		if len(k) <= SuffixLen {
			return fmt.Errorf("key %x has no prefix", k)
		}
		suffix := k[len(k)-SuffixLen:]
		switch {
		case c.last != nil && bytes.Compare(c.last, k) >= 0:
			return fmt.Errorf("key %x does not follow %x", k, c.last)
		case bytes.Compare(at.separator, k) > 0:
			return fmt.Errorf("separator %x is above key %x", at.separator, k)
		case bytes.Compare(suffix, lo) < 0 || bytes.Compare(suffix, hi) > 0:
			return fmt.Errorf("suffix of key %x is outside [%x, %x]", k, lo, hi)
		case c.filter != nil && !c.filter.MayContain(filter.Hash(k[:len(k)-SuffixLen])):
			return fmt.Errorf("filter does not know key %x", k)
		}
		if c.last == nil {
			c.props.Smallest = bytes.Clone(k)
		}
		c.last = append(c.last[:0], k...)
		c.props.NumEntries++
		if len(it.Value()) == 0 {
			c.props.NumTombstones++
		}
		c.props.RawKeyBytes += uint64(len(k))
		c.props.RawValueBytes += uint64(len(it.Value()))
	}
	return it.Err()
}
