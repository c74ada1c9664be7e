package exec

import (
	"context"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// dropColumn takes a column out of the table, with the indexes and constraints that have it.
func (a *alteration) dropColumn(ctx context.Context, id catalog.ColumnID) error {
	if a.t.IsPrimaryKey(id) && !a.t.HasRowID() {
		a.useRowID()
	}
	from, err := computedFrom(a.t, a.env)
	if err != nil {
		return err
	}
	uses := func(column catalog.ColumnID) bool { return column == id || slices.Contains(from[column], id) }
	a.t.Indexes = slices.DeleteFunc(a.t.Indexes, func(x catalog.Index) bool {
		return slices.ContainsFunc(x.Keys, func(k catalog.IndexColumn) bool { return uses(k.Column) }) || slices.Contains(x.Stored, id) || uses(x.Where)
	})
	a.t.DropUnusedVirtual()
	a.t.Checks = slices.DeleteFunc(a.t.Checks, func(k catalog.Check) bool { return slices.Contains(k.Columns, id) })
	for i := len(a.t.ForeignKeys) - 1; i >= 0; i-- {
		if fk := a.t.ForeignKeys[i]; slices.Contains(fk.Columns, id) || fk.References == a.t.ID && slices.Contains(fk.RefColumns, id) {
			if err := a.dropConstraint(ctx, fk.OID); err != nil {
				return err
			}
		}
	}
	a.t.DropColumn(id)
	return nil
}

// useRowID makes a hidden row id the primary key, in place of the one there was.
func (a *alteration) useRowID() {
	a.t.Primary = catalog.Index{Unique: true, Primary: true, Keys: []catalog.IndexColumn{{Column: catalog.RowID}}, State: catalog.IndexPublic}
	a.t.Columns = append(a.t.Columns, catalog.HiddenRowID())
	a.rewrite = true
}

// dropConstraint takes a constraint out of the table.
func (a *alteration) dropConstraint(ctx context.Context, oid types.OID) error {
	if a.t.Primary.ConstraintOID == oid {
		a.useRowID()
		return nil
	}
	a.t.Indexes = slices.DeleteFunc(a.t.Indexes, func(x catalog.Index) bool { return x.ConstraintOID == oid })
	a.t.Checks = slices.DeleteFunc(a.t.Checks, func(k catalog.Check) bool { return k.OID == oid })
	fk := a.t.ForeignKey(oid)
	if fk == nil {
		return nil
	}
	if fk.References == a.t.ID {
		a.t.Inbound = slices.DeleteFunc(a.t.Inbound, func(k catalog.InboundKey) bool { return k.Table == a.t.ID && k.OID == oid })
	} else if err := a.removeInbound(ctx, a.t, fk); err != nil {
		return err
	}
	a.t.ForeignKeys = slices.DeleteFunc(a.t.ForeignKeys, func(k catalog.ForeignKey) bool { return k.OID == oid })
	return nil
}
