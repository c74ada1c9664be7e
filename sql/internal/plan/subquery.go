package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// SubPlan is a query inside an expression: the Plan of an expr.Subquery. Its Args are first the Left values of IN, ANY and ALL and then
// the columns of the enclosing queries that the query uses: in the query's expressions those are columns of level 1 of a row of the
// args.
type SubPlan struct {
	Root    Node
	Kind    expr.SubqueryKind
	Columns int // of Root's rows that count
	// Row is the type of the record that the only row is, for a RowSubquery.
	Row types.Type
	// Compare, for ANY, ALL and the comparison with the only row, is the comparison over a row of the Left values and then the query's columns.
	Compare expr.Expr
	Left    int // number of Left values
	// Correlated tells that the query uses columns of the enclosing ones: without, it is run once.
	Correlated bool
	// Function is the name of the function whose body the query is, "" for none. Strict: it is NULL if an argument is. Void: its value
	// is nothing.
	Function     string
	Strict, Void bool
	number       int
	query        *parse.SelectStmt // that it is the plan of
	shown        *shownQuery       // while describing
}

// SameAs reports whether another plan is that of the same query, written alike and used in the same way, but for what it uses from
// outside.
func (sub *SubPlan) SameAs(other any) bool {
	o, ok := other.(*SubPlan)
	return ok && (sub == o || sub.Function == "" && sub.Kind == o.Kind && sub.Left == o.Left && sub.query != nil && o.query != nil && parse.Print(sub.query) == parse.Print(o.query))
}

// subquery plans a query in an expression. It is the hook of the scopes.
func (p *Planner) subquery(b *expr.Builder, s *expr.Scope, q expr.SubqueryRequest) (expr.Expr, error) {
	leave := p.enter("a subquery")
	query, err := p.query(q.Query, s)
	leave()
	if err != nil {
		return nil, err
	}
	sub := &SubPlan{Root: query.node, Kind: q.Kind, Columns: len(query.columns), Left: len(q.Left), query: q.Query, shown: query.shown}
	if err := p.checkWidthOf(sub, q); err != nil {
		return nil, err
	}
	t := types.Bool
	switch q.Kind {
	case expr.ExistsSubquery:
		forgetValues(query.node)
	case expr.ScalarSubquery:
		t = query.columns[0].Type
	case expr.ArraySubquery:
		var ok bool
		if t, ok = query.columns[0].Type.Array(); !ok || query.columns[0].Type.IsArray() {
			return nil, p.unsupported("an array of "+query.columns[0].Type.Format(), q.Pos)
		}
	case expr.RowSubquery:
		t = rowOf(query.columns)
		sub.Row = t
	case expr.AnySubquery, expr.AllSubquery, expr.CompareSubquery:
		if sub.Compare, err = p.compareWith(query, q); err != nil {
			return nil, err
		}
	}
	args := append([]expr.Expr(nil), q.Left...)
	for i, a := range args {
		if args[i], err = b.Resolve(a); err != nil {
			return nil, err
		}
	}
	args = sub.bindOuter(args)
	p.subplans++
	sub.number = p.subplans
	var e expr.Expr = expr.NewSubquery(t, sub, "SubPlan "+itoa(sub.number), args...)
	if q.Not {
		e = &expr.Not{Arg: e}
	}
	return e, nil
}

// forgetValues takes out what a query for EXISTS would compute for nobody, and so cannot fail in.
func forgetValues(n Node) {
	project, ok := n.(*Project)
	if !ok {
		return
	}
	for i, e := range project.Exprs {
		if !expr.HasSetCalls(e) && expr.VolatilityOf(e) < expr.Volatile {
			project.Exprs[i] = expr.NewNull(e.Type())
		}
	}
}

func (p *Planner) checkWidthOf(sub *SubPlan, q expr.SubqueryRequest) error {
	switch {
	case (q.Kind == expr.ScalarSubquery || q.Kind == expr.ArraySubquery) && sub.Columns != 1:
		return p.at(sqlerr.New(sqlerr.SyntaxError, "subquery must return only one column"), q.Pos)
	case q.Kind != expr.AnySubquery && q.Kind != expr.AllSubquery && q.Kind != expr.CompareSubquery:
		return nil
	case sub.Columns > sub.Left:
		return p.at(sqlerr.New(sqlerr.SyntaxError, "subquery has too many columns"), q.Pos)
	case sub.Columns < sub.Left:
		return p.at(sqlerr.New(sqlerr.SyntaxError, "subquery has too few columns"), q.Pos)
	}
	return nil
}

// rowOf is the type of a query's rows as records.
func rowOf(columns []Column) types.Type {
	fields := make([]types.Field, len(columns))
	for i, c := range columns {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	return types.RecordOf(types.RowType{}, fields)
}

// compareWith makes the comparison of the left side with a row of the query.
func (p *Planner) compareWith(query *queryPlan, q expr.SubqueryRequest) (expr.Expr, error) {
	left, right := make([]expr.Expr, len(q.Left)), make([]expr.Expr, len(q.Left))
	for i := range q.Left {
		left[i] = expr.NewColumn(i, q.Left[i].Type(), "", "")
		if q.Left[i].Type().IsUnknown() {
			left[i] = q.Left[i] // a literal or parameter: the operator gives it its type
		}
		right[i] = expr.NewColumn(len(q.Left)+i, query.columns[i].Type, "", query.columns[i].Name)
	}
	if len(left) > 1 {
		return p.builder.Compare(q.Op, left, right, q.Pos)
	}
	test, err := p.builder.Operator(q.Op, left[0], right[0], q.Pos)
	if err != nil {
		return nil, err
	}
	if test.Type() != types.Bool {
		return nil, p.at(sqlerr.New(sqlerr.DatatypeMismatch, "operator must return type boolean, not type %s", test.Type().Format()), q.Pos)
	}
	return test, nil
}

// bindOuter makes the columns of enclosing queries that the query uses columns of a row of args, and adds to args where they come from,
// as the enclosing query sees them.
func (sub *SubPlan) bindOuter(args []expr.Expr) []expr.Expr {
	replace := func(e expr.Expr) expr.Expr {
		return expr.Rewrite(e, func(n expr.Expr) (expr.Expr, bool) {
			c, ok := n.(*expr.Column)
			if !ok || c.Level == 0 {
				return nil, false
			}
			sub.Correlated = true
			outer := *c
			outer.Level--
			var from expr.Expr = &outer
			if outer.Level == 0 && c.Agg != nil {
				from = c.Agg
			}
			at := -1
			for i := sub.Left; i < len(args); i++ {
				if expr.Equal(args[i], from) {
					at = i
				}
			}
			if at < 0 {
				at = len(args)
				args = append(args, from)
			}
			bound := *c
			bound.Level, bound.Index, bound.Agg = 1, at, nil
			return &bound, true
		})
	}
	mapExprs(sub.Root, replace)
	return args
}

// mapExprs replaces every expression of a tree of nodes. Those of queries inside expressions use what is outside of them only by the
// arguments of the expr.Subquery, which are among the expressions.
func mapExprs(n Node, f func(expr.Expr) expr.Expr) {
	mapOwnExprs(n, f)
	ins := inputs(n)
	if _, ok := n.(*Apply); ok {
		ins = ins[:1] // what Right uses from outside it uses by Args
	}
	for _, in := range ins {
		mapExprs(in, f)
	}
}

// mapOwnExprs replaces the expressions of one node.
func mapOwnExprs(n Node, f func(expr.Expr) expr.Expr) {
	one := func(e *expr.Expr) {
		if *e != nil {
			*e = f(*e)
		}
	}
	all := func(list []expr.Expr) {
		for i := range list {
			list[i] = f(list[i])
		}
	}
	switch n := n.(type) {
	case *Scan:
		one(&n.IndexFilter)
		one(&n.Filter)
		n.Constraint.mapExprs(one, all)
	case *FunctionScan:
		n.Call = f(n.Call).(*expr.SetCall)
	case *CatalogScan:
		one(&n.Filter)
		for i := range n.Keys {
			all(n.Keys[i].Values)
		}
	case *Values:
		for _, row := range n.Rows {
			all(row)
		}
	case *Filter:
		one(&n.Cond)
		one(&n.shown)
	case *Project:
		all(n.Exprs)
	case *ProjectSet:
		all(n.Exprs)
	case *Sort:
		for i := range n.Keys {
			one(&n.Keys[i].Expr)
		}
		one(&n.Limit)
		one(&n.Offset)
	case *Limit:
		one(&n.Count)
		one(&n.Offset)
	case *Aggregate:
		all(n.Groups)
		for i, a := range n.Aggs {
			n.Aggs[i] = f(a).(*expr.Aggregate)
		}
	case *Window:
		n.mapExprs(one, f)
	case *Join:
		all(n.LeftKeys)
		all(n.RightKeys)
		all(n.conds)
		one(&n.On)
	case *LockRows:
		one(&n.Recheck)
	case *LockJoined:
		one(&n.Recheck)
	case *Apply:
		all(n.Args)
		one(&n.On)
	}
}

func (c *Constraint) mapExprs(one func(*expr.Expr), all func([]expr.Expr)) {
	if c == nil {
		return
	}
	for i := range c.Prefix {
		// The lists belong to the conditions, which others may share.
		c.Prefix[i].Values = append([]expr.Expr(nil), c.Prefix[i].Values...)
		all(c.Prefix[i].Values)
		one(&c.Prefix[i].Array)
	}
	if c.Range != nil {
		one(&c.Range.Low)
		one(&c.Range.High)
	}
	all(c.Conds)
}

// usesOuter reports whether a query uses columns of the enclosing ones.
func usesOuter(n Node) bool {
	found := false
	mapExprs(n, func(e expr.Expr) expr.Expr {
		expr.Walk(e, func(x expr.Expr) bool {
			c, ok := x.(*expr.Column)
			found = found || ok && c.Level > 0
			return !found
		})
		return e
	})
	return found
}

// inputs are the nodes below a node.
func inputs(n Node) []Node {
	switch n := n.(type) {
	case *Filter:
		return []Node{n.Input}
	case *Project:
		return []Node{n.Input}
	case *ProjectSet:
		return []Node{n.Input}
	case *Sort:
		return []Node{n.Input}
	case *Limit:
		return []Node{n.Input}
	case *Distinct:
		return []Node{n.Input}
	case *Aggregate:
		return []Node{n.Input}
	case *Window:
		return []Node{n.Input}
	case *Subquery:
		return []Node{n.Input}
	case *LockRows:
		return []Node{n.Input}
	case *LockJoined:
		return []Node{n.Input}
	case *Join:
		return []Node{n.Left, n.Right}
	case *Apply:
		return []Node{n.Left, n.Right}
	case *SetOp:
		return []Node{n.Left, n.Right}
	case *Recursive:
		return []Node{n.Left, n.Right}
	case *Insert:
		return []Node{n.Input}
	case *Update:
		return []Node{n.Input}
	case *Delete:
		return []Node{n.Input}
	case *WithWrites:
		all := []Node{n.Input}
		for _, w := range n.Writes {
			all = append(all, w.Root)
		}
		return all
	}
	return nil
}
