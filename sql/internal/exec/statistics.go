package exec

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

const (
	// sampleRows is how many rows ANALYZE looks at closely, if they fit sampleBytes; the others it counts.
	sampleRows = 30000
	// sampleBytes is what the sample takes at most: of tables with many columns it has fewer rows.
	sampleBytes = 64 << 20
	// maxSampleBytes is how much of a value the sample has.
	maxSampleBytes = 256
)

// sample is rows of a table of which each is as likely to be in as any other: a reservoir (Vitter's algorithm R).
type sample struct {
	most  int // rows
	total int64
	rows  []sampledRow
}

// sampledRow is a row and its place among all.
type sampledRow struct {
	at     int64
	row    []types.Datum
	widths []int32
}

// analyze collects the statistics of a table and stores them.
func analyze(ctx context.Context, env *Env, t *catalog.Table) error {
	s, err := takeSample(ctx, env, t)
	if err != nil {
		return err
	}
	out := &catalog.Statistics{Rows: s.total}
	for i := range t.Columns {
		if c := &t.Columns[i]; !c.Virtual() && c.ID != catalog.RowID && len(s.rows) > 0 {
			out.Columns = append(out.Columns, s.column(i, c))
		}
	}
	return env.View.SetStatistics(ctx, t.ID, out)
}

// takeSample reads all rows and decodes those that come into the sample.
func takeSample(ctx context.Context, env *Env, t *catalog.Table) (s *sample, err error) {
	it, err := env.Txn.NewIter(ctx, rowenc.IndexSpan(t.ID, t.Primary.ID), kv.IterOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	ids, ts := make([]catalog.ColumnID, len(t.Columns)), make([]types.Type, len(t.Columns))
	for i := range t.Columns {
		ids[i], ts[i] = t.Columns[i].ID, t.Columns[i].Type
	}
	decoder, batch := rowenc.NewDecoder(t, &t.Primary, ids), types.NewBatch(ts)
	s = &sample{most: sampleSize(t)}
	slot := -1 // of the row at hand
	finish := func() {
		if decoder.Finish(); slot >= 0 {
			s.put(slot, batch)
		}
	}
	for it.Next() {
		key := it.Key()
		if key[len(key)-1] == 0 { // family 0: a row begins
			finish()
			if slot = s.choose(); slot >= 0 {
				decoder.ResetExact(batch, 1)
			}
			if s.total%types.MaxBatchRows == 0 && context.Cause(ctx) != nil {
				return nil, context.Cause(ctx)
			}
		}
		if slot >= 0 {
			if _, err := decoder.Add(key, it.Value()); err != nil {
				return nil, err
			}
		}
	}
	finish()
	slices.SortFunc(s.rows, func(a, b sampledRow) int { return int(a.at - b.at) })
	return s, it.Err()
}

// sampleSize is how many rows of a table the sample has at most.
func sampleSize(t *catalog.Table) int {
	row := 0
	for i := range t.Columns {
		row += datumBytes
		if t.Columns[i].Type.Len() < 0 {
			row += maxSampleBytes
		}
	}
	return min(sampleRows, sampleBytes/max(row, 1))
}

// choose counts a row and gives its slot; -1 if it is left out.
func (s *sample) choose() int {
	s.total++
	if len(s.rows) < s.most {
		return len(s.rows)
	}
	if slot := rand.Int64N(s.total); slot < int64(s.most) {
		return int(slot)
	}
	return -1
}

// put copies the row of a batch into a slot.
func (s *sample) put(slot int, b *types.Batch) {
	r := sampledRow{at: s.total, row: copyRow(b, 0), widths: make([]int32, len(b.Cols))}
	for i := range r.row {
		d := &r.row[i]
		if r.widths[i] = int32(len(d.B)); len(d.B) > maxSampleBytes {
			d.B = slices.Clone(d.B[:maxSampleBytes])
		}
	}
	if slot == len(s.rows) {
		s.rows = append(s.rows, r)
	} else {
		s.rows[slot] = r
	}
}

// addRows counts new rows in the statistics of a table, if it has some or was empty.
func addRows(ctx context.Context, view *catalog.View, t *catalog.Table, rows int64, empty bool) error {
	known, err := view.Statistics(ctx, t.ID)
	if err != nil || known == nil && !empty {
		return err
	}
	var now catalog.Statistics
	if known != nil && !empty {
		now = *known
	}
	now.Rows += rows
	return view.SetStatistics(ctx, t.ID, &now)
}

// isEmpty reports whether a table has no rows.
func isEmpty(ctx context.Context, txn *kv.Txn, t *catalog.Table) (bool, error) {
	it, err := txn.NewIter(ctx, rowenc.IndexSpan(t.ID, t.Primary.ID), kv.IterOptions{})
	if err != nil {
		return false, err
	}
	found := it.Next()
	return !found, errors.Join(it.Err(), it.Close())
}
