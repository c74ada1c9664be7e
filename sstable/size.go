package sstable

import "minidb/sstable/internal/block"

// SpanBytes is how long the data blocks are, as they are in the file, that may
// hold entries of [start, end). It reads at most two index blocks.
func (r *Reader) SpanBytes(start, end []byte) (int64, error) {
	first, ok, err := r.blockOf(start, true)
	if err != nil || !ok {
		return 0, err
	}
	last, _, err := r.blockOf(end, false)
	if err != nil {
		return 0, err
	}
	return max(int64(last.Offset)+int64(last.Size)-int64(first.Offset), 0), nil
}

// blockOf is the data block in which a key belongs; ok is false if there are none.
func (r *Reader) blockOf(key []byte, orEqual bool) (h block.Handle, ok bool, err error) {
	var c cursor
	c.init(r, true, false)
	if ok, err = c.find(key, orEqual); !ok || err != nil {
		return h, false, err
	}
	_, h, _, err = c.entry()
	return h, err == nil, err
}
