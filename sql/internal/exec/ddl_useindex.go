package exec

import (
	"context"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// useIndex makes an index that is there the index of a constraint.
func (a *alteration) useIndex(ctx context.Context, k *parse.Constraint) error {
	x := a.t.IndexByName(k.UsingIndex)
	if err := a.checkUsable(x, k); err != nil {
		return err
	}
	primary := k.Kind == parse.PrimaryKeyConstraint
	if primary && !a.t.HasRowID() {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table \"%s\" are not allowed", a.t.Name)
	}
	if k.Name != "" && k.Name != x.Name {
		a.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"%s\" to \"%s\"", x.Name, k.Name))
		x.Name = k.Name
	}
	var err error
	if x.ConstraintOID, err = a.env.View.Store().AllocateOIDs(ctx, 1); err != nil || !primary {
		return err
	}
	own := *x
	own.Primary = true
	a.t.Indexes = slices.DeleteFunc(a.t.Indexes, func(other catalog.Index) bool { return other.ID == own.ID })
	a.setPrimary(own)
	return nil
}

// setPrimary makes an index the primary one, in place of that of the hidden row id. The row id goes, and with it the layout of every
// index.
func (a *alteration) setPrimary(x catalog.Index) {
	for _, k := range x.Keys {
		if c := a.t.Column(k.Column); !c.NotNull {
			c.NotNull = true
			a.notNull = append(a.notNull, c.ID)
		}
	}
	a.t.Columns = a.t.Columns[:len(a.t.Columns)-1]
	a.t.Primary, a.rewrite = x, true
}

// checkUsable refuses an index that cannot be that of a constraint. X may be nil.
func (a *alteration) checkUsable(x *catalog.Index, k *parse.Constraint) error {
	if x == nil {
		return a.at(sqlerr.New(sqlerr.UndefinedObject, "index \"%s\" does not exist", k.UsingIndex), k.Pos)
	}
	if x.ConstraintOID != 0 {
		return a.at(sqlerr.New(sqlerr.ObjectNotInPrerequisite, "index \"%s\" is already associated with a constraint", x.Name), k.Pos)
	}
	expressions := slices.ContainsFunc(x.Keys, func(c catalog.IndexColumn) bool { return a.t.Column(c.Column).Virtual() })
	other := slices.IndexFunc(x.Keys, func(c catalog.IndexColumn) bool { return c.Desc || c.NullsFirst || c.Class != "" })
	var err *sqlerr.Error
	switch {
	case !x.Unique:
		err = sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a unique index", x.Name)
	case expressions:
		err = sqlerr.New(sqlerr.WrongObjectType, "index \"%s\" contains expressions", x.Name)
	case x.Where != 0:
		err = sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is a partial index", x.Name)
	case other >= 0:
		err = sqlerr.New(sqlerr.WrongObjectType, "index \"%s\" column number %d does not have default sorting behavior", x.Name, other+1)
	default:
		return nil
	}
	return a.at(err.WithDetail("Cannot create a primary key or unique constraint using such an index."), k.Pos)
}
