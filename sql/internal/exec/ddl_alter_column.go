package exec

import (
	"context"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// defaultOf is the default of a column as an expression.
func defaultOf(t *catalog.Table, id catalog.ColumnID, env *Env) (expr.Expr, error) {
	all, err := plan.CompileDefaults(t, env.Eval.Types)
	if err != nil {
		return nil, err
	}
	return all[t.Ordinal(id)], nil
}

func (a *alteration) setDefault(ctx context.Context, c *parse.AlterCmd, col *catalog.Column) error {
	if col.Identity != "" {
		return sqlerr.New(sqlerr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", c.Name, a.t.Name)
	}
	if col.Generated != "" {
		return sqlerr.New(sqlerr.SyntaxError, "column \"%s\" of relation \"%s\" is a generated column", c.Name, a.t.Name)
	}
	e, err := a.builder().BuildDefault(c.Expr, c.Name, col.Type)
	if err != nil {
		return err
	}
	col.Default = storedDefault(e, c.ExprText)
	col.DefaultOID, err = a.env.View.Store().AllocateOIDs(ctx, 1)
	return err
}

func (a *alteration) addIdentity(ctx context.Context, c *parse.AlterCmd, col *catalog.Column) error {
	problem := ""
	switch {
	case !col.NotNull:
		problem = "must be declared NOT NULL before identity can be added"
	case col.Identity != "":
		problem = "is already an identity column"
	case col.Default != "":
		problem = "already has a default value"
	}
	if problem != "" {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "column \"%s\" of relation \"%s\" %s", c.Name, a.t.Name, problem)
	}
	if err := checkIdentityType(col.Type); err != nil {
		return err
	}
	seq, text, err := a.sequenceForColumn(ctx, a.t.Schema, a.t.Name, c.Name, col.Type, c.Constraint.Sequence)
	if err != nil {
		return err
	}
	seq.Sequence.Identity = true
	a.sequences = append(a.sequences, columnSequence{seq, c.Name})
	col.Default, col.Identity = text, identityKind(c.Constraint)
	col.DefaultOID, err = a.env.View.Store().AllocateOIDs(ctx, 1)
	return err
}

func (a *alteration) setIdentity(ctx context.Context, c *parse.AlterCmd, col *catalog.Column) error {
	if col.Identity == "" {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "column \"%s\" of relation \"%s\" is not an identity column", c.Name, a.t.Name)
	}
	if c.Constraint.Pos != 0 {
		col.Identity = identityKind(c.Constraint)
	}
	if len(c.Constraint.Sequence) == 0 {
		return nil
	}
	seq, err := a.identitySequence(ctx, a.t, col.ID)
	if err != nil {
		return err
	}
	if err := a.env.View.LockTable(ctx, seq.ID, kv.TableShareRowExclusive); err != nil {
		return err
	}
	return a.changeSequence(ctx, seq, c.Constraint.Sequence, true)
}

// tableScope is a table's columns as the expressions of ALTER TABLE see them.
func tableScope(t *catalog.Table, clause expr.Clause) *expr.Scope {
	names := &expr.Source{Name: t.Name, Table: t.Name}
	for i := range t.Columns {
		c := &t.Columns[i]
		names.Columns = append(names.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: i, Dropped: c.Hidden})
	}
	return &expr.Scope{Sources: []*expr.Source{names}, Clause: clause}
}

// setType gives a column another type. The rows are written anew unless all values stay as they are.
func (a *alteration) setType(ctx context.Context, c *parse.AlterCmd, col *catalog.Column) error {
	c.Column.Name = c.Name
	x := a.builder()
	to, err := a.columnType(ctx, x, c.Column)
	if err != nil {
		return err
	}
	if err := a.checkRetypable(ctx, col, to); err != nil {
		return err
	}
	scope := tableScope(a.old, expr.ClauseAlterUsing)
	var value expr.Expr = expr.NewColumn(a.old.Ordinal(col.ID), col.Type, "", col.Name)
	if c.Using != nil {
		if value, err = x.Build(c.Using, scope); err != nil {
			return err
		}
	}
	cast, err := x.Assign(value, c.Name, to, -1)
	if sqlerr.CodeOf(err) == sqlerr.DatatypeMismatch {
		if col.Generated != "" {
			return sqlerr.New(sqlerr.DatatypeMismatch, "column \"%s\" cannot be cast automatically to type %s", c.Name, to.Base().Format())
		}
		if c.Using != nil {
			return sqlerr.New(sqlerr.DatatypeMismatch, "result of USING clause for column \"%s\" cannot be cast automatically to type %s", c.Name, to.Base().Format()).
				WithHint("You might need to add an explicit cast.")
		}
		return sqlerr.New(sqlerr.DatatypeMismatch, "column \"%s\" cannot be cast automatically to type %s", c.Name, to.Base().Format()).
			WithHint("You might need to specify \"USING %s::%s\".", parse.QuoteIdent(c.Name), to.Format())
	}
	if err != nil {
		return err
	}
	if err := a.retypeComputed(col); err != nil {
		return err
	}
	from := col.Type
	col.Type = to
	if col.Generated != "" {
		if err := a.checkGeneratedType(col, from); err != nil {
			return err
		}
	}
	if err := a.retypeDefault(col, from); err != nil {
		return err
	}
	if c.Using != nil || !sameBytes(from, to) {
		a.values[col.ID], a.rewrite = cast, true
	}
	if err := a.retypeVirtual(); err != nil {
		return err
	}
	for _, k := range a.t.Checks {
		// A check may not be able to take the new type, or may come out different.
		a.newChecks = append(a.newChecks, k.Name)
	}
	return nil
}

// checkRetypable refuses a new type where something relies on the old one.
func (a *alteration) checkRetypable(ctx context.Context, col *catalog.Column, to types.Type) error {
	for _, x := range a.t.AllIndexes() {
		if isKey(a.t, x, a.t.Ordinal(col.ID)) && !rowenc.Keyable(to) {
			return notKeyable(to)
		}
	}
	contents, err := a.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	s := dropSet{ddl: a.ddl, contents: contents}
	s.addViews(a.t.OID, col.ID, func(_ bool, v object) {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type of a column used by a view or rule").
			WithDetail("rule _RETURN on view %s depends on column \"%s\"", a.relationName(ctx, v.table), col.Name)
	})
	if err == nil && col.Identity != "" {
		err = checkIdentityType(to)
	}
	return err
}

// retypeDefault makes sure that a column's default can have its new type.
func (a *alteration) retypeDefault(col *catalog.Column, from types.Type) error {
	if col.Default == "" {
		return nil
	}
	var err error
	allowed := types.CastAllowed(from.Base(), col.Type.Base(), types.CastAssignment)
	if allowed {
		_, err = defaultOf(a.t, col.ID, a.env)
	}
	if !allowed || sqlerr.CodeOf(err) == sqlerr.DatatypeMismatch {
		return sqlerr.New(sqlerr.DatatypeMismatch, "default for column \"%s\" cannot be cast automatically to type %s", col.Name, col.Type.Base().Format())
	}
	return err
}

// sameBytes reports whether every value of one type is, in keys and values, the same as a value of the other.
func sameBytes(from, to types.Type) bool {
	width := func(t types.Type) int {
		switch t.OID {
		case types.Int2OID:
			return 2
		case types.Int4OID:
			return 4
		case types.Int8OID:
			return 8
		}
		return 0
	}
	text := func(t types.Type) bool { return t.OID == types.TextOID || t.OID == types.VarcharOID }
	switch {
	case from == to:
		return true
	case width(from) > 0 && width(from) <= width(to):
		return true
	case text(from) && text(to):
		return to.CharLimit() < 0 || from.CharLimit() >= 0 && from.CharLimit() <= to.CharLimit()
	}
	return false
}
