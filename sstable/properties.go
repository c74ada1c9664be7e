package sstable

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Properties describe a finished file.
type Properties struct {
	NumEntries    uint64
	NumTombstones uint64
	NumBlocks     uint64 // data blocks
	NumUniform    uint64 // data blocks that store their one suffix once
	RawKeyBytes   uint64
	RawValueBytes uint64
	DataBytes     uint64 // data blocks as they lie on disk
	FileBytes     uint64

	// Smallest and Largest are the first and the last key, nil in an empty file.
	Smallest, Largest []byte
	// MinSuffix and MaxSuffix are the bytewise extremes of all suffixes, nil in
	// an empty file. Where suffixes are complemented timestamps, MaxSuffix
	// belongs to the oldest version.
	MinSuffix, MaxSuffix []byte

	// NestedPrefixes says that the prefix of some key is a proper beginning of
	// another's. Such files read well but cannot be given another suffix,
	// because that could change the order of their keys.
	NestedPrefixes bool

	// What the writer was told.
	BlockBytes  uint64
	Compression Compression
	Filter      FilterPolicy
	ForceMixed  bool

	// UserProperties holds each collector's property of the whole file, by name.
	UserProperties map[string][]byte
}

const (
	propNested     = 1 << 0
	propForceMixed = 1 << 1
)

// tableProperty is one collector's property of the whole file.
type tableProperty struct {
	name  string
	value []byte
}

// append encodes p and the collectors' properties, the built-in one first. An
// integer is a varint, a byte string a varint length and the bytes:
//
//	entries, tombstones, data blocks, uniform blocks, key bytes, value bytes,
//	data bytes, block bytes, compression, filter, flags (1 nested prefixes,
//	2 mixed blocks forced), smallest key, largest key, number of collectors;
//	for each: name, property
func (p *Properties) append(dst []byte, collected []tableProperty) []byte {
	flags := uint64(0)
	if p.NestedPrefixes {
		flags |= propNested
	}
	if p.ForceMixed {
		flags |= propForceMixed
	}
	for _, v := range []uint64{
		p.NumEntries, p.NumTombstones, p.NumBlocks, p.NumUniform, p.RawKeyBytes, p.RawValueBytes,
		p.DataBytes, p.BlockBytes, uint64(p.Compression), uint64(p.Filter), flags,
	} {
		dst = binary.AppendUvarint(dst, v)
	}
	dst = appendBytes(dst, p.Smallest)
	dst = appendBytes(dst, p.Largest)
	dst = binary.AppendUvarint(dst, uint64(len(collected)))
	for _, c := range collected {
		dst = appendBytes(dst, []byte(c.name))
		dst = appendBytes(dst, c.value)
	}
	return dst
}

// decode reads what append wrote, but for FileBytes, which the file's size
// tells. The result shares nothing with b.
func (p *Properties) decode(b []byte) (collected []tableProperty, err error) {
	d := decoder{b: b}
	var compression, filter, flags uint64
	for _, v := range []*uint64{
		&p.NumEntries, &p.NumTombstones, &p.NumBlocks, &p.NumUniform, &p.RawKeyBytes, &p.RawValueBytes,
		&p.DataBytes, &p.BlockBytes, &compression, &filter, &flags,
	} {
		*v = d.uvarint()
	}
	p.Compression, p.Filter = Compression(compression), FilterPolicy(filter)
	p.NestedPrefixes, p.ForceMixed = flags&propNested != 0, flags&propForceMixed != 0
	smallest, largest := d.bytes(), d.bytes()
	if p.NumEntries > 0 {
		p.Smallest, p.Largest = bytes.Clone(smallest), bytes.Clone(largest)
	}
	for n := d.uvarint(); n > 0 && d.err == nil; n-- {
		collected = append(collected, tableProperty{name: string(d.bytes()), value: bytes.Clone(d.bytes())})
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case len(d.b) > 0 || p.NumEntries > 0 && len(p.Smallest) <= SuffixLen:
		return nil, errDamagedProperties
	case len(collected) == 0 || collected[0].name != suffixRangeName:
		return nil, errDamagedProperties
	}
	p.setCollected(collected)
	if p.NumEntries > 0 && p.MinSuffix == nil {
		return nil, errDamagedProperties
	}
	return collected, nil
}

// setCollected fills the fields that collectors' properties end up in.
func (p *Properties) setCollected(collected []tableProperty) {
	p.MinSuffix, p.MaxSuffix = splitSuffixRange(collected[0].value)
	p.UserProperties = nil
	if len(collected) > 1 {
		p.UserProperties = make(map[string][]byte, len(collected)-1)
	}
	for _, c := range collected[1:] {
		p.UserProperties[c.name] = c.value
	}
}

var errDamagedProperties = errors.New("damaged properties")

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// decoder takes values off the front of b; after the first failure it returns
// zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.err = nil, errDamagedProperties
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.b, d.err = nil, errDamagedProperties
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}
