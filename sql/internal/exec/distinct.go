package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// distinct passes the first row of each set of rows that are equal in some columns.
type distinct struct {
	env   *Env
	input Operator
	node  *plan.Distinct
	seen  keySet
	last  []byte // the key of the last row, if the rows are sorted
	any   bool
	key   []byte
	bytes int64
	types []types.Type
	out   types.Batch
}

func (d *distinct) Open(ctx context.Context) error {
	d.any = false
	d.types = d.node.Types()
	return d.input.Open(ctx)
}

func (d *distinct) Next(ctx context.Context) (*types.Batch, error) {
	for {
		in, err := d.input.Next(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		d.out.Cols, d.out.N, d.out.Sel = in.Cols, in.N, noneSelected(d.out.Sel)
		for r := range in.Rows() {
			d.key = d.key[:0]
			for _, c := range d.node.Columns {
				v := in.Datum(c, r)
				d.key = rowenc.AppendKey(d.key, d.types[c], &v)
			}
			fresh, err := d.isNew()
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
}

// isNew reports whether key was not seen before, and remembers it.
func (d *distinct) isNew() (bool, error) {
	if d.node.Sorted {
		if d.any && string(d.last) == string(d.key) {
			return false, nil
		}
		d.last, d.any = append(d.last[:0], d.key...), true
		return true, nil
	}
	if !d.seen.add(d.key) {
		return false, nil
	}
	n := int64(len(d.key)) + mapEntryBytes
	if err := d.env.Memory.grow(n); err != nil {
		return false, err
	}
	d.bytes += n
	return true, nil
}

// mapEntryBytes is about what a map entry with a string key takes beside the key.
const mapEntryBytes = 48

func (d *distinct) Close() {
	d.input.Close()
	d.env.Memory.shrink(d.bytes)
	d.seen.reset()
	d.bytes = 0
}
