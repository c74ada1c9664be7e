package exec

import (
	"context"
	"errors"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
)

// drop runs DROP TABLE and DROP INDEX. CASCADE and RESTRICT make no difference: nothing depends on a table or index yet.
func (d *ddl) drop(ctx context.Context, st *parse.DropStmt) error {
	if st.Concurrently {
		if err := d.refuseInBlock("DROP INDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	for i, name := range st.Names {
		r, found, err := d.dropTarget(ctx, st, name)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if st.Kind == parse.TableObject {
			err = d.dropTable(r)
		} else {
			table := ""
			if i < len(st.Tables) {
				table = st.Tables[i].Name
			}
			err = d.dropIndex(ctx, r, table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropTarget finds what is to be dropped and locks its table. With IF EXISTS what is not there is a notice.
func (d *ddl) dropTarget(ctx context.Context, st *parse.DropStmt, name parse.ObjectName) (r catalog.Relation, found bool, err error) {
	missing := func(code sqlerr.Code, format string, args ...any) error {
		if !st.IfExists {
			return sqlerr.New(code, format, args...)
		}
		d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, format+", skipping", args...))
		return nil
	}
	if name.Schema != "" && name.Catalog == "" {
		_, err := d.env.View.Schema(ctx, d.env.Database.ID, name.Schema)
		if errors.Is(err, catalog.ErrNotFound) {
			return r, false, missing(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name.Schema)
		}
		if err != nil {
			return r, false, err
		}
	}
	r, err = d.lookup(ctx, name, kv.TableAccessExclusive)
	switch {
	case err == nil:
		return r, true, nil
	case sqlerr.CodeOf(err) != sqlerr.UndefinedTable:
		return r, false, err
	case st.Kind == parse.TableObject:
		return r, false, missing(sqlerr.UndefinedTable, "table \"%s\" does not exist", shownName(name))
	default:
		return r, false, missing(sqlerr.UndefinedObject, "index \"%s\" does not exist", shownName(name))
	}
}

// shownName is a name as messages show it.
func shownName(name parse.ObjectName) string {
	if name.Schema == "" {
		return name.Name
	}
	return name.Schema + "." + name.Name
}

func (d *ddl) dropTable(r catalog.Relation) error {
	if r.Index != nil {
		return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Index.Name).WithHint("Use DROP INDEX to remove an index.")
	}
	d.env.Txn.DropSpan(rowenc.TableSpan(r.Table.ID))
	return d.env.View.DropTable(r.Table)
}

// dropIndex drops an index; table is that of DROP INDEX table@index, else "".
func (d *ddl) dropIndex(ctx context.Context, r catalog.Relation, table string) error {
	x := r.Index
	switch {
	case x == nil:
		return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not an index", r.Table.Name).WithHint("Use DROP TABLE to remove a table.")
	case table != "" && table != r.Table.Name:
		return sqlerr.New(sqlerr.UndefinedObject, "index \"%s\" does not exist", x.Name)
	case x.ConstraintOID != 0:
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it",
			x.Name, x.Name, r.Table.Name).WithHint("You can drop constraint %s on table %s instead.", x.Name, r.Table.Name)
	}
	t := r.Table.Clone()
	kept := t.Indexes[:0]
	for _, other := range t.Indexes {
		if other.ID != x.ID {
			kept = append(kept, other)
		}
	}
	t.Indexes = kept
	d.env.Txn.DropSpan(rowenc.IndexSpan(t.ID, x.ID))
	return d.env.View.UpdateTable(ctx, r.Table, t)
}

// truncate gives the indexes of tables new ids, under which there is nothing, and drops what is under the old ones.
func (d *ddl) truncate(ctx context.Context, st *parse.TruncateStmt) error {
	var done []catalog.ID
	for _, ref := range st.Tables {
		r, err := d.lookup(ctx, ref.Name, kv.TableAccessExclusive)
		if err != nil {
			return err
		}
		if r.Index != nil {
			return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Index.Name)
		}
		if containsID(done, r.Table.ID) {
			continue
		}
		done = append(done, r.Table.ID)
		t := r.Table.Clone()
		all := t.AllIndexes()
		first, err := d.env.View.Store().AllocateIndexIDs(ctx, t.ID, len(all))
		if err != nil {
			return err
		}
		for i, x := range all {
			d.env.Txn.DropSpan(rowenc.IndexSpan(t.ID, x.ID))
			x.ID = first + catalog.IndexID(i)
		}
		if err := d.env.View.UpdateTable(ctx, r.Table, t); err != nil {
			return err
		}
	}
	return nil
}

func containsID(ids []catalog.ID, id catalog.ID) bool {
	for _, other := range ids {
		if other == id {
			return true
		}
	}
	return false
}
