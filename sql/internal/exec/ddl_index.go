package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
)

func (d *ddl) createIndex(ctx context.Context, st *parse.CreateIndexStmt) error {
	if st.Concurrently {
		if err := d.refuseInBlock("CREATE INDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	// SHARE lets others read and keeps writers out until the commit, so that the index misses no row.
	r, err := d.lookup(ctx, st.Table.Name, kv.TableShare)
	if err != nil {
		return err
	}
	if r.Index != nil {
		return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is an index", r.Index.Name)
	}
	t, err := d.env.View.TableForChange(ctx, r.Table.ID)
	if err != nil {
		return err
	}
	if st.IfNotExists {
		if found, err := d.exists(ctx, t.Schema, st.Name); found || err != nil {
			return err
		}
	}
	_, err = d.addIndex(ctx, t, st)
	return err
}

// addIndex makes an index of a locked table, fills it, and gives the table with it.
func (d *ddl) addIndex(ctx context.Context, t *catalog.Table, st *parse.CreateIndexStmt) (*catalog.Table, error) {
	x, err := d.indexOf(t, st)
	if err != nil {
		return nil, err
	}
	// PostgreSQL makes INCLUDE columns part of the name; the published statements with STORING expect them not to be.
	named := x.Stored
	if st.Storing {
		named = nil
	}
	if x, err = d.env.View.NewIndex(ctx, t, x, named); err != nil {
		return nil, err
	}
	changed := t.Clone()
	changed.Indexes = append(changed.Indexes, x)
	if err := d.env.View.UpdateTable(ctx, t, changed); err != nil {
		return nil, err
	}
	return changed, d.backfill(ctx, changed, &changed.Indexes[len(changed.Indexes)-1])
}

// indexOf resolves what the statement declares.
func (d *ddl) indexOf(t *catalog.Table, st *parse.CreateIndexStmt) (catalog.Index, error) {
	x := catalog.Index{Name: st.Name, Unique: st.Unique, State: catalog.IndexPublic}
	switch st.Method {
	case "", "btree":
	case "hash", "gin", "gist", "brin", "spgist":
		return x, sqlerr.Unsupported("access method " + st.Method)
	default:
		return x, sqlerr.New(sqlerr.UndefinedObject, "access method \"%s\" does not exist", st.Method)
	}
	switch {
	case st.Where != nil:
		return x, d.unsupported("partial indexes", st.Where.Position())
	case st.NullsNotDistinct:
		return x, sqlerr.Unsupported("UNIQUE NULLS NOT DISTINCT")
	case len(st.Items) > catalog.MaxIndexKeys:
		return x, sqlerr.New(sqlerr.TooManyColumns, "cannot use more than %d columns in an index", catalog.MaxIndexKeys)
	}
	if err := d.checkTablespace(st.Tablespace); err != nil {
		return x, err
	}
	if err := d.checkParameters(st.With); err != nil {
		return x, err
	}
	for i := range st.Items {
		k, err := d.indexColumn(t, &st.Items[i])
		if err != nil {
			return x, err
		}
		x.Keys = append(x.Keys, k)
	}
	var err error
	x.Stored, err = t.ColumnIDs(st.Include)
	return x, err
}

// indexColumn resolves a key column.
func (d *ddl) indexColumn(t *catalog.Table, item *parse.IndexItem) (catalog.IndexColumn, error) {
	var k catalog.IndexColumn
	ref, ok := item.Expr.(*parse.ColumnRef)
	if !ok || len(ref.Parts) != 1 {
		return k, d.unsupported("indexes on expressions", item.Pos)
	}
	c := t.ColumnByName(ref.Parts[0])
	if c == nil {
		return k, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", ref.Parts[0])
	}
	if !rowenc.Keyable(c.Type) {
		return k, notKeyable(c.Type)
	}
	if err := checkCollation(item.Collation, c.Type); err != nil {
		return k, err
	}
	if item.OpclassSet && !slices.Contains(operatorClasses, item.Opclass.Name) {
		return k, sqlerr.New(sqlerr.UndefinedObject, "operator class \"%s\" does not exist for access method \"btree\"", item.Opclass.Name)
	}
	k = catalog.IndexColumn{Column: c.ID, Desc: item.Desc, NullsFirst: item.Desc}
	if item.Nulls != parse.NullsDefault {
		k.NullsFirst = item.Nulls == parse.NullsFirst
	}
	return k, nil
}

// operatorClasses are PostgreSQL's for btree whose order is the one minidb's indexes have.
var operatorClasses = strings.Fields(`bool_ops bytea_ops bpchar_ops bpchar_pattern_ops date_ops float4_ops float8_ops int2_ops int4_ops
	int8_ops name_ops numeric_ops oid_ops text_ops text_pattern_ops time_ops timestamp_ops timestamptz_ops uuid_ops varchar_ops
	varchar_pattern_ops`)
