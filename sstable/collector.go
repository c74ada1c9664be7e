package sstable

import "errors"

// ErrCannotUpdateSuffix is what a collector's UpdateSuffix returns when the new
// property cannot be had from the old one.
var ErrCannotUpdateSuffix = errors.New("sstable: block property cannot follow a suffix rewrite")

// BlockPropertyCollector summarises the entries of each data block in a few
// bytes. The summaries lie in the index, beside the block's address, so that a
// BlockPropertyFilter can skip the block without reading it. A collector
// serves one file and is called from one goroutine.
//
// Laws: Union is associative; the union of the properties of two runs of
// entries is the property of both together; and UpdateSuffix of a property is
// the property the same entries would have had with the other suffix.
type BlockPropertyCollector interface {
	// Name is unique among the collectors of a file and at most 255 bytes.
	Name() string
	// Add takes the next entry of the current block, in key order. It does not
	// keep or change the slices.
	Add(key, value []byte) error
	// FinishBlock appends the property of the entries added since the last
	// FinishBlock to dst.
	FinishBlock(dst []byte) ([]byte, error)
	// Union appends the property of a's and b's entries together to dst, which
	// overlaps neither.
	Union(dst, a, b []byte) ([]byte, error)
	// UpdateSuffix appends to dst the property that follows when the entries of
	// property, whose suffixes are all from, get the suffix to. A collector
	// that cannot tell returns ErrCannotUpdateSuffix.
	UpdateSuffix(dst, property, from, to []byte) ([]byte, error)
}

// BlockPropertyFilter skips blocks by what the collector of the same name kept
// of them. Files without such a collector are read whole.
type BlockPropertyFilter interface {
	Name() string
	// Intersects reports whether a block with this property is of interest. It
	// is also asked about unions of blocks and must answer true there if it
	// does for any of them.
	Intersects(property []byte) (bool, error)
}
