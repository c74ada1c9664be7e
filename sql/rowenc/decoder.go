package rowenc

import (
	"bytes"
	"math"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// maxBatchBytes bounds what the rows of a batch have in KVs, so that few rows are decoded at once where they are long.
const maxBatchBytes = 4 << 20

// Decoder turns the KVs of one index, in key order, into rows of a batch, putting the families of a row together and
// decoding the wanted columns only. Not safe for concurrent use.
//
//	d.Reset(batch)
//	for it.Next() {
//		if full, err := d.Add(it.Key(), it.Value()); full { … d.Finish(), give out the batch, Reset, Add the same KV again }
//	}
//	d.Finish()
type Decoder struct {
	prefix   []byte
	keys     []keyOutput // declared key columns, then the suffix, up to the last that is wanted
	declared int         // how many of the index's key columns are declared ones
	suffix   []keyColumn // only to know whether there is one
	first    familyDecoder
	others   []familyDecoder // families above 0 with wanted columns
	several  bool            // rows may have more than one KV

	batch    *types.Batch
	max      int
	maxBytes int
	bytes    int
	open     bool   // a row has begun and is not counted in batch.N yet
	row      []byte // its name, if several
	scratch  []byte
	datum    types.Datum
}

// keyOutput is a column of the key and where it goes.
type keyOutput struct {
	keyColumn
	out int // column of the batch, or -1
	id  catalog.ColumnID
	// inValue: the value may have the column too, and then counts.
	inValue bool
	value   valueKind
}

// familyDecoder decodes the wanted columns of one family.
type familyDecoder struct {
	id      catalog.FamilyID
	columns []valueOutput // by id
	rows    int           // rows of the batch that have got their columns
	reader  valueReader

	// Where the wanted columns are in a value with these ids: most values of a family have the same.
	lastIDs  []byte
	lastWide bool
	places   []int // -1: NULL
}

type valueOutput struct {
	id   catalog.ColumnID
	kind valueKind
	out  int
}

// NewDecoder makes a decoder of an index whose batches have the wanted columns in that order; each may be wanted once, and
// all must be in the index (ColumnsOf).
func NewDecoder(t *catalog.Table, x *catalog.Index, want []catalog.ColumnID) *Decoder {
	d := &Decoder{prefix: IndexPrefix(t.ID, x.ID), several: x.Primary && len(t.Families) > 1}
	keys := keyColumns(t, x)
	d.declared = len(keys)
	if !x.Primary {
		d.suffix = suffixColumns(t, x)
	}
	wanted := make([]bool, len(want))
	last := 0
	for i, k := range append(keys, d.suffix...) {
		o := keyOutput{keyColumn: k, out: -1, id: t.Columns[k.ordinal].ID, value: valueKindOf(k.typ)}
		o.inValue = k.mayLose() || i >= d.declared
		// A column twice in the key is taken from its first place.
		if w := slices.Index(want, o.id); w >= 0 && !wanted[w] {
			o.out, wanted[w], last = w, true, i+1
		}
		d.keys = append(d.keys, o)
	}
	d.keys = d.keys[:last]
	for w, id := range want {
		if wanted[w] {
			continue
		}
		var f catalog.FamilyID
		if x.Primary {
			f = t.FamilyOf(id)
		}
		fd := d.family(f, true)
		fd.columns = append(fd.columns, valueOutput{id, valueKindOf(t.Column(id).Type), w})
	}
	d.first.sort()
	for i := range d.others {
		d.others[i].sort()
	}
	return d
}

func (f *familyDecoder) sort() {
	slices.SortFunc(f.columns, func(a, b valueOutput) int { return int(a.id) - int(b.id) })
	f.places = make([]int, len(f.columns))
	for i := range f.places {
		f.places[i] = -1 // as in a value without ids, which lastIDs stands for
	}
}

// family finds the decoder of a family; nil if none of its columns is wanted.
func (d *Decoder) family(id catalog.FamilyID, add bool) *familyDecoder {
	if id == 0 {
		return &d.first
	}
	for i := range d.others {
		if d.others[i].id == id {
			return &d.others[i]
		}
	}
	if !add {
		return nil
	}
	d.others = append(d.others, familyDecoder{id: id})
	return &d.others[len(d.others)-1]
}

// ColumnsOf is the columns that a Decoder of an index can give: all of the table for the primary index, else those of the
// key, the primary key's and the stored ones.
func ColumnsOf(t *catalog.Table, x *catalog.Index) []catalog.ColumnID {
	var ids []catalog.ColumnID
	add := func(id catalog.ColumnID) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if x.Primary {
		for i := range t.Columns {
			add(t.Columns[i].ID)
		}
		return ids
	}
	for _, k := range x.Keys {
		add(k.Column)
	}
	for _, k := range t.Primary.Keys {
		add(k.Column)
	}
	for _, id := range x.Stored {
		add(id)
	}
	return ids
}

// Reset empties the batch, whose columns have the types of the wanted ones, and starts filling it, with up to
// types.MaxBatchRows rows.
func (d *Decoder) Reset(b *types.Batch) { d.ResetMax(b, types.MaxBatchRows) }

// ResetMax is Reset with another bound on the rows, at least 1.
func (d *Decoder) ResetMax(b *types.Batch, maxRows int) {
	d.ResetExact(b, maxRows)
	d.maxBytes = maxBatchBytes
}

// ResetExact is ResetMax without the bound on bytes: Add takes that many rows however long they are.
func (d *Decoder) ResetExact(b *types.Batch, rows int) {
	b.Reset()
	d.batch, d.max, d.maxBytes, d.bytes, d.open = b, rows, math.MaxInt, 0, false
	d.first.rows = 0
	for i := range d.others {
		d.others[i].rows = 0
	}
}

// Add takes the next KV. If it begins a row and the batch is full it is not taken and full is true: the batch is ready and
// the KV is to be added again after the next Reset. Key and value are not kept.
//
// Errors: XX001. The batch is of no use then.
func (d *Decoder) Add(key, value []byte) (full bool, err error) {
	n := len(key) - 1
	if n < len(d.prefix) || !bytes.Equal(key[:len(d.prefix)], d.prefix) {
		return false, corrupt("key of another index")
	}
	if key[n] == 0 {
		d.endRow()
		if d.batch.N >= d.max || d.bytes >= d.maxBytes {
			return true, nil
		}
		d.bytes += len(value)
		return false, d.beginRow(key[:n], value)
	}
	if !d.several || !d.open || !bytes.Equal(key[:n], d.row) {
		return false, corrupt("a family without its row")
	}
	f := d.family(catalog.FamilyID(key[n]), false)
	if f == nil {
		return false, nil
	}
	if f.rows > d.batch.N {
		return false, corrupt("a family twice in a row")
	}
	d.bytes += len(value)
	if err := f.reader.init(value); err != nil {
		return false, err
	}
	return false, f.decode(d.batch)
}

// Finish ends the last row. The batch is ready.
func (d *Decoder) Finish() { d.endRow() }

// beginRow decodes the key and the value of family 0.
func (d *Decoder) beginRow(row, value []byte) error {
	d.open = true
	if d.several {
		d.row = append(d.row[:0], row...)
	}
	if err := d.first.reader.init(value); err != nil {
		return err
	}
	rest := row[len(d.prefix):]
	for i := range d.keys {
		var err error
		if rest, err = d.addKeyColumn(&d.keys[i], rest, i >= d.declared && len(rest) == 0); err != nil {
			return err
		}
	}
	return d.first.decode(d.batch)
}

// addKeyColumn appends a column of the key, from the value if it is there. Absent: the key ends before its suffix.
func (d *Decoder) addKeyColumn(o *keyOutput, src []byte, absent bool) (rest []byte, err error) {
	if o.out < 0 {
		if absent {
			return src, nil
		}
		return o.skip(src)
	}
	col := &d.batch.Cols[o.out]
	if o.inValue {
		if i := d.first.reader.find(o.id); i >= 0 {
			b, err := d.first.reader.bytes(i)
			if err != nil {
				return nil, err
			}
			if err := appendColumn(col, o.value, b); err != nil || absent {
				return src, err
			}
			return o.skip(src)
		}
	}
	if absent {
		return nil, corrupt("an index entry without its primary key")
	}
	d.datum, rest, d.scratch, err = o.decode(src, d.scratch[:0])
	if err == nil {
		col.Append(d.datum)
	}
	return rest, err
}

// endRow gives the families that the row does not have their NULLs and counts the row.
func (d *Decoder) endRow() {
	if !d.open {
		return
	}
	d.open = false
	for i := range d.others {
		f := &d.others[i]
		if f.rows > d.batch.N {
			continue
		}
		for _, c := range f.columns {
			d.batch.Cols[c.out].AppendNull()
		}
		f.rows++
	}
	d.batch.N++
}

// find is the place of a column in the value, or -1.
func (r *valueReader) find(id catalog.ColumnID) int {
	for i := range r.n {
		switch got := r.id(i); {
		case got == id:
			return i
		case got > id:
			return -1
		}
	}
	return -1
}

// decode appends the wanted columns of the reader's value to the batch.
func (f *familyDecoder) decode(b *types.Batch) error {
	r := &f.reader
	if r.wide != f.lastWide || !bytes.Equal(r.ids, f.lastIDs) {
		f.locate()
	}
	for i := range f.columns {
		c := &f.columns[i]
		col := &b.Cols[c.out]
		if f.places[i] < 0 {
			col.AppendNull()
			continue
		}
		v, err := r.bytes(f.places[i])
		if err != nil {
			return err
		}
		if err := appendColumn(col, c.kind, v); err != nil {
			return err
		}
	}
	f.rows++
	return nil
}

// locate finds the wanted columns among the value's ids.
func (f *familyDecoder) locate() {
	r := &f.reader
	at := 0
	for i := range f.columns {
		for at < r.n && r.id(at) < f.columns[i].id {
			at++
		}
		f.places[i] = -1
		if at < r.n && r.id(at) == f.columns[i].id {
			f.places[i] = at
		}
	}
	f.lastIDs, f.lastWide = append(f.lastIDs[:0], r.ids...), r.wide
}

// appendColumn appends a column of a value to a column of a batch.
func appendColumn(col *types.Vec, kind valueKind, b []byte) error {
	switch kind {
	case valueInt:
		v, err := decodeValueInt(b)
		col.AppendInt(v)
		return err
	case valueBytes:
		col.AppendBytes(b)
		return nil
	}
	d, err := decodeValue(b, kind)
	if err == nil {
		col.Append(d)
	}
	return err
}
