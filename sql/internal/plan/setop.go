package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// SetOpKind is UNION, INTERSECT or EXCEPT.
type SetOpKind uint8

// The set operations.
const (
	Union SetOpKind = iota
	Intersect
	Except
)

// SetOp combines the rows of two inputs of the same types, equal rows being rows that are not distinct. Without All the result has each
// row once.
type SetOp struct {
	Kind        SetOpKind
	All         bool
	Left, Right Node
	Columns     []types.Type
}

// Types are those of the columns.
func (n *SetOp) Types() []types.Type { return n.Columns }

// branchQuery plans one side of a set operation. decreasing: more rows in it may mean fewer in the result.
func (p *Planner) branchQuery(st *parse.SelectStmt, outer *expr.Scope, word string, decreasing bool) (*queryPlan, error) {
	if decreasing {
		defer p.enter(word)()
	}
	return p.query(st, outer)
}

// setOp plans UNION, INTERSECT and EXCEPT with the ORDER BY and LIMIT around them.
func (p *Planner) setOp(st *parse.SelectStmt, body *parse.SetOp, outer *expr.Scope) (*queryPlan, error) {
	word := [...]string{parse.Union: "UNION", parse.Intersect: "INTERSECT", parse.Except: "EXCEPT"}[body.Op]
	if len(st.Locking) > 0 {
		return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "FOR UPDATE is not allowed with UNION/INTERSECT/EXCEPT"), st.Locking[0].Pos)
	}
	left, err := p.branchQuery(body.Left, outer, word, body.All && body.Op != parse.Union)
	if err != nil {
		return nil, err
	}
	right, err := p.branchQuery(body.Right, outer, word, body.Op == parse.Except || body.All && body.Op == parse.Intersect)
	if err != nil {
		return nil, err
	}
	if len(left.columns) != len(right.columns) {
		return nil, p.at(sqlerr.New(sqlerr.SyntaxError, "each %s query must have the same number of columns", word), right.place(0, body.Right))
	}
	n := &SetOp{Kind: [...]SetOpKind{parse.Union: Union, parse.Intersect: Intersect, parse.Except: Except}[body.Op], All: body.All}
	q := &queryPlan{node: n}
	l, r := make([]expr.Expr, len(left.columns)), make([]expr.Expr, len(left.columns))
	for i := range left.columns {
		pair := []expr.Expr{branch(left, i), branch(right, i)}
		t, err := p.builder.Common(word, pair, []int{left.place(i, body.Left), right.place(i, body.Right)})
		if err != nil {
			return nil, err
		}
		l[i], r[i] = pair[0], pair[1]
		n.Columns = append(n.Columns, t)
		q.columns = append(q.columns, Column{Name: left.columns[i].Name, Type: t})
	}
	if p.describing {
		left.settle(l)
		right.settle(r)
		q.shown = &shownQuery{op: body, left: left.shown, right: right.shown}
		return p.orderOutputs(st, q)
	}
	n.Left, n.Right = &Project{Input: left.node, Exprs: l}, &Project{Input: right.node, Exprs: r}
	return p.orderOutputs(st, q)
}

// branch is column i of a query as an expression over its rows. A literal that nothing gave a type keeps that: the other branch decides.
func branch(q *queryPlan, i int) expr.Expr {
	if i < len(q.unknown) && q.unknown[i] != nil {
		return q.unknown[i]
	}
	return expr.NewColumn(i, q.columns[i].Type, "", q.columns[i].Name)
}
