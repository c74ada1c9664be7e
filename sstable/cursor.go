package sstable

import (
	"errors"

	"minidb/sstable/internal/block"
)

var errEmptyIndex = errors.New("index block without entries")

// cursor is a place in the index: an entry of the leaf in use, which is the
// entry topPos of the root, or the root itself in a file with one level.
type cursor struct {
	r      *Reader
	leaf   block.IndexView
	pos    int // entry of leaf; may be any number before loaded
	topPos int // entry of the root that leaf is, -1: no leaf is loaded
	buf    buffers
	fill   bool
	gallop bool
}

func (c *cursor) init(r *Reader, fill, gallop bool) {
	c.r, c.fill, c.gallop = r, fill, gallop
	c.pos, c.topPos = 0, -1
	if r.footer.levels == 1 {
		c.leaf, c.topPos = r.root, 0
	}
}

// tops is the number of leaves.
func (c *cursor) tops() int {
	if c.r.footer.levels == 1 {
		return 1
	}
	return c.r.root.Len()
}

// load makes entry top of the root the leaf in use.
func (c *cursor) load(top int) error {
	if top == c.topPos {
		return nil
	}
	c.topPos = -1
	_, h, _, err := c.r.root.Entry(top)
	if err != nil {
		return c.r.corruption(int64(c.r.footer.index.Offset), err)
	}
	opened, err := c.r.read(h, block.Index, &c.buf, c.fill)
	if err != nil {
		return err
	}
	err = c.leaf.Init(opened)
	if err == nil && c.leaf.Len() == 0 {
		err = errEmptyIndex
	}
	if err != nil {
		return c.r.corruption(int64(h.Offset), err)
	}
	c.topPos = top
	return nil
}

// entry returns the entry the cursor stands on.
func (c *cursor) entry() (sep []byte, h block.Handle, props []byte, err error) {
	if sep, h, props, err = c.leaf.Entry(c.pos); err != nil {
		err = c.r.corruption(int64(c.r.footer.index.Offset), err)
	}
	return sep, h, props, err
}

// following returns the separator after the current entry's, nil and false at
// the last.
func (c *cursor) following() (sep []byte, ok bool) {
	view, n := &c.leaf, c.pos+1
	if n >= view.Len() {
		if c.r.footer.levels == 1 || c.topPos+1 >= c.r.root.Len() {
			return nil, false
		}
		view, n = &c.r.root, c.topPos+1
	}
	sep, _, _, err := view.Entry(n)
	return sep, err == nil
}

// find moves to the block in which a key belongs: the last whose separator is
// below key or, with orEqual, at most key. It returns false if there are no
// blocks.
func (c *cursor) find(key []byte, orEqual bool) (bool, error) {
	from := -1
	if c.gallop && c.topPos >= 0 {
		from = c.pos
		// Within the leaf's inner entries the answer is sure without the root.
		if n := c.leaf.Find(key, orEqual, from); n >= 0 && n+1 < c.leaf.Len() || c.r.footer.levels == 1 {
			c.pos = max(n, 0)
			return c.leaf.Len() > 0, nil
		}
	}
	if c.r.footer.levels == 2 {
		topFrom := -1
		if c.gallop {
			topFrom = c.topPos
		}
		top := max(c.r.root.Find(key, orEqual, topFrom), 0)
		if top >= c.r.root.Len() {
			return false, nil
		}
		if top != c.topPos {
			from = -1
		}
		if err := c.load(top); err != nil {
			return false, err
		}
	}
	c.pos = max(c.leaf.Find(key, orEqual, from), 0)
	return c.leaf.Len() > 0, nil
}

// edge moves to the first block, or the last.
func (c *cursor) edge(last bool) (bool, error) {
	top := 0
	if last {
		top = c.tops() - 1
	}
	if c.tops() == 0 {
		return false, nil
	}
	if err := c.load(top); err != nil {
		return false, err
	}
	c.pos = 0
	if last {
		c.pos = c.leaf.Len() - 1
	}
	return c.leaf.Len() > 0, nil
}

// step moves to the next block, or back to the previous. At the end it stays
// and returns false. Leaves that skip says no to are passed unread.
func (c *cursor) step(back bool, skip func(props []byte) (bool, error)) (bool, error) {
	d := 1
	if back {
		d = -1
	}
	if n := c.pos + d; n >= 0 && n < c.leaf.Len() {
		c.pos = n
		return true, nil
	}
	for top := c.topPos + d; top >= 0 && top < c.tops(); top += d {
		_, _, props, err := c.r.root.Entry(top)
		if err != nil {
			return false, c.r.corruption(int64(c.r.footer.index.Offset), err)
		}
		if out, err := skip(props); err != nil || out {
			if err != nil {
				return false, err
			}
			continue
		}
		if err := c.load(top); err != nil {
			return false, err
		}
		c.pos = 0
		if back {
			c.pos = max(c.leaf.Len()-1, 0)
		}
		return c.leaf.Len() > 0, nil
	}
	return false, nil
}
