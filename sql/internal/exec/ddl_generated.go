package exec

import (
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// computedFrom are, by computed column, the columns that it follows from.
func computedFrom(t *catalog.Table, env *Env) (map[catalog.ColumnID][]catalog.ColumnID, error) {
	all, err := plan.CompileComputed(t, env.Eval.Types)
	if err != nil {
		return nil, err
	}
	from := map[catalog.ColumnID][]catalog.ColumnID{}
	for _, c := range all {
		id := t.Columns[c.Ordinal].ID
		expr.Columns(c.Expr, func(ref *expr.Column) { from[id] = append(from[id], t.Columns[ref.Index].ID) })
	}
	return from, nil
}

// generatedFrom are the visible columns that are generated from a column.
func generatedFrom(t *catalog.Table, id catalog.ColumnID, env *Env) ([]catalog.ColumnID, error) {
	from, err := computedFrom(t, env)
	if err != nil {
		return nil, err
	}
	var out []catalog.ColumnID
	for i := range t.Visible() {
		if c := &t.Columns[i]; c.ID != id && slices.Contains(from[c.ID], id) {
			out = append(out, c.ID)
		}
	}
	return out, nil
}

// addGenerated adds the columns that are generated from a column.
func (s *dropSet) addGenerated(t *catalog.Table, column catalog.ColumnID, add func(bool, object)) {
	// An expression that cannot be understood any more depends on nothing.
	ids, _ := generatedFrom(t, column, s.env)
	for _, id := range ids {
		add(false, object{kind: objectColumn, table: t, column: id})
	}
}

// checkGenerated resolves the expressions of the generated columns that are declared, over all columns of the table. Positions: an
// error about another generated column has one, as in CREATE TABLE.
func (d *ddl) checkGenerated(t *catalog.Table, def *parse.ColumnDef, positions bool) error {
	c := t.ColumnByName(def.Name)
	for _, k := range def.Constraints {
		if k.Kind != parse.GeneratedConstraint {
			continue
		}
		var err error
		findGenerated := func(ref *expr.Column) {
			if from := &t.Columns[ref.Index]; from.Generated != "" && err == nil {
				err = sqlerr.New(sqlerr.InvalidObjectDefinition, "cannot use generated column \"%s\" in column generation expression", from.Name).
					WithDetail("A generated column cannot reference another generated column.")
				if positions {
					err = d.at(err, ref.Pos)
				}
			}
		}
		e, buildErr := d.builder().BuildGenerated(k.Expr, tableScope(t, expr.ClauseGenerated), c.Name, c.Type)
		if buildErr != nil {
			return buildErr
		}
		if expr.Columns(e, findGenerated); err != nil {
			return err
		}
		if expr.VolatilityOf(e) != expr.Immutable {
			return sqlerr.New(sqlerr.InvalidObjectDefinition, "generation expression is not immutable")
		}
		c.Generated = storedExpression(e, c.Generated)
	}
	return nil
}

// retypeComputed makes sure that what is computed from a column can be so from one of its new type: index entries on expressions are
// made anew.
func (a *alteration) retypeComputed(col *catalog.Column) error {
	ids, err := generatedFrom(a.old, col.ID, a.env)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type of a column used by a generated column").
			WithDetail("Column \"%s\" is used by generated column \"%s\".", col.Name, a.old.Column(ids[0]).Name)
	}
	return nil
}

// retypeVirtual gives the virtual columns the types that their expressions have now.
func (a *alteration) retypeVirtual() error {
	all, err := plan.CompileComputed(a.t, a.env.Eval.Types)
	if err != nil {
		return err
	}
	for _, k := range all {
		if c := &a.t.Columns[k.Ordinal]; k.Virtual && c.Type != k.Expr.Type() {
			c.Type, a.rewrite = k.Expr.Type(), true
		}
	}
	return nil
}

// checkGeneratedType makes sure that a generated column's expression can have the column's new type.
func (a *alteration) checkGeneratedType(col *catalog.Column, from types.Type) error {
	if !types.CastAllowed(from.Base(), col.Type.Base(), types.CastAssignment) {
		return sqlerr.New(sqlerr.DatatypeMismatch, "generation expression for column \"%s\" cannot be cast automatically to type %s", col.Name, col.Type.Base().Format())
	}
	return nil
}
