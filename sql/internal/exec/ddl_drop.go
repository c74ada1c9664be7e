package exec

import (
	"context"
	"errors"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// dropKind is a kind of relation as DROP knows it.
type dropKind struct {
	kind catalog.Kind
	word string // in messages
	hint string // for who meant another kind
}

var dropKinds = map[parse.ObjectKind]dropKind{
	parse.TableObject:    {catalog.KindTable, "table", "Use DROP TABLE to remove a table."},
	parse.ViewObject:     {catalog.KindView, "view", "Use DROP VIEW to remove a view."},
	parse.SequenceObject: {catalog.KindSequence, "sequence", "Use DROP SEQUENCE to remove a sequence."},
	parse.IndexObject:    {"index", "index", "Use DROP INDEX to remove an index."},
}

// drop runs DROP TABLE, VIEW, SEQUENCE and INDEX.
func (d *ddl) drop(ctx context.Context, st *parse.DropStmt) error {
	if st.Concurrently {
		if err := d.refuseInBlock("DROP INDEX CONCURRENTLY"); err != nil {
			return err
		}
	}
	var objects []object
	for i, name := range st.Names {
		r, found, err := d.dropTarget(ctx, st, name)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := checkDropKind(st.Kind, r); err != nil {
			return err
		}
		if err := d.mustOwnToDrop(ctx, r); err != nil {
			return err
		}
		if st.Kind != parse.IndexObject {
			if st.Kind == parse.SequenceObject && r.Table.Sequence.Identity {
				return d.ownedSequence(ctx, r.Table)
			}
			objects = append(objects, object{kind: objectRelation, table: r.Table})
			continue
		}
		table := ""
		if i < len(st.Tables) {
			table = st.Tables[i].Name
		}
		if err := d.dropIndex(ctx, r, table, st.Cascade); err != nil {
			return err
		}
	}
	return d.dropObjects(ctx, objects, st.Cascade)
}

// ownedSequence is the error of dropping the sequence of an identity column.
func (d *ddl) ownedSequence(ctx context.Context, seq *catalog.Table) error {
	t, err := d.env.View.TableByID(ctx, seq.Sequence.Owner.Table)
	if err != nil {
		return err
	}
	column := "column " + t.Column(seq.Sequence.Owner.Column).Name + " of table " + d.relationName(ctx, t)
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop sequence %s because %s requires it", d.relationName(ctx, seq), column).
		WithHint("You can drop %s instead.", column)
}

// checkDropKind refuses what is of another kind than the statement says.
func checkDropKind(kind parse.ObjectKind, r catalog.Relation) error {
	is, name := dropKinds[parse.IndexObject], ""
	if r.Index != nil {
		name = r.Index.Name
	} else {
		name = r.Table.Name
		for _, k := range dropKinds {
			if k.kind == r.Table.Kind {
				is = k
			}
		}
	}
	want := dropKinds[kind]
	if is.word == want.word {
		return nil
	}
	article := "a"
	if want.word == "index" {
		article = "an"
	}
	return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not %s %s", name, article, want.word).WithHint("%s", is.hint)
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
	case st.Kind == parse.IndexObject:
		return r, false, missing(sqlerr.UndefinedObject, "index \"%s\" does not exist", shownName(name))
	default:
		return r, false, missing(sqlerr.UndefinedTable, "%s \"%s\" does not exist", dropKinds[st.Kind].word, shownName(name))
	}
}

// shownName is a name as messages show it.
func shownName(name parse.ObjectName) string {
	if name.Schema == "" {
		return name.Name
	}
	return name.Schema + "." + name.Name
}

// dropIndex drops an index; table is that of DROP INDEX table@index, else "".
func (d *ddl) dropIndex(ctx context.Context, r catalog.Relation, table string, cascade bool) error {
	x := r.Index
	switch {
	case table != "" && table != r.Table.Name:
		return sqlerr.New(sqlerr.UndefinedObject, "index \"%s\" does not exist", x.Name)
	case x.ConstraintOID != 0:
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it",
			x.Name, x.Name, r.Table.Name).WithHint("You can drop constraint %s on table %s instead.", x.Name, r.Table.Name)
	}
	if err := d.dropReferences(ctx, r.Table, x, cascade); err != nil {
		return err
	}
	t, err := d.env.View.TableByID(ctx, r.Table.ID)
	if err != nil {
		return err
	}
	a := d.alteration(t)
	a.t.Indexes = slices.DeleteFunc(a.t.Indexes, func(other catalog.Index) bool { return other.ID == x.ID })
	if err := d.env.View.DropComments(ctx, x.OID); err != nil {
		return err
	}
	return a.finish(ctx)
}

// dropReferences drops the foreign keys that rely on an index without a constraint.
func (d *ddl) dropReferences(ctx context.Context, t *catalog.Table, x *catalog.Index, cascade bool) error {
	for _, k := range t.Inbound {
		child, err := d.env.View.TableByID(ctx, k.Table)
		if err != nil {
			return err
		}
		fk := child.ForeignKey(k.OID)
		if fk == nil || fk.RefIndex != x.ID {
			continue
		}
		what := "constraint " + fk.Name + " on table " + d.relationName(ctx, child)
		if !cascade {
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because other objects depend on it", x.Name).
				WithDetail("%s depends on index %s", what, x.Name).WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
		}
		d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %s", what))
		if err := d.dropObjects(ctx, []object{{kind: objectConstraint, table: child, constraint: k.OID}}, true); err != nil {
			return err
		}
	}
	return nil
}

// truncate gives each index a new id, under which there is nothing, and drops what is under the old ones.
func (d *ddl) truncate(ctx context.Context, st *parse.TruncateStmt) error {
	var tables []*catalog.Table
	for _, ref := range st.Tables {
		r, err := d.lookup(ctx, ref.Name, kv.TableAccessExclusive)
		if err != nil {
			return err
		}
		if r.Index != nil || r.Table.Kind != catalog.KindTable {
			return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", ref.Name.Name)
		}
		if err := d.env.View.CheckTable(ctx, r.Table, catalog.Truncate); err != nil {
			return err
		}
		if !containsTable(tables, r.Table.ID) {
			tables = append(tables, r.Table)
		}
	}
	tables, err := d.truncateReferencing(ctx, tables, st.Cascade)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := d.truncateTable(ctx, t.ID); err != nil {
			return err
		}
		if st.RestartIdentity {
			if err := d.restartSequences(ctx, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// truncateReferencing adds the tables that reference the ones to truncate; without cascade their being left out is an error.
func (d *ddl) truncateReferencing(ctx context.Context, tables []*catalog.Table, cascade bool) ([]*catalog.Table, error) {
	for i := 0; i < len(tables); i++ {
		for _, k := range tables[i].Inbound {
			if containsTable(tables, k.Table) {
				continue
			}
			if cascade {
				if err := d.env.View.LockTable(ctx, k.Table, kv.TableAccessExclusive); err != nil {
					return nil, err
				}
			}
			child, err := d.env.View.TableByID(ctx, k.Table)
			if err != nil {
				return nil, err
			}
			if !cascade {
				return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot truncate a table referenced in a foreign key constraint").
					WithDetail("Table \"%s\" references \"%s\".", child.Name, tables[i].Name).
					WithHint("Truncate table \"%s\" at the same time, or use TRUNCATE ... CASCADE.", child.Name)
			}
			if err := d.env.View.CheckTable(ctx, child, catalog.Truncate); err != nil {
				return nil, err
			}
			d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "truncate cascades to table \"%s\"", child.Name))
			tables = append(tables, child)
		}
	}
	return tables, nil
}

func (d *ddl) truncateTable(ctx context.Context, id catalog.ID) error {
	// An earlier one of the statement may have changed its foreign keys.
	t, err := d.env.View.TableByID(ctx, id)
	if err != nil {
		return err
	}
	a := d.alteration(t)
	if err := a.renumber(ctx); err != nil {
		return err
	}
	if err := d.env.View.UpdateTable(ctx, t, a.t); err != nil {
		return err
	}
	a.dropOldSpans()
	return nil
}

// restartSequences makes the sequences that a table's columns own begin anew.
func (d *ddl) restartSequences(ctx context.Context, table catalog.ID) error {
	owned, err := d.env.View.OwnedSequences(ctx, table)
	if err != nil {
		return err
	}
	for _, seq := range owned {
		if err := d.env.View.LockTable(ctx, seq.ID, kv.TableShareRowExclusive); err != nil {
			return err
		}
		if err := d.changeSequence(ctx, seq, []parse.SequenceOption{{Name: "restart"}}, true); err != nil {
			return err
		}
	}
	return nil
}

func containsTable(tables []*catalog.Table, id catalog.ID) bool {
	return slices.ContainsFunc(tables, func(t *catalog.Table) bool { return t.ID == id })
}
