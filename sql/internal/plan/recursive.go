package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Recursive is a WITH RECURSIVE query: the rows of Left, then again and again those of Right, which reads by a WorkScan what the round
// before gave, until there are none. Without All a row that came before is left out.
type Recursive struct {
	Left, Right Node
	All         bool
	Work        *WorkTable
}

// WorkTable is the rows of one round of a recursive query.
type WorkTable struct {
	Name    string
	Columns []Column
	used    bool
	// at is where it is used, once; depth is how many of the planner's places its query lies in; refuse, if not nil, tells why it may
	// not be used at all.
	at     int
	depth  int
	refuse func(pos int) error
}

// WorkScan reads a work table.
type WorkScan struct {
	columnNames
	Work  *WorkTable
	Alias string
}

// Types are those of the columns.
func (n *Recursive) Types() []types.Type { return n.Work.types() }

// Types are those of the columns.
func (n *WorkScan) Types() []types.Type { return n.Work.types() }

func (w *WorkTable) types() []types.Type {
	ts := make([]types.Type, len(w.Columns))
	for i, c := range w.Columns {
		ts[i] = c.Type
	}
	return ts
}

// cteQuery plans the query of a WITH clause.
func (p *Planner) cteQuery(c *cte) (*queryPlan, error) {
	if c.planning {
		return nil, p.mutualRecursion(c)
	}
	here, later := p.ctes, p.later
	defer func() { p.ctes, p.later, c.planning = here, later, false }()
	p.ctes, c.planning = c.ctes, true
	if !c.recursive {
		p.later = append(slices.Clip(later), c.later...)
	}
	st := c.query.Query.(*parse.SelectStmt)
	body, ok := st.Body.(*parse.SetOp)
	if !c.recursive {
		return p.query(st, c.outer)
	}
	work := &WorkTable{Name: c.query.Name, depth: len(p.places)}
	if !ok || body.Op != parse.Union {
		work.refuse = func(int) error {
			return p.at(sqlerr.New(sqlerr.InvalidRecursion, "recursive query \"%s\" does not have the form non-recursive-term UNION [ALL] recursive-term",
				work.Name), c.query.Pos)
		}
		return p.term(c, work, nil, st)
	}
	work.refuse = func(pos int) error { return p.misplaced(work, "its non-recursive term", pos) }
	left, err := p.term(c, work, st.With, body.Left)
	if err != nil {
		return nil, err
	}
	work.Columns, work.refuse = left.columns, nil
	right, err := p.term(c, work, st.With, body.Right)
	if err != nil {
		return nil, err
	}
	if !work.used {
		p.ctes = c.ctes
		return p.query(st, c.outer)
	}
	switch {
	case len(st.Locking) > 0:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "FOR UPDATE/SHARE in a recursive query is not implemented")
	case len(st.OrderBy) > 0:
		return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "ORDER BY in a recursive query is not implemented"), st.OrderBy[0].Expr.Position())
	case st.Offset != nil:
		return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "OFFSET in a recursive query is not implemented"), st.Offset.Position())
	case st.Limit != nil:
		return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "LIMIT in a recursive query is not implemented"), st.Limit.Position())
	case len(left.columns) != len(right.columns):
		return nil, p.at(sqlerr.New(sqlerr.SyntaxError, "each UNION query must have the same number of columns"), body.Right.Position())
	}
	return p.recursiveUnion(work, left, right, body)
}

// term plans a part of a recursive query, in which work stands for the query and with is in view.
func (p *Planner) term(c *cte, work *WorkTable, with *parse.With, st *parse.SelectStmt) (*queryPlan, error) {
	p.ctes = append(c.ctes[:len(c.ctes):len(c.ctes)], &cte{query: c.query, work: work})
	done, err := p.with(with, c.outer)
	if err != nil {
		return nil, err
	}
	defer done()
	return p.query(st, c.outer)
}

// enter notes that what is planned until the function that it returns is called lies in a place where a recursive query may not use
// itself, because more rows of it could mean fewer of the result.
func (p *Planner) enter(place string) func() {
	before := p.places
	p.places = append(before[:len(before):len(before)], place)
	return func() { p.places = before }
}

// useWork refuses a use of a recursive query within itself that PostgreSQL refuses.
func (p *Planner) useWork(w *WorkTable, pos int) error {
	switch {
	case w.refuse != nil:
		return w.refuse(pos)
	case len(p.places) > w.depth:
		return p.misplaced(w, p.places[len(p.places)-1], pos)
	case w.used && w.at != pos:
		return p.at(sqlerr.New(sqlerr.InvalidRecursion, "recursive reference to query \"%s\" must not appear more than once", w.Name), pos)
	}
	w.used, w.at = true, pos
	return nil
}

func (p *Planner) misplaced(w *WorkTable, place string, pos int) error {
	return p.at(sqlerr.New(sqlerr.InvalidRecursion, "recursive reference to query \"%s\" must not appear within %s", w.Name, place), pos)
}

// recursiveUnion gives both terms the columns of the first.
func (p *Planner) recursiveUnion(work *WorkTable, left, right *queryPlan, body *parse.SetOp) (*queryPlan, error) {
	l, r := make([]expr.Expr, len(left.columns)), make([]expr.Expr, len(left.columns))
	for i, c := range left.columns {
		pair := []expr.Expr{expr.NewColumn(i, c.Type, "", c.Name), branch(right, i)}
		t, err := p.builder.Common("UNION", pair, []int{body.Left.Position(), body.Right.Position()})
		if err != nil {
			return nil, err
		}
		if t != c.Type {
			return nil, p.at(sqlerr.New(sqlerr.DatatypeMismatch, "recursive query \"%s\" column %d has type %s in non-recursive term but type %s overall",
				work.Name, i+1, c.Type.Format(), t.Format()).WithHint("Cast the output of the non-recursive term to the correct type."), left.pos(i, body))
		}
		l[i], r[i] = pair[0], pair[1]
	}
	if p.describing {
		right.settle(r)
		return &queryPlan{node: Node(nil), columns: left.columns, shown: &shownQuery{op: body, left: left.shown, right: right.shown}}, nil
	}
	n := &Recursive{Left: &Project{Input: left.node, Exprs: l}, Right: &Project{Input: right.node, Exprs: r}, All: body.All, Work: work}
	return &queryPlan{node: n, columns: left.columns}, nil
}

// pos is where the error of column i points.
func (q *queryPlan) pos(i int, body *parse.SetOp) int {
	if clause, ok := body.Left.Body.(*parse.SelectClause); ok && i < len(clause.Targets) {
		return clause.Targets[i].Expr.Position()
	}
	return body.Left.Position()
}
