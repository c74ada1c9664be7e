package wal

import (
	"encoding/binary"
	"fmt"
	"io"

	"minidb/storage/vfs"
)

// Log is what was read of a log's file.
type Log struct {
	// Intact is false if the log has not even its first record, because the crash
	// came while it was made. Nothing was ever acknowledged from it.
	Intact bool
	// PrevEnd is where the log before this one ends.
	PrevEnd int64

	name string
	num  uint64
	file []byte
	body int64 // offset of the first record after the header
}

// Open reads the log num from the file name.
func Open(fsys vfs.FS, name string, num uint64) (*Log, error) {
	file, err := readAll(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	l := &Log{name: name, num: num, file: file}
	head, ok := decodeRecord(file, 0, num)
	if !ok {
		// Every record after the header carries a synced offset behind the header.
		return l, l.endAt(0)
	}
	version, n := binary.Uvarint(head.data)
	if head.kind != kindHeader || n <= 0 {
		return nil, corrupt(name, 0, "the log does not begin with a header")
	}
	if version != FormatVersion {
		return nil, fmt.Errorf("log %s has format version %d, this program knows %d", name, version, FormatVersion)
	}
	prevEnd, n := binary.Uvarint(head.data[n:])
	if n <= 0 {
		return nil, corrupt(name, 0, "malformed log header")
	}
	l.Intact, l.PrevEnd, l.body = true, int64(prevEnd), head.end
	return l, nil
}

func readAll(fsys vfs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, 0); err != nil && !(err == io.EOF && int64(n) == size) {
		return nil, err
	}
	return data, nil
}

// Replay calls fn with the data of each record, which lies in the log's memory,
// and returns where the log ends. limit is the log's end if its successor knows
// it, else negative.
//
// A bad record is the end of the log, unless the log was already durable beyond
// it: by limit, or by an intact record behind it. Then it is corruption.
func (l *Log) Replay(limit int64, fn func(offset int64, data []byte) error) (end int64, err error) {
	for at := l.body; ; {
		if limit >= 0 && at >= limit {
			if at > limit {
				return 0, corrupt(l.name, at, fmt.Sprintf("the next log says that this one ends at %d", limit))
			}
			return at, nil
		}
		r, ok := decodeRecord(l.file, at, l.num)
		if !ok {
			if limit >= 0 {
				return 0, corrupt(l.name, at, fmt.Sprintf("bad record before the end of the log at %d", limit))
			}
			return at, l.endAt(at)
		}
		switch r.kind {
		case KindData:
			if err := fn(at, r.data); err != nil {
				return 0, err
			}
		case kindEnd:
		default:
			return 0, corrupt(l.name, at, fmt.Sprintf("record of unknown kind %d", r.kind))
		}
		at = r.end
	}
}

// endAt decides whether a bad record at offset may be the end of the log: not if
// an intact record behind it says that the log was durable beyond offset.
func (l *Log) endAt(offset int64) error {
	for at := offset + alignment; at+headerLen <= int64(len(l.file)); at += alignment {
		if binary.LittleEndian.Uint64(l.file[at+8:]) != l.num {
			continue
		}
		if r, ok := decodeRecord(l.file, at, l.num); ok && r.synced > offset {
			return corrupt(l.name, offset, fmt.Sprintf("bad record in the part that was durable (up to %d)", r.synced))
		}
	}
	return nil
}
