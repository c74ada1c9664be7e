// Package rowenc turns rows into KVs and back. It knows what a table looks like (catalog) and how values look (types),
// but nothing of transactions, statements or who reads and writes the KVs.
//
// A key is
//
//	table id ‖ index id ‖ key columns [‖ primary key columns] ‖ family id
//
// in encodings whose bytewise order is SQL's order and of which none is a prefix of another. A value is a directory of
// column ids and offsets, then the columns' bytes. docs/formats/rows.md has all of it with an example.
//
// Reading order: key.go (one column in a key), value.go (one column in a value, and the directory), [Encoder] (a row to
// the KVs of all its indexes), [Decoder] (KVs to columns of a batch), [KeyCodec] (spans, and keys back to values).
//
// Bytes that cannot be a key or value are an *sqlerr.Error with XX001, never a panic.
package rowenc

import (
	"bytes"
	"fmt"

	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// corrupt reports damaged bytes of a row.
func corrupt(format string, args ...any) error {
	return sqlerr.New(sqlerr.DataCorrupted, "row is damaged: %s", fmt.Sprintf(format, args...))
}

// Keyable reports whether values of a type can be in the key of an index.
func Keyable(t types.Type) bool {
	_, ok := keyKindOf(t)
	return ok
}

// appendID appends an id so that the order of bytes is the order of ids: one byte below 240, else 239 + n and n bytes big
// endian, n as small as can be.
func appendID(dst []byte, id uint32) []byte {
	switch {
	case id < 0xf0:
		return append(dst, byte(id))
	case id < 1<<8:
		return append(dst, 0xf0, byte(id))
	case id < 1<<16:
		return append(dst, 0xf1, byte(id>>8), byte(id))
	case id < 1<<24:
		return append(dst, 0xf2, byte(id>>16), byte(id>>8), byte(id))
	default:
		return append(dst, 0xf3, byte(id>>24), byte(id>>16), byte(id>>8), byte(id))
	}
}

func decodeID(src []byte) (id uint32, rest []byte, err error) {
	if len(src) == 0 {
		return 0, nil, corrupt("key ends before an id")
	}
	b := src[0]
	if b < 0xf0 {
		return uint32(b), src[1:], nil
	}
	n := int(b) - 0xef
	if n > 4 || len(src) < 1+n {
		return 0, nil, corrupt("key has a bad id")
	}
	for _, c := range src[1 : 1+n] {
		id = id<<8 | uint32(c)
	}
	return id, src[1+n:], nil
}

// AppendIndexPrefix appends what all keys of an index begin with.
func AppendIndexPrefix(dst []byte, table catalog.ID, index catalog.IndexID) []byte {
	return appendID(appendID(dst, uint32(table)), uint32(index))
}

// IndexPrefix is what all keys of an index begin with.
func IndexPrefix(table catalog.ID, index catalog.IndexID) []byte {
	return AppendIndexPrefix(nil, table, index)
}

// IsBorder reports whether two keys, of which the first is the smaller one, belong to different indexes. It is kv.Options.Border.
func IsBorder(before, after []byte) bool {
	_, _, rest, err := DecodeIndexPrefix(before)
	return err == nil && !bytes.HasPrefix(after, before[:len(before)-len(rest)])
}

// DecodeIndexPrefix splits a key into its ids and the rest.
func DecodeIndexPrefix(key []byte) (table catalog.ID, index catalog.IndexID, rest []byte, err error) {
	t, rest, err := decodeID(key)
	if err != nil {
		return 0, 0, nil, err
	}
	i, rest, err := decodeID(rest)
	return catalog.ID(t), catalog.IndexID(i), rest, err
}

// prefixEnd is the end of the span of all keys that begin with prefix. It changes prefix in place. Requires a byte below
// 0xff in it, which every index prefix has.
func prefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; ; i-- {
		if prefix[i] != 0xff {
			prefix[i]++
			return prefix[:i+1]
		}
	}
}
