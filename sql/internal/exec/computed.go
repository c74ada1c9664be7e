package exec

import (
	"context"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// computer gives the computed columns of a table's rows their values.
type computer struct {
	env   *Env
	table *catalog.Table
	// index, if not nil, is the only one whose virtual columns are wanted.
	index *catalog.Index

	ready           bool
	stored, virtual []plan.Computed
	row             rowDatums
}

// prepare makes the expressions, once.
func (c *computer) prepare() error {
	if c.ready {
		return nil
	}
	all, err := plan.CompileComputed(c.table, c.env.Eval.Types)
	if err != nil {
		return err
	}
	for _, k := range all {
		switch {
		case !k.Virtual:
			c.stored = append(c.stored, k)
		case c.index == nil || isKey(c.table, c.index, k.Ordinal) || c.table.Columns[k.Ordinal].ID == c.index.Where:
			c.virtual = append(c.virtual, k)
		}
	}
	c.ready = true
	return nil
}

// setStored computes the columns that are GENERATED ALWAYS AS (…) STORED. The rest of the row is complete.
func (c *computer) setStored(row []types.Datum) error { return c.set(row, false) }

// setVirtual computes the virtual columns of a complete row, for its index entries.
func (c *computer) setVirtual(row []types.Datum) error { return c.set(row, true) }

func (c *computer) set(row []types.Datum, virtual bool) error {
	if err := c.prepare(); err != nil {
		return err
	}
	list := c.stored
	if virtual {
		list = c.virtual
	}
	if list == nil {
		return nil
	}
	c.row = row
	for i := range list {
		d, err := list[i].Expr.Eval(c.env.Eval, &c.row)
		if err != nil {
			return err
		}
		row[list[i].Ordinal] = d
	}
	return nil
}

// isKey reports whether a column is part of an index's key.
func isKey(t *catalog.Table, x *catalog.Index, ordinal int) bool {
	return slices.ContainsFunc(x.Keys, func(k catalog.IndexColumn) bool { return t.Ordinal(k.Column) == ordinal })
}

// keyName is a column of an index as messages about its keys name it: a virtual one is its expression.
func keyName(ec *types.Context, t *catalog.Table, c *catalog.Column) string {
	if !c.Virtual() {
		return c.Name
	}
	if text, err := plan.ComputedText(t, c, ec); err == nil {
		return text
	}
	return c.Generated
}

// Virtuals computes the virtual columns of a table's rows for who checks index entries.
type Virtuals struct{ c computer }

// NewVirtuals is for the rows of a table.
func NewVirtuals(ctx context.Context, ec *types.Context, t *catalog.Table) *Virtuals {
	return &Virtuals{computer{env: &Env{Eval: &expr.EvalContext{Ctx: ctx, Types: ec}}, table: t}}
}

// Set gives the virtual columns of a row their values.
func (v *Virtuals) Set(row []types.Datum) error { return v.c.setVirtual(row) }
