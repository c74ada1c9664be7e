package sstable

import "bytes"

// suffixRangeName is the built-in collector's name in files.
const suffixRangeName = "minidb.suffixes"

// suffixRange is the built-in collector: the bytewise smallest and largest
// suffix. Its property is min ‖ max, or 8 bytes if both are one.
type suffixRange struct {
	min, max [SuffixLen]byte
	any      bool
}

func (c *suffixRange) Name() string { return suffixRangeName }

func (c *suffixRange) Add(key, _ []byte) error {
	suffix := key[len(key)-SuffixLen:]
	switch {
	case !c.any:
		copy(c.min[:], suffix)
		copy(c.max[:], suffix)
		c.any = true
	case bytes.Compare(suffix, c.min[:]) < 0:
		copy(c.min[:], suffix)
	case bytes.Compare(suffix, c.max[:]) > 0:
		copy(c.max[:], suffix)
	}
	return nil
}

func (c *suffixRange) FinishBlock(dst []byte) ([]byte, error) {
	c.any = false
	return appendSuffixRange(dst, c.min[:], c.max[:]), nil
}

func (c *suffixRange) Union(dst, a, b []byte) ([]byte, error) {
	aMin, aMax := splitSuffixRange(a)
	bMin, bMax := splitSuffixRange(b)
	if bytes.Compare(bMin, aMin) < 0 {
		aMin = bMin
	}
	if bytes.Compare(bMax, aMax) > 0 {
		aMax = bMax
	}
	return appendSuffixRange(dst, aMin, aMax), nil
}

func (c *suffixRange) UpdateSuffix(dst, property, from, to []byte) ([]byte, error) {
	if !bytes.Equal(property, from) {
		return nil, ErrCannotUpdateSuffix
	}
	return append(dst, to...), nil
}

func appendSuffixRange(dst, lo, hi []byte) []byte {
	dst = append(dst, lo...)
	if !bytes.Equal(lo, hi) {
		dst = append(dst, hi...)
	}
	return dst
}

// splitSuffixRange returns min and max of a property, nil and nil if it is none.
func splitSuffixRange(p []byte) (lo, hi []byte) {
	switch len(p) {
	case SuffixLen:
		return p, p
	case 2 * SuffixLen:
		return p[:SuffixLen], p[SuffixLen:]
	}
	return nil, nil
}
