package manifest

import (
	"bytes"
	"encoding/binary"
	"errors"

	"minidb/sstable"
)

// Edit is a change of the store that becomes durable as a whole.
type Edit struct {
	// MinLog, if not 0, is the first log that recovery must replay.
	MinLog uint64
	// NextFile is above every file number in use.
	NextFile uint64
	Removed  []Removed
	Added    []Added
}

// Empty reports whether the edit changes nothing.
func (e *Edit) Empty() bool { return e.MinLog == 0 && len(e.Removed) == 0 && len(e.Added) == 0 }

// Removed names a file that leaves a level.
type Removed struct {
	Level int
	Num   uint64
}

// Added is a file that enters a level.
type Added struct {
	Level int
	File  *File
}

// The fields of an encoded edit, each a uvarint tag and its content.
const (
	tagMinLog   = 1
	tagNextFile = 2
	tagRemoved  = 3
	tagAdded    = 4
)

// appendEdit encodes e.
func appendEdit(dst []byte, e *Edit) []byte {
	put := func(values ...uint64) {
		for _, v := range values {
			dst = binary.AppendUvarint(dst, v)
		}
	}
	if e.MinLog != 0 {
		put(tagMinLog, e.MinLog)
	}
	if e.NextFile != 0 {
		put(tagNextFile, e.NextFile)
	}
	for _, r := range e.Removed {
		put(tagRemoved, uint64(r.Level), r.Num)
	}
	for _, a := range e.Added {
		f := a.File
		put(tagAdded, uint64(a.Level), f.Num, f.Bytes, f.Entries, f.Tombstones)
		for _, b := range [][]byte{f.Smallest, f.Largest, f.MinSuffix, f.MaxSuffix} {
			put(uint64(len(b)))
			dst = append(dst, b...)
		}
	}
	return dst
}

var errMalformed = errors.New("malformed version edit")

// decoder reads the fields of an edit; after a malformed one bad is set and all
// further reads give zero values.
type decoder struct {
	src []byte
	bad bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.src)
	if n <= 0 {
		d.bad, d.src = true, nil
		return 0
	}
	d.src = d.src[n:]
	return v
}

func (d *decoder) level() int {
	v := d.uvarint()
	if v >= NumLevels {
		d.bad = true
		return 0
	}
	return int(v)
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.src)) {
		d.bad, d.src = true, nil
		return nil
	}
	b := d.src[:n]
	d.src = d.src[n:]
	return bytes.Clone(b)
}

func (d *decoder) file() *File {
	f := &File{Num: d.uvarint(), Bytes: d.uvarint(), Entries: d.uvarint(), Tombstones: d.uvarint()}
	f.Smallest, f.Largest, f.MinSuffix, f.MaxSuffix = d.bytes(), d.bytes(), d.bytes(), d.bytes()
	if len(f.Smallest) <= sstable.SuffixLen || len(f.Largest) <= sstable.SuffixLen ||
		len(f.MinSuffix) != sstable.SuffixLen || len(f.MaxSuffix) != sstable.SuffixLen ||
		bytes.Compare(f.Smallest, f.Largest) > 0 {
		d.bad = true
	}
	return f
}

func decodeEdit(src []byte) (*Edit, error) {
	d, e := &decoder{src: src}, &Edit{}
	for len(d.src) > 0 && !d.bad {
		switch d.uvarint() {
		case tagMinLog:
			e.MinLog = d.uvarint()
		case tagNextFile:
			e.NextFile = d.uvarint()
		case tagRemoved:
			e.Removed = append(e.Removed, Removed{d.level(), d.uvarint()})
		case tagAdded:
			e.Added = append(e.Added, Added{d.level(), d.file()})
		default:
			d.bad = true
		}
	}
	if d.bad {
		return nil, errMalformed
	}
	return e, nil
}
