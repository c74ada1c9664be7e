package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
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
	if err := d.mustOwn(ctx, r); err != nil {
		return err
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
	changed := t.Clone()
	x, err := d.indexOf(changed, st)
	if err != nil {
		return nil, err
	}
	// PostgreSQL makes INCLUDE columns part of the name; the published statements with STORING expect them not to be.
	named := x.Stored
	if st.Storing {
		named = nil
	}
	if x, err = d.env.View.NewIndex(ctx, changed, x, named); err != nil {
		return nil, err
	}
	changed.Indexes = append(changed.Indexes, x)
	if err := d.env.View.UpdateTable(ctx, t, changed); err != nil {
		return nil, err
	}
	return changed, d.backfill(ctx, changed, &changed.Indexes[len(changed.Indexes)-1])
}

// indexOf resolves what the statement declares. The table, a Clone, gets the virtual columns that the index needs.
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
	if st.Where != nil {
		b := d.builder()
		e, err := b.BuildCondition(st.Where, tableScope(t, expr.ClauseIndexPredicate))
		if err != nil {
			return x, err
		}
		if expr.VolatilityOf(e) != expr.Immutable {
			return x, sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in index predicate must be marked IMMUTABLE")
		}
		x.Where = t.AddVirtual("", storedExpression(e, parse.Print(st.Where)), types.Bool)
	}
	var err error
	x.Stored, err = t.ColumnIDs(st.Include)
	return x, err
}

// indexColumn resolves a key column.
func (d *ddl) indexColumn(t *catalog.Table, item *parse.IndexItem) (catalog.IndexColumn, error) {
	var k catalog.IndexColumn
	c, err := d.indexKey(t, item)
	if err != nil {
		return k, err
	}
	if !rowenc.Keyable(c.Type) {
		return k, notKeyable(c.Type)
	}
	if err := checkCollation(item.Collation, c.Type); err != nil {
		return k, err
	}
	k = catalog.IndexColumn{Column: c.ID, Desc: item.Desc, NullsFirst: item.Desc}
	if item.OpclassSet {
		if k.Class, err = operatorClass(item.Opclass.Name, c.Type); err != nil {
			return k, err
		}
	}
	if item.Nulls != parse.NullsDefault {
		k.NullsFirst = item.Nulls == parse.NullsFirst
	}
	return k, nil
}

// indexKey is the column of an item, a virtual one if it is an expression.
func (d *ddl) indexKey(t *catalog.Table, item *parse.IndexItem) (*catalog.Column, error) {
	if ref, ok := item.Expr.(*parse.ColumnRef); ok && len(ref.Parts) == 1 && !ref.Star {
		c := t.ColumnByName(ref.Parts[0])
		if c == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", ref.Parts[0])
		}
		return c, nil
	}
	e, err := d.builder().BuildValue(item.Expr, tableScope(t, expr.ClauseIndexExpr))
	if err != nil {
		return nil, err
	}
	if ref, ok := e.(*expr.Column); ok {
		return &t.Columns[ref.Index], nil
	}
	if expr.VolatilityOf(e) != expr.Immutable {
		return nil, sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in index expression must be marked IMMUTABLE")
	}
	name := expr.ColumnName(item.Expr)
	if name == "?column?" {
		name = "expr"
	}
	return t.Column(t.AddVirtual(name, storedExpression(e, parse.Print(item.Expr)), e.Type())), nil
}

// operatorClass resolves the name of an operator class for a column of a type; "" stands for the type's own.
func operatorClass(name string, t types.Type) (string, error) {
	if !slices.Contains(operatorClasses, name) {
		return "", sqlerr.New(sqlerr.UndefinedObject, "operator class \"%s\" does not exist for access method \"btree\"", name)
	}
	base, pattern := strings.CutSuffix(name, "_pattern_ops")
	base, _ = strings.CutSuffix(base, "_ops")
	want, ok := types.ByName(base)
	if !ok || t.OID != want.OID && !types.BinaryCoercible(t.Base(), want) && !(base == "varchar" && t.OID == types.TextOID) {
		return "", sqlerr.New(sqlerr.DatatypeMismatch, "operator class \"%s\" does not accept data type %s", name, t.Base().Format())
	}
	if pattern {
		return name, nil
	}
	return "", nil
}

// operatorClasses are PostgreSQL's for btree whose order is the one minidb's indexes have.
var operatorClasses = strings.Fields(`bool_ops bytea_ops bpchar_ops bpchar_pattern_ops date_ops float4_ops float8_ops int2_ops int4_ops
	int8_ops name_ops numeric_ops oid_ops text_ops text_pattern_ops time_ops timestamp_ops timestamptz_ops uuid_ops varchar_ops
	varchar_pattern_ops`)
