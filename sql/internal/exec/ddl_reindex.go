package exec

import (
	"context"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// reindex runs REINDEX: the entries of secondary indexes are made anew from the rows, under new ids. The primary index is the rows
// themselves and stays as it is.
func (d *ddl) reindex(ctx context.Context, st *parse.ReindexStmt) error {
	if st.Concurrently {
		if err := d.refuseInBlock("REINDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	switch st.Kind {
	case parse.TableObject, parse.IndexObject:
		r, err := d.lookup(ctx, st.Name, kv.TableAccessExclusive)
		if err != nil {
			return err
		}
		if err := d.mustOwn(ctx, r); err != nil {
			return err
		}
		if r.Index == nil && st.Kind == parse.IndexObject {
			return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not an index", st.Name.Name)
		}
		if r.Index != nil && st.Kind == parse.TableObject || r.Table.Kind != catalog.KindTable {
			return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table or materialized view", st.Name.Name)
		}
		return d.rebuild(ctx, r.Table, r.Index)
	}
	return sqlerr.Unsupported("REINDEX of a schema or database")
}

// rebuild makes the entries of a secondary index anew, or of all if it is nil.
func (d *ddl) rebuild(ctx context.Context, t *catalog.Table, only *catalog.Index) error {
	a := d.alteration(t)
	for i := range a.t.Indexes {
		x := &a.t.Indexes[i]
		if only != nil && x.ID != only.ID {
			continue
		}
		id, err := d.env.View.Store().AllocateIndexIDs(ctx, t.ID, 1)
		if err != nil {
			return err
		}
		if err := a.renumberIndex(ctx, x, id); err != nil {
			return err
		}
		a.fill = append(a.fill, id)
	}
	if a.fill == nil {
		return nil
	}
	return a.finish(ctx)
}
