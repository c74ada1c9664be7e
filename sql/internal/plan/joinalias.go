package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// addJoin adds a join. With an alias its items are one, of all their columns, and have no names of their own any more.
func (p *Planner) addJoin(f *from, t *parse.JoinExpr, use Use) (*joinTree, error) {
	before := len(f.scope.Sources)
	tree, err := p.joinItems(f, t, use)
	if err != nil {
		return nil, err
	}
	if t.UsingAlias != "" {
		if err := p.addUsingAlias(f, t, before); err != nil {
			return nil, err
		}
	}
	if t.Alias.Name == "" {
		return tree, nil
	}
	names := &expr.Source{Name: t.Alias.Name}
	for _, src := range f.scope.Sources[before:] {
		for _, c := range src.Columns {
			if !c.Hidden && !c.Dropped && !c.QualifiedOnly {
				names.Columns = append(names.Columns, c)
			}
		}
	}
	f.scope.Sources = f.scope.Sources[:before]
	if err := p.checkJoinName(f, t.Alias.Name, t.Alias.Pos); err != nil {
		return nil, err
	}
	f.scope.Sources = append(f.scope.Sources, names)
	if have, want := len(names.Columns), len(t.Alias.Columns); want > have {
		return nil, p.at(sqlerr.New(sqlerr.InvalidColumnReference, "join expression \"%s\" has %d columns available but %d columns specified", names.Name, have, want), t.Alias.Pos)
	}
	return tree, p.renameColumns(names, len(names.Columns), t.Alias)
}

// addUsingAlias gives the merged columns of USING (…) AS name that name.
func (p *Planner) addUsingAlias(f *from, t *parse.JoinExpr, before int) error {
	if err := p.checkJoinName(f, t.UsingAlias, t.Pos); err != nil {
		return err
	}
	names := &expr.Source{Name: t.UsingAlias, Columns: slices.Clone(f.scope.Sources[before].Columns)}
	for i := range names.Columns {
		names.Columns[i].QualifiedOnly = true
	}
	f.scope.Sources = append(f.scope.Sources, names)
	return nil
}

// checkJoinName refuses a name that an item of FROM has already.
func (p *Planner) checkJoinName(f *from, name string, pos int) error {
	if slices.ContainsFunc(f.scope.Sources, func(o *expr.Source) bool { return o.Name == name }) {
		return p.at(sqlerr.New(sqlerr.DuplicateAlias, "table name \"%s\" specified more than once", name), pos)
	}
	return nil
}
