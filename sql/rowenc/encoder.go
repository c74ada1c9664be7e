package rowenc

import (
	"bytes"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// Entry is one KV of a row. Its slices are valid until the encoder's next use.
type Entry struct {
	Index *catalog.Index
	Key   []byte
	Value []byte // nil: the key is to be deleted
	// RowLen is the length of the part of Key that names the row of a primary index or the entry of a secondary one: the
	// key without the family. Row locks have that name.
	RowLen int
	// Unique says that no other row may have the key: it is to be locked and found absent before it is written. False for
	// a secondary entry whose key ends in the primary key, for families above 0, and for an entry that the row had before.
	Unique bool
}

// Row is the name of the entry's row lock.
func (e *Entry) Row() []byte { return e.Key[:e.RowLen] }

// Encoder turns rows of one table into the KVs of its indexes. A row has a Datum for every column of the table, at the
// column's ordinal, the hidden ones included. It is not safe for concurrent use: each goroutine takes a Clone.
type Encoder struct {
	indexes []indexEncoder // the primary one first
	entry   Entry
	key     []byte
	oldKey  []byte
	value   []byte
	oldVal  []byte
	builder valueBuilder
}

// indexEncoder is how the entries of an index are made.
type indexEncoder struct {
	index    *catalog.Index
	prefix   []byte
	keys     []keyColumn
	suffix   []keyColumn // primary key columns that keys lacks; none in the primary index
	families []familyEncoder
	// partial: only rows in which the column of ordinal where is true have an entry.
	partial bool
	where   int
}

// has reports whether a row has an entry.
func (ix *indexEncoder) has(row []types.Datum) bool {
	return !ix.partial || !row[ix.where].Null && row[ix.where].Bool()
}

// familyEncoder is how the value of a family is made; a secondary index has one, family 0.
type familyEncoder struct {
	id      catalog.FamilyID
	columns []valueColumn // by id
}

// valueColumn is a column of a value.
type valueColumn struct {
	ordinal int
	id      catalog.ColumnID
	kind    valueKind
	when    valueWhen
	key     keyColumn // unless when is always
}

// valueWhen says when a column is in the value.
type valueWhen uint8

const (
	always    valueWhen = iota
	ifLossy             // a key column: when the key does not give it back exactly
	ifNotLast           // a primary key column of a unique index: when it is not at the key's end, or as ifLossy
)

// NewEncoder makes the encoder of all indexes of a table.
func NewEncoder(t *catalog.Table) *Encoder { return newEncoder(t, t.AllIndexes()) }

// NewIndexEncoder makes an encoder of a single index: for filling a new one from the rows of the table.
func NewIndexEncoder(t *catalog.Table, x *catalog.Index) *Encoder {
	return newEncoder(t, []*catalog.Index{x})
}

// NewEncoderOf makes an encoder of some indexes of a table.
func NewEncoderOf(t *catalog.Table, indexes []*catalog.Index) *Encoder { return newEncoder(t, indexes) }

func newEncoder(t *catalog.Table, indexes []*catalog.Index) *Encoder {
	e := &Encoder{}
	for _, x := range indexes {
		e.indexes = append(e.indexes, newIndexEncoder(t, x))
	}
	return e
}

// Clone makes an encoder for another goroutine.
func (e *Encoder) Clone() *Encoder { return &Encoder{indexes: e.indexes} }

func newIndexEncoder(t *catalog.Table, x *catalog.Index) indexEncoder {
	ix := indexEncoder{index: x, prefix: IndexPrefix(t.ID, x.ID), keys: keyColumns(t, x)}
	if x.Primary {
		for _, f := range t.Families {
			ix.families = append(ix.families, newFamilyEncoder(t, f, ix.keys))
		}
		first := &ix.families[0]
		first.columns = appendKeyValues(first.columns, t, ix.keys, ifLossy)
		sortValueColumns(first.columns)
		return ix
	}
	if x.Where != 0 {
		ix.partial, ix.where = true, t.Ordinal(x.Where)
	}
	ix.suffix = suffixColumns(t, x)
	var columns []valueColumn
	columns = appendKeyValues(columns, t, ix.keys, ifLossy)
	columns = appendKeyValues(columns, t, ix.suffix, ifNotLast)
	for _, id := range x.Stored {
		o := t.Ordinal(id)
		if !hasOrdinal(ix.keys, o) && !hasOrdinal(ix.suffix, o) {
			columns = append(columns, valueColumn{ordinal: o, id: id, kind: valueKindOf(t.Columns[o].Type)})
		}
	}
	sortValueColumns(columns)
	columns = slices.CompactFunc(columns, func(a, b valueColumn) bool { return a.id == b.id })
	ix.families = []familyEncoder{{columns: columns}}
	return ix
}

// keyColumns is the declared key columns of an index.
func keyColumns(t *catalog.Table, x *catalog.Index) []keyColumn {
	keys := make([]keyColumn, 0, len(x.Keys))
	for _, k := range x.Keys {
		keys = append(keys, newKeyColumn(t, k))
	}
	return keys
}

// suffixColumns is the primary key columns, ascending, that the key of a secondary index lacks.
func suffixColumns(t *catalog.Table, x *catalog.Index) []keyColumn {
	var suffix []keyColumn
	keys := keyColumns(t, x)
	for _, k := range t.Primary.Keys {
		if !hasOrdinal(keys, t.Ordinal(k.Column)) {
			suffix = append(suffix, newKeyColumn(t, catalog.IndexColumn{Column: k.Column}))
		}
	}
	return suffix
}

func newKeyColumn(t *catalog.Table, k catalog.IndexColumn) keyColumn {
	o := t.Ordinal(k.Column)
	c := keyColumn{ordinal: o, typ: t.Columns[o].Type, desc: k.Desc, nullsFirst: k.NullsFirst}
	c.kind, _ = keyKindOf(c.typ)
	return c
}

func hasOrdinal(keys []keyColumn, ordinal int) bool {
	return slices.ContainsFunc(keys, func(k keyColumn) bool { return k.ordinal == ordinal })
}

// newFamilyEncoder is that of a family of the primary index, without the key's columns.
func newFamilyEncoder(t *catalog.Table, f catalog.Family, keys []keyColumn) familyEncoder {
	fe := familyEncoder{id: f.ID}
	for _, id := range f.Columns {
		if o := t.Ordinal(id); !hasOrdinal(keys, o) {
			fe.columns = append(fe.columns, valueColumn{ordinal: o, id: id, kind: valueKindOf(t.Columns[o].Type)})
		}
	}
	sortValueColumns(fe.columns)
	return fe
}

// appendKeyValues appends the columns of a key that are in the value at times. Those that the key of a primary index loses
// are in family 0, whatever their own, so that a row's key is known as a whole from its first KV.
func appendKeyValues(columns []valueColumn, t *catalog.Table, keys []keyColumn, when valueWhen) []valueColumn {
	for _, k := range keys {
		if when == ifLossy && !k.mayLose() {
			continue
		}
		c := &t.Columns[k.ordinal]
		columns = append(columns, valueColumn{ordinal: k.ordinal, id: c.ID, kind: valueKindOf(c.Type), when: when, key: k})
	}
	return columns
}

func sortValueColumns(columns []valueColumn) {
	slices.SortStableFunc(columns, func(a, b valueColumn) int { return int(a.id) - int(b.id) })
}

// appendRow appends the key without its family and reports whether the primary key is at its end.
func (ix *indexEncoder) appendRow(dst []byte, row []types.Datum) (key []byte, suffixed bool) {
	dst = append(dst, ix.prefix...)
	null := false
	for i := range ix.keys {
		d := &row[ix.keys[i].ordinal]
		null = null || d.Null
		dst = ix.keys[i].append(dst, d)
	}
	if ix.index.Primary || ix.index.Unique && !null {
		return dst, false
	}
	for i := range ix.suffix {
		dst = ix.suffix[i].append(dst, &row[ix.suffix[i].ordinal])
	}
	return dst, true
}

// appendValue appends the value of a family. It gives dst back as it is, and false, if the family has no KV for the row.
func (e *Encoder) appendValue(dst []byte, f *familyEncoder, row []types.Datum, suffixed bool) ([]byte, bool) {
	b := &e.builder
	b.reset()
	for i := range f.columns {
		c := &f.columns[i]
		d := &row[c.ordinal]
		if d.Null {
			continue
		}
		switch c.when {
		case ifLossy:
			if !c.key.lossy(d) {
				continue
			}
		case ifNotLast:
			if suffixed && !c.key.lossy(d) {
				continue
			}
		}
		b.add(c.id, c.kind, d)
	}
	if f.id != 0 && b.empty() {
		return dst, false
	}
	return b.append(dst), true
}

// Insert calls emit for each KV of a new row: the primary index's families in order, then the secondary indexes.
func (e *Encoder) Insert(row []types.Datum, emit func(*Entry) error) error {
	return e.all(row, false, emit)
}

// Delete calls emit for each KV that a row has, with a nil Value.
func (e *Encoder) Delete(row []types.Datum, emit func(*Entry) error) error {
	return e.all(row, true, emit)
}

func (e *Encoder) all(row []types.Datum, gone bool, emit func(*Entry) error) error {
	for i := range e.indexes {
		if err := e.one(&e.indexes[i], row, gone, emit); err != nil {
			return err
		}
	}
	return nil
}

// one emits a row's KVs of one index, as deletions if gone.
func (e *Encoder) one(ix *indexEncoder, row []types.Datum, gone bool, emit func(*Entry) error) error {
	if !ix.has(row) {
		return nil
	}
	var suffixed bool
	e.key, suffixed = ix.appendRow(e.key[:0], row)
	n := len(e.key)
	for i := range ix.families {
		f := &ix.families[i]
		var ok bool
		if e.value, ok = e.appendValue(e.value[:0], f, row, suffixed); !ok {
			continue
		}
		e.key = append(e.key[:n], byte(f.id))
		e.entry = Entry{Index: ix.index, Key: e.key, RowLen: n}
		if !gone {
			e.entry.Value, e.entry.Unique = e.value, f.id == 0 && !suffixed
		}
		if err := emit(&e.entry); err != nil {
			return err
		}
	}
	return nil
}

// Update calls emit for each KV that differs between two versions of a row: for each index first what goes (nil Value), then
// what comes.
func (e *Encoder) Update(old, row []types.Datum, emit func(*Entry) error) error {
	for i := range e.indexes {
		if err := e.update(&e.indexes[i], old, row, emit); err != nil {
			return err
		}
	}
	return nil
}

func (e *Encoder) update(ix *indexEncoder, old, row []types.Datum, emit func(*Entry) error) error {
	var suffixed bool
	e.oldKey, _ = ix.appendRow(e.oldKey[:0], old)
	e.key, suffixed = ix.appendRow(e.key[:0], row)
	if !bytes.Equal(e.oldKey, e.key) || ix.partial && (!ix.has(old) || !ix.has(row)) {
		if err := e.one(ix, old, true, emit); err != nil {
			return err
		}
		return e.one(ix, row, false, emit)
	}
	n := len(e.key)
	for i := range ix.families {
		f := &ix.families[i]
		var had, has bool
		e.oldVal, had = e.appendValue(e.oldVal[:0], f, old, suffixed)
		e.value, has = e.appendValue(e.value[:0], f, row, suffixed)
		if !has && !had || has == had && bytes.Equal(e.oldVal, e.value) {
			continue
		}
		e.key = append(e.key[:n], byte(f.id))
		e.entry = Entry{Index: ix.index, Key: e.key, RowLen: n}
		if has {
			e.entry.Value = e.value
		}
		if err := emit(&e.entry); err != nil {
			return err
		}
	}
	return nil
}

// AppendRowKey appends the name of a row of the primary index: its key without the family. Only the primary key's columns
// are read. It must be an encoder with the primary index.
func (e *Encoder) AppendRowKey(dst []byte, row []types.Datum) []byte {
	dst, _ = e.indexes[0].appendRow(dst, row)
	return dst
}
