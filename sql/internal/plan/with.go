package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// cte is a query of a WITH clause.
type cte struct {
	query *parse.CTE
	outer *expr.Scope // that its query sees
	ctes  []*cte      // that its query sees
	// later are those of the clause, itself among them, that its query does not see: for a hint.
	later []string
	used  bool // something refers to it
	// recursive: the query may use itself. work stands for it inside of itself; else nil.
	recursive bool
	work      *WorkTable
	planning  bool      // its query is being planned
	write     *WriteCTE // the statement's plan, if it writes
}

// with brings the queries of a WITH clause into view until the function that it returns is called.
func (p *Planner) with(w *parse.With, outer *expr.Scope) (func(), error) {
	before := p.ctes
	if w == nil {
		return func() {}, nil
	}
	var all []*cte
	for i, c := range w.CTEs {
		for _, other := range w.CTEs[:i] {
			if other.Name == c.Name {
				return nil, p.at(sqlerr.New(sqlerr.DuplicateAlias, "WITH query name \"%s\" specified more than once", c.Name), c.Pos)
			}
		}
		next := &cte{query: c, outer: outer, ctes: p.ctes, recursive: w.Recursive}
		for _, other := range w.CTEs[i:] {
			next.later = append(next.later, other.Name)
		}
		if _, ok := c.Query.(*parse.SelectStmt); !ok {
			var err error
			if next.write, err = p.writeCTE(w, c); err != nil {
				return nil, err
			}
		}
		all = append(all, next)
		p.ctes = append(p.ctes[:len(p.ctes):len(p.ctes)], next)
	}
	if w.Recursive {
		for i, c := range all {
			c.ctes = append(slices.Clone(before), slices.Delete(slices.Clone(all), i, i+1)...)
		}
	}
	return func() { p.ctes = before }, nil
}

// checkUnused plans the queries of a WITH clause that nothing refers to, for the errors in them. It is called when the statement that the
// clause belongs to has been planned.
func (p *Planner) checkUnused(w *parse.With) error {
	if w == nil {
		return nil
	}
	p.depth++ // what it evaluates is of no interest
	defer func() { p.depth-- }()
	mine := p.ctes[len(p.ctes)-len(w.CTEs):]
	for i := len(mine) - 1; i >= 0; i-- {
		c := mine[i]
		if c.used || c.write != nil {
			continue
		}
		q, err := p.cteQuery(c)
		if err != nil {
			return err
		}
		if err := p.checkNames(c, q.columns); err != nil {
			return err
		}
	}
	return nil
}

// checkNames refuses more names of columns than a query of a WITH clause has.
func (p *Planner) checkNames(c *cte, columns []Column) error {
	if len(c.query.Columns) <= len(columns) {
		return nil
	}
	return p.at(sqlerr.New(sqlerr.InvalidColumnReference, "WITH query \"%s\" has %d columns available but %d columns specified",
		c.query.Name, len(columns), len(c.query.Columns)), c.query.Pos)
}

// explainLater adds to the error of a table that does not exist that there is a query of that name which is not in view.
func (p *Planner) explainLater(err error, name parse.ObjectName) error {
	e, ok := sqlerr.As(err)
	if !ok || e.Code != sqlerr.UndefinedTable || name.Schema != "" || !slices.Contains(p.later, name.Name) {
		return err
	}
	return e.WithDetail("There is a WITH item named \"%s\", but it cannot be referenced from this part of the query.", name.Name).
		WithHint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
}

// mutualRecursion is the error of queries of a WITH clause that use each other.
func (p *Planner) mutualRecursion(c *cte) error {
	pos := c.query.Pos
	for _, other := range c.ctes {
		if other.planning && other.outer == c.outer {
			pos = min(pos, other.query.Pos)
		}
	}
	return p.at(sqlerr.New(sqlerr.FeatureNotSupported, "mutual recursion between WITH items is not implemented"), pos)
}

// findCTE finds the query of a WITH clause that a bare name stands for.
func (p *Planner) findCTE(name parse.ObjectName) *cte {
	if name.Schema != "" {
		return nil
	}
	for i := len(p.ctes) - 1; i >= 0; i-- {
		if p.ctes[i].query.Name == name.Name {
			return p.ctes[i]
		}
	}
	return nil
}

// addCTE adds a reference to a query of a WITH clause: the query takes its place.
func (p *Planner) addCTE(f *from, c *cte, t *parse.TableRef) error {
	c.used = true
	if c.write != nil {
		return p.addWriteCTE(f, c, t)
	}
	var q *queryPlan
	if c.work != nil {
		if err := p.useWork(c.work, t.Pos); err != nil {
			return err
		}
		f.recursive = true
		alias := c.query.Name
		if t.Alias.Name != "" {
			alias = t.Alias.Name
		}
		q = &queryPlan{node: &WorkScan{Work: c.work, Alias: alias}, columns: c.work.Columns}
	} else {
		var err error
		if q, err = p.cteQuery(c); err != nil {
			return err
		}
	}
	if c.work == nil && !p.describing && c.outer != f.scope.Parent && usesOuter(q.node) {
		return p.unsupported("a WITH query that uses an enclosing query, in a subquery of its own", t.Pos)
	}
	names, err := p.cteNames(c, q.columns, t)
	if err != nil {
		return err
	}
	s := &source{node: q.node, width: q.width(), names: names, shown: shownItem{cte: c.query.Name, alias: t.Alias.Name != "", own: cteColumns(c, q.columns)}}
	if c.work == nil {
		s.node = &Subquery{Input: q.node, Alias: names.Name}
	}
	return p.add(f, s, t.Alias.Pos, t.Pos)
}
