package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// catalogScan gives the rows of a system table.
type catalogScan struct {
	env  *Env
	node *plan.CatalogScan
	rows []pgcatalog.Row
	next int
	out  types.Batch
	// removed is how many rows did not fulfil the filter.
	removed int64
}

func (s *catalogScan) Open(context.Context) error {
	s.out.Init(s.node.Types())
	s.next = 0
	var err error
	s.rows, err = s.find()
	return err
}

// find gives the rows that any of the keys leaves: those of the key with the fewest.
func (s *catalogScan) find() ([]pgcatalog.Row, error) {
	rel := s.node.Relation
	if len(s.node.Keys) == 0 {
		return s.env.Catalog.Rows(rel)
	}
	var best []pgcatalog.Row
	for i, k := range s.node.Keys {
		var values []types.Datum
		for _, e := range k.Values {
			d, err := e.Eval(s.env.Eval, noRow)
			if err != nil {
				return nil, err
			}
			if !d.Null {
				values = append(values, d)
			}
		}
		rows, err := s.env.Catalog.Lookup(rel, k.Column, values)
		if err != nil {
			return nil, err
		}
		if i == 0 || len(rows) < len(best) {
			best = rows
		}
	}
	return best, nil
}

func (s *catalogScan) Next(ctx context.Context) (*types.Batch, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.out.Reset()
	var row expr.Datums
	for s.next < len(s.rows) && s.out.N < types.MaxBatchRows {
		row = s.rows[s.next]
		s.next++
		if oid := len(s.node.Relation.Columns); s.node.HasTableOID() && (s.node.Want == nil || s.node.Want[oid]) {
			row = append(row[:oid:oid], types.NewInt(int64(s.node.Relation.OID)))
		}
		if s.node.Filter != nil {
			ok, err := isTrue(s.env, s.node.Filter, &row)
			if err != nil {
				return nil, err
			}
			if !ok {
				s.removed++
				continue
			}
		}
		for c := range s.out.Cols {
			if s.node.Want == nil || s.node.Want[c] {
				s.out.Cols[c].Append(row[c])
			}
		}
		s.out.N++
	}
	if s.out.N == 0 {
		return nil, nil
	}
	return &s.out, nil
}

func (s *catalogScan) Close() { s.rows = nil }
