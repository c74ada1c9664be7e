package types

import "github.com/cockroachdb/apd/v3"

// MaxBatchRows is how many rows a batch holds at most.
const MaxBatchRows = 1024

// Vec is a column of values of one type. Rows are counted from 0; a NULL row has a place in the value slices too.
//
//	KindInt      I[i]
//	KindNumeric  I[i], Scale[i], and Big[i] if Big is long enough and Big[i] is not nil
//	KindBytes    B[Off[i]:Off[i+1]]
//
// The slices may be read directly by loops that know the kind. A Vec is for one goroutine at a time.
type Vec struct {
	Type  Type
	I     []int64
	Scale []int16
	Big   []*apd.Decimal // nil or shorter than the rows while no row needs it
	Off   []int32        // n+1 offsets into B
	B     []byte

	nulls    []uint64 // bit i set: row i is NULL; may be shorter than the rows
	hasNulls bool
	n        int
	kind     Kind
}

// Init empties the column and sets its type. It keeps the memory it has.
func (v *Vec) Init(t Type) {
	v.Type, v.kind = t, t.Kind()
	v.Reset()
}

// Reset empties the column and keeps its memory and type.
func (v *Vec) Reset() {
	v.I, v.Scale, v.B = v.I[:0], v.Scale[:0], v.B[:0]
	clear(v.Big)
	v.Big = v.Big[:0]
	if v.kind == KindBytes {
		v.Off = append(v.Off[:0], 0)
	}
	clear(v.nulls)
	v.nulls = v.nulls[:0]
	v.hasNulls = false
	v.n = 0
}

// Len is the number of rows.
func (v *Vec) Len() int { return v.n }

// IsNull reports whether row i is NULL.
func (v *Vec) IsNull(i int) bool {
	return v.hasNulls && i>>6 < len(v.nulls) && v.nulls[i>>6]&(1<<(i&63)) != 0
}

// SetNull makes row i, which exists, NULL.
func (v *Vec) SetNull(i int) {
	for len(v.nulls) <= i>>6 {
		v.nulls = append(v.nulls, 0)
	}
	v.nulls[i>>6] |= 1 << (i & 63)
	v.hasNulls = true
}

// Datum is the value of row i. It points into the column.
func (v *Vec) Datum(i int) Datum {
	if v.IsNull(i) {
		return NullDatum
	}
	switch v.kind {
	case KindInt:
		return Datum{I: v.I[i]}
	case KindNumeric:
		if i < len(v.Big) && v.Big[i] != nil {
			return Datum{Big: v.Big[i]}
		}
		return Datum{I: v.I[i], Scale: v.Scale[i]}
	default:
		lo, hi := v.Off[i], v.Off[i+1]
		return Datum{B: v.B[lo:hi:hi]}
	}
}

// Bytes is the value of row i of a KindBytes column. It points into the column.
func (v *Vec) Bytes(i int) []byte {
	lo, hi := v.Off[i], v.Off[i+1]
	return v.B[lo:hi:hi]
}

// Append adds a row with a copy of d.
func (v *Vec) Append(d Datum) {
	if d.Null {
		v.AppendNull()
		return
	}
	switch v.kind {
	case KindInt:
		v.I = append(v.I, d.I)
	case KindNumeric:
		if d.Big != nil {
			for len(v.Big) < v.n {
				v.Big = append(v.Big, nil)
			}
			v.Big = append(v.Big, d.Big)
		} else if len(v.Big) > 0 {
			v.Big = append(v.Big, nil)
		}
		v.I = append(v.I, d.I)
		v.Scale = append(v.Scale, d.Scale)
	default:
		v.B = append(v.B, d.B...)
		v.Off = append(v.Off, int32(len(v.B)))
	}
	v.n++
}

// AppendVec adds copies of all rows of src, which has the same type.
func (v *Vec) AppendVec(src *Vec) {
	if v.kind != KindInt && v.kind != KindBytes || v.kind != src.kind || src.hasNulls {
		for i := range src.n {
			v.Append(src.Datum(i))
		}
		return
	}
	if v.kind == KindInt {
		v.I = append(v.I, src.I...)
	} else if src.n > 0 {
		base := int32(len(v.B)) - src.Off[0]
		v.B = append(v.B, src.B[src.Off[0]:]...)
		for _, end := range src.Off[1:] {
			v.Off = append(v.Off, base+end)
		}
	}
	v.n += src.n
}

// AppendInt adds a row to a KindInt column.
func (v *Vec) AppendInt(i int64) {
	v.I = append(v.I, i)
	v.n++
}

// AppendBytes adds a row with a copy of b to a KindBytes column.
func (v *Vec) AppendBytes(b []byte) {
	v.B = append(v.B, b...)
	v.Off = append(v.Off, int32(len(v.B)))
	v.n++
}

// AppendNull adds a NULL row.
func (v *Vec) AppendNull() {
	switch v.kind {
	case KindInt:
		v.I = append(v.I, 0)
	case KindNumeric:
		v.I = append(v.I, 0)
		v.Scale = append(v.Scale, 0)
		if len(v.Big) > 0 {
			v.Big = append(v.Big, nil)
		}
	default:
		v.Off = append(v.Off, int32(len(v.B)))
	}
	v.n++
	v.SetNull(v.n - 1)
}

// Batch is some rows as columns. Without Sel its rows are 0..N-1; with Sel they are the rows Sel names, in that order.
// A batch from a producer is valid until the next call to that producer.
type Batch struct {
	Cols []Vec
	N    int
	Sel  []int32
}

// NewBatch makes an empty batch with a column for each type.
func NewBatch(ts []Type) *Batch {
	b := &Batch{}
	b.Init(ts)
	return b
}

// Init empties the batch and gives it a column for each type. It keeps the memory it has.
func (b *Batch) Init(ts []Type) {
	if cap(b.Cols) < len(ts) {
		b.Cols = append(b.Cols[:cap(b.Cols)], make([]Vec, len(ts)-cap(b.Cols))...)
	}
	b.Cols = b.Cols[:len(ts)]
	for i := range b.Cols {
		b.Cols[i].Init(ts[i])
	}
	b.N, b.Sel = 0, nil
}

// Reset empties the batch and keeps its columns' types and memory.
func (b *Batch) Reset() {
	for i := range b.Cols {
		b.Cols[i].Reset()
	}
	b.N, b.Sel = 0, nil
}

// Rows is how many rows the batch has: those of Sel, if there is one.
func (b *Batch) Rows() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.N
}

// Row turns the r-th of Rows into the row number that the columns use.
func (b *Batch) Row(r int) int {
	if b.Sel != nil {
		return int(b.Sel[r])
	}
	return r
}

// Datum is the value in column c of the r-th of Rows. It points into the batch.
func (b *Batch) Datum(c, r int) Datum { return b.Cols[c].Datum(b.Row(r)) }

// AppendRow adds a row with copies of the datums, one a column. Requires that there is no Sel.
func (b *Batch) AppendRow(row []Datum) {
	for i := range b.Cols {
		b.Cols[i].Append(row[i])
	}
	b.N++
}
