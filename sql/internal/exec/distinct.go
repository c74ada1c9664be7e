package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// distinct passes the first row of each set of rows that are equal in some columns. When it has no room for more keys, it puts rows with
// others aside, by the hashes of the keys, and takes them afterwards.
type distinct struct {
	env   *Env
	input Operator
	node  *plan.Distinct
	seen  keyTable
	from  rowSource // the input, or rows that were put aside
	aside aside
	last  []byte // the key of the last row, if the rows are sorted
	any   bool
	key   []byte
	bytes int64
	types []types.Type
	out   types.Batch
}

func (d *distinct) Open(ctx context.Context) error {
	d.any, d.from = false, d.input
	d.types = d.node.Types()
	return d.input.Open(ctx)
}

func (d *distinct) Next(ctx context.Context) (*types.Batch, error) {
	for d.from != nil {
		in, err := d.from.Next(ctx)
		if err != nil {
			return nil, err
		}
		if in == nil {
			if d.from, err = d.aside.next(); d.from == nil || err != nil {
				return nil, err
			}
			d.forget()
			continue
		}
		d.out.Cols, d.out.N, d.out.Sel = in.Cols, in.N, noneSelected(d.out.Sel)
		for r := range in.Rows() {
			d.key = d.key[:0]
			for _, c := range d.node.Columns {
				v := in.Datum(c, r)
				d.key = rowenc.AppendKey(d.key, d.types[c], &v)
			}
			fresh, err := d.isNew(in, r)
			if err != nil {
				return nil, err
			}
			if fresh {
				d.out.Sel = append(d.out.Sel, int32(in.Row(r)))
			}
		}
		if len(d.out.Sel) > 0 {
			return &d.out, nil
		}
	}
	return nil, nil
}

// isNew reports whether the key of a row was not seen before, and remembers it; if there is no room it puts the row aside.
func (d *distinct) isNew(in *types.Batch, r int) (bool, error) {
	if d.node.Sorted {
		if d.any && string(d.last) == string(d.key) {
			return false, nil
		}
		d.last, d.any = append(d.last[:0], d.key...), true
		return true, nil
	}
	sum := hashKey(d.key)
	if d.seen.find(d.key, sum) >= 0 {
		return false, nil
	}
	if d.aside.isFull(d.env, d.types, d.bytes) {
		return false, d.aside.parts.add(in, r, sum)
	}
	d.seen.add(d.key, sum)
	n := int64(len(d.key)) + mapEntryBytes
	if err := d.env.Memory.grow(n); err != nil {
		return false, err
	}
	d.bytes += n
	return true, nil
}

// forget drops the keys.
func (d *distinct) forget() {
	d.env.Memory.shrink(d.bytes)
	d.seen.reset()
	d.bytes = 0
}

// mapEntryBytes is about what a map entry with a string key takes beside the key.
const mapEntryBytes = 48

func (d *distinct) Close() {
	d.input.Close()
	d.forget()
	d.aside.remove()
	d.from = nil
}
