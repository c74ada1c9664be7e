package sql

import (
	"bytes"
	"context"
	"fmt"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// CheckResult says what Check has looked at.
type CheckResult struct {
	Tables, Rows, IndexEntries int64
}

// Check reads every table at one snapshot and verifies that its secondary
// indexes hold exactly the entries that its rows call for. It verifies what is
// stored, not the files' checksums: kv.DB.Check does that.
//
// Errors: the first disagreement, as text that names table, index and key.
func (e *Engine) Check(ctx context.Context) (CheckResult, error) {
	var result CheckResult
	txn, err := e.options.KV.Begin(kv.TxnOptions{Isolation: kv.RepeatableRead, ReadOnly: true})
	if err != nil {
		return result, err
	}
	defer txn.Rollback()
	contents, err := e.catalog.View(txn).Contents(ctx)
	if err != nil {
		return result, err
	}
	for _, t := range contents.Tables {
		if t.Kind != catalog.KindTable {
			continue
		}
		c := tableCheck{txn: txn, table: t, want: map[catalog.IndexID]int64{}}
		if err := c.rows(ctx); err != nil {
			return result, fmt.Errorf("table %s: %w", t.Name, err)
		}
		for i := range t.Indexes {
			n, err := c.count(ctx, &t.Indexes[i])
			if err != nil {
				return result, fmt.Errorf("table %s: index %s: %w", t.Name, t.Indexes[i].Name, err)
			}
			result.IndexEntries += n
		}
		result.Tables++
		result.Rows += c.n
	}
	return result, nil
}

// tableCheck compares one table's rows with its indexes.
type tableCheck struct {
	txn   *kv.Txn
	table *catalog.Table
	n     int64
	want  map[catalog.IndexID]int64 // entries that the rows call for
}

// rows visits every row and looks its index entries up.
func (c *tableCheck) rows(ctx context.Context) error {
	t := c.table
	columns := make([]catalog.ColumnID, len(t.Columns))
	columnTypes := make([]types.Type, len(t.Columns))
	for i, col := range t.Columns {
		columns[i], columnTypes[i] = col.ID, col.Type
	}
	batch := types.NewBatch(columnTypes)
	it, err := c.txn.NewIter(ctx, rowenc.IndexSpan(t.ID, t.Primary.ID), kv.IterOptions{})
	if err != nil {
		return err
	}
	defer it.Close()
	virtual := exec.NewVirtuals(ctx, &types.Context{}, t)
	dec := rowenc.NewDecoder(t, &t.Primary, columns)
	enc := rowenc.NewEncoder(t)
	for more := it.Next(); more; {
		dec.Reset(batch)
		full := false
		for more && !full {
			if full, err = dec.Add(it.Key(), it.Value()); err != nil {
				return err
			}
			if !full {
				more = it.Next()
			}
		}
		dec.Finish()
		if err := c.batch(ctx, enc, virtual, batch); err != nil {
			return err
		}
	}
	return it.Err()
}

func (c *tableCheck) batch(ctx context.Context, enc *rowenc.Encoder, virtual *exec.Virtuals, b *types.Batch) error {
	row := make([]types.Datum, len(b.Cols))
	for i := range b.N {
		for j := range b.Cols {
			row[j] = b.Cols[j].Datum(i)
		}
		c.n++
		if err := virtual.Set(row); err != nil {
			return err
		}
		err := enc.Insert(row, func(e *rowenc.Entry) error {
			c.want[e.Index.ID]++
			value, ok, err := c.txn.Get(ctx, e.Key)
			switch {
			case err != nil:
				return err
			case !ok:
				return fmt.Errorf("index %s: the entry %x of a row is missing", e.Index.Name, e.Key)
			case e.Index.Primary && c.table.Altered():
				// The row may have values of columns that are gone.
			case !bytes.Equal(value, e.Value):
				return fmt.Errorf("index %s: the entry %x is %x, the row calls for %x", e.Index.Name, e.Key, value, e.Value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// count counts the entries of a secondary index and compares with what the rows
// call for: since each of those was found, an equal count means equal sets.
func (c *tableCheck) count(ctx context.Context, x *catalog.Index) (int64, error) {
	it, err := c.txn.NewIter(ctx, rowenc.IndexSpan(c.table.ID, x.ID), kv.IterOptions{})
	if err != nil {
		return 0, err
	}
	defer it.Close()
	var n int64
	for it.Next() {
		n++
	}
	if err := it.Err(); err != nil {
		return n, err
	}
	if n != c.want[x.ID] {
		return n, fmt.Errorf("%d entries, the table's rows call for %d", n, c.want[x.ID])
	}
	return n, nil
}
