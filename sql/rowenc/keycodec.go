package rowenc

import (
	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/types"
)

// IndexSpan is the span of all entries of an index.
func IndexSpan(table catalog.ID, index catalog.IndexID) kv.Span {
	return kv.PrefixSpan(IndexPrefix(table, index))
}

// TableSpan is the span of all entries of all indexes a table has or had.
func TableSpan(table catalog.ID) kv.Span {
	return kv.PrefixSpan(appendID(nil, uint32(table)))
}

// Bound is one end of a range of values.
type Bound struct {
	Datum     types.Datum // not NULL
	Inclusive bool
}

// KeyCodec makes spans of an index and reads its keys. It is safe for concurrent use.
type KeyCodec struct {
	table  catalog.ID
	index  catalog.IndexID
	prefix []byte
	keys   []keyColumn // declared, then the suffix
	n      int         // declared ones
	rowKey []rowKeyPart
	row    []byte // prefix of the primary index
}

// rowKeyPart says where a column of the primary key is in an entry of the index.
type rowKeyPart struct {
	at     int // in keys
	id     catalog.ColumnID
	kind   valueKind
	column keyColumn // as in the primary key
}

// NewKeyCodec makes the codec of an index.
func NewKeyCodec(t *catalog.Table, x *catalog.Index) *KeyCodec {
	c := &KeyCodec{table: t.ID, index: x.ID, prefix: IndexPrefix(t.ID, x.ID), row: IndexPrefix(t.ID, t.Primary.ID)}
	c.keys = keyColumns(t, x)
	c.n = len(c.keys)
	if !x.Primary {
		c.keys = append(c.keys, suffixColumns(t, x)...)
	}
	for _, k := range t.Primary.Keys {
		p := rowKeyPart{id: k.Column, column: newKeyColumn(t, k)}
		p.kind = valueKindOf(p.column.typ)
		for i := range c.keys {
			if c.keys[i].ordinal == p.column.ordinal {
				p.at = i
				break
			}
		}
		c.rowKey = append(c.rowKey, p)
	}
	return c
}

// Span is the entries whose first len(eq) key columns have the given values (NULL: are NULL) and whose next one is not NULL
// and within lo and hi, of which nil is no bound. With neither, the next column may be anything. The span's order is the
// index's: bounds are those of the values, whatever the direction of the column.
func (c *KeyCodec) Span(eq []types.Datum, lo, hi *Bound) kv.Span {
	s, _ := c.AppendSpan(nil, eq, lo, hi)
	return s
}

// AppendSpan is Span that appends the keys to dst, which it returns.
func (c *KeyCodec) AppendSpan(dst []byte, eq []types.Datum, lo, hi *Bound) (s kv.Span, rest []byte) {
	from := len(dst)
	dst = append(dst, c.prefix...)
	for i := range eq {
		dst = c.keys[i].append(dst, &eq[i])
	}
	shared := len(dst) - from
	if lo != nil || hi != nil {
		k := &c.keys[len(eq)]
		if k.desc {
			lo, hi = hi, lo
		}
		dst = k.appendEnd(dst, from, lo, true)
		s.Start = dst[from:len(dst):len(dst)]
		from = len(dst)
		dst = k.appendEnd(append(dst, s.Start[:shared]...), from, hi, false)
		s.End = dst[from:len(dst):len(dst)]
		if string(s.Start) > string(s.End) {
			s.Start = s.End // lo is above hi: nothing
		}
		return s, dst
	}
	s.Start = dst[from:len(dst):len(dst)]
	from = len(dst)
	dst = append(dst, s.Start...)
	s.End = prefixEnd(dst[from:])
	return s, dst
}

// appendEnd appends the value of a bound to the key that begins at from. What has the value itself lies behind a start that includes it
// and an end that does not.
func (k *keyColumn) appendEnd(dst []byte, from int, b *Bound, isStart bool) []byte {
	switch {
	case b == nil && isStart:
		return append(dst, nullFirst+1)
	case b == nil:
		return append(dst, nullLast)
	}
	dst = k.append(dst, &b.Datum)
	if b.Inclusive != isStart {
		dst = dst[:from+len(prefixEnd(dst[from:]))]
	}
	return dst
}

// NotNullSpan is the entries whose first len(eq) key columns have the given values and whose next one is not NULL.
func (c *KeyCodec) NotNullSpan(eq []types.Datum) kv.Span {
	s := c.Span(eq, nil, nil)
	return kv.Span{Start: append(s.Start[:len(s.Start):len(s.Start)], nullFirst+1), End: append(s.Start, nullLast)}
}

// AppendKey appends the key, without the family, of the entry whose declared key columns have the given values; for a
// unique index and values that are not NULL this is its whole name.
func (c *KeyCodec) AppendKey(dst []byte, values []types.Datum) []byte {
	dst = append(dst, c.prefix...)
	for i := range values {
		dst = c.keys[i].append(dst, &values[i])
	}
	return dst
}

// Decode gives the values of the declared key columns, as the key has them: a numeric without its zeros at the end. They
// may share memory with key.
func (c *KeyCodec) Decode(key []byte) ([]types.Datum, error) {
	table, index, rest, err := DecodeIndexPrefix(key)
	if err != nil {
		return nil, err
	}
	if table != c.table || index != c.index {
		return nil, corrupt("key of another index")
	}
	values := make([]types.Datum, c.n)
	for i := range values {
		if values[i], rest, _, err = c.keys[i].decode(rest, nil); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// AppendRowKey appends the name of the row, in the primary index, that an entry of this index belongs to.
//
// Errors: XX001.
func (c *KeyCodec) AppendRowKey(dst, key, value []byte) ([]byte, error) {
	if len(key) <= len(c.prefix) || string(key[:len(c.prefix)]) != string(c.prefix) {
		return nil, corrupt("key of another index")
	}
	var ends [2 * catalog.MaxIndexKeys]int
	at := len(c.prefix)
	end := len(key) - 1
	n := 0
	for ; n < len(c.keys) && at < end; n++ {
		l, err := c.keys[n].length(key[at:end])
		if err != nil {
			return nil, err
		}
		at += l
		ends[n] = at
	}
	if n < c.n {
		return nil, corrupt("an index entry lacks key columns")
	}
	dst = append(dst, c.row...)
	for i := range c.rowKey {
		p := &c.rowKey[i]
		if p.at >= n {
			var err error
			if dst, err = p.fromValue(dst, value); err != nil {
				return nil, err
			}
			continue
		}
		from := len(c.prefix)
		if p.at > 0 {
			from = ends[p.at-1]
		}
		start := len(dst)
		dst = append(dst, key[from:ends[p.at]]...)
		if c.keys[p.at].desc != p.column.desc {
			invert(dst[start:])
		}
	}
	return dst, nil
}

// fromValue appends the column as the value has it.
func (p *rowKeyPart) fromValue(dst, value []byte) ([]byte, error) {
	var r valueReader
	if err := r.init(value); err != nil {
		return nil, err
	}
	i := r.find(p.id)
	if i < 0 {
		return nil, corrupt("an index entry without its primary key")
	}
	b, err := r.bytes(i)
	if err != nil {
		return nil, err
	}
	d, err := decodeValue(b, p.kind)
	if err != nil {
		return nil, err
	}
	return p.column.append(dst, &d), nil
}
