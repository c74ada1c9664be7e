package plan

import (
	"errors"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
)

// errNotShown: a query has something that there is no text for which tells what it means.
var errNotShown = errors.New("a query that is not shown as it was understood")

// shownQuery is a query as it was understood: what the text of a view is written from. Its expressions are not folded.
type shownQuery struct {
	with      []shownCTE
	recursive bool

	// One of these three: VALUES; a set operation; a SELECT.
	values      [][]expr.Expr
	op          *parse.SetOp
	left, right *shownQuery
	clause      *parse.SelectClause

	from    *from
	targets []output
	where   expr.Expr
	groups  []shownGroup
	having  expr.Expr
	windows []*expr.Window
	on      []expr.Expr // DISTINCT ON

	order         []SortKey
	limit, offset expr.Expr
}

// shownCTE is a query of a WITH clause.
type shownCTE struct {
	cte   *parse.CTE
	query *shownQuery
}

// shownItem is what an item of FROM is. One of the first five is set.
type shownItem struct {
	table  *catalog.Table
	system *pgcatalog.Relation
	cte    string
	query  *shownQuery
	call   *expr.SetCall
	rows   bool // of call: ROWS FROM

	own                              []string // of a CTE: its columns
	only, alias, lateral, ordinality bool
	listed                           bool             // names of columns were written
	typed                            []expr.SetColumn // a list of columns with types was
}

// shownJoin is what a join is.
type shownJoin struct {
	st    *parse.JoinExpr
	on    expr.Expr
	using []string
}

// shownGroup is an item of GROUP BY: expressions, or a list of items.
type shownGroup struct {
	exprs []expr.Expr
	sets  *parse.GroupingExpr // nil: the expressions
	items []shownGroup
}

// describe analyses a query whose WITH clause is in view.
func (p *Planner) describe(st *parse.SelectStmt, outer *expr.Scope) (*queryPlan, error) {
	if len(st.Locking) > 0 {
		return nil, errNotShown
	}
	var with []shownCTE
	if st.With != nil {
		for _, c := range p.ctes[len(p.ctes)-len(st.With.CTEs):] {
			if c.write != nil {
				return nil, errNotShown
			}
			q, err := p.cteQuery(c)
			if err != nil {
				return nil, err
			}
			with = append(with, shownCTE{c.query, q.shown})
		}
	}
	q, err := p.queryBody(st, outer)
	if err != nil {
		return nil, err
	}
	if st.With != nil {
		q.shown.with, q.shown.recursive = with, st.With.Recursive
	}
	return q, nil
}

// describe is what the clauses of a SELECT mean.
func (s *selection) describe() (*shownQuery, error) {
	q := &shownQuery{
		clause: s.clause, from: s.from, targets: s.outputs[:s.visible], where: s.where, having: s.having, order: s.order, limit: s.limit, offset: s.offset,
	}
	for _, i := range s.on {
		q.on = append(q.on, s.outputs[i].expr)
	}
	if w := s.from.scope.Windows; w != nil {
		q.windows = w.Named()
	}
	var err error
	q.groups, err = s.describeGroups(s.clause.GroupBy)
	return q, err
}

func (s *selection) describeGroups(items []parse.Expr) ([]shownGroup, error) {
	var out []shownGroup
	for _, item := range items {
		g := shownGroup{}
		var err error
		if sets, ok := item.(*parse.GroupingExpr); ok {
			g.sets = sets
			g.items, err = s.describeGroups(sets.Args)
		} else {
			var set []int
			set, err = s.groupSet(item)
			for _, i := range set {
				g.exprs = append(g.exprs, s.groups[i])
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// describeMerged is the column that stands for two in USING. One that is neither side's own has only its name.
func (p *Planner) describeMerged(kind parse.JoinKind, pair []expr.Expr, name string) expr.Expr {
	side := pair[0]
	if _, ok := side.(*expr.Column); kind == parse.RightJoin || kind == parse.InnerJoin && !ok {
		side = pair[1]
	}
	if c, ok := side.(*expr.Column); ok && kind != parse.FullJoin && c.Index >= 0 {
		return c
	}
	p.merged++
	return expr.NewColumn(-p.merged, side.Type(), "", name)
}

// cteColumns are the names of the columns of a query of a WITH clause.
func cteColumns(c *cte, columns []Column) []string {
	var names []string
	for i, col := range columns {
		if i < len(c.query.Columns) {
			col.Name = c.query.Columns[i]
		}
		names = append(names, col.Name)
	}
	return names
}

// settle gives the literals of a branch of a set operation the types that the other one made them.
func (q *queryPlan) settle(columns []expr.Expr) {
	for i, u := range q.unknown {
		if u != nil && q.shown.targets != nil {
			q.shown.targets[i].expr = columns[i]
		}
	}
}

// width is the number of columns of the query's rows.
func (q *queryPlan) width() int {
	if q.node == nil {
		return len(q.columns)
	}
	return len(q.node.Types())
}
