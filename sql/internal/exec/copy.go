package exec

import (
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
)

// copyTable finds the table of a COPY and locks it. Errors are without position, as PostgreSQL's.
func copyTable(ctx context.Context, env *Env, st *parse.CopyStmt) (*catalog.Table, error) {
	mode := kv.TableAccessShare
	if st.From {
		mode = kv.TableRowExclusive
	}
	r, _, err := plan.LookupRelation(ctx, env.View, env.Database, env.SearchPath, st.Table.Name, mode)
	if err != nil {
		return nil, err
	}
	if r.Index != nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is an index", st.Table.Name.Name)
	}
	if err := checkCopyKind(r.Table, st.From); err != nil {
		return nil, err
	}
	need := catalog.Select
	if st.From {
		need = catalog.Insert
	}
	return r.Table, env.View.CheckTable(ctx, r.Table, need)
}

// checkCopyKind refuses what is no table.
func checkCopyKind(t *catalog.Table, from bool) error {
	direction := "from"
	if from {
		direction = "to"
	}
	switch t.Kind {
	case catalog.KindTable:
		return nil
	case catalog.KindView:
		e := sqlerr.New(sqlerr.WrongObjectType, "cannot copy %s view \"%s\"", direction, t.Name)
		if from {
			return e.WithHint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.")
		}
		return e.WithHint("Try the COPY (SELECT ...) TO variant.")
	}
	return sqlerr.New(sqlerr.WrongObjectType, "cannot copy %s %s \"%s\"", direction, t.Kind, t.Name)
}

// copyColumns are the ordinals of the columns that a list names, or of all that can be named and are not generated. Statement is the
// word for it.
func copyColumns(t *catalog.Table, list []string, statement string) ([]int, error) {
	var out []int
	if list == nil {
		for o := range t.Visible() {
			if !t.Columns[o].Computed() {
				out = append(out, o)
			}
		}
		return out, nil
	}
	for _, name := range list {
		c := t.ColumnByName(name)
		if c == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, t.Name)
		}
		if c.Computed() {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, "column \"%s\" is a generated column", name).
				WithDetail("Generated columns cannot be used in %s.", statement)
		}
		o := t.Ordinal(c.ID)
		if slices.Contains(out, o) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		out = append(out, o)
	}
	return out, nil
}

// columnNames are the names of columns by ordinal.
func columnNames(t *catalog.Table, ordinals []int) []string {
	out := make([]string, len(ordinals))
	for i, o := range ordinals {
		out[i] = t.Columns[o].Name
	}
	return out
}
