package plan

import (
	"errors"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// userFunction is a function that a user made while a statement is planned that calls it.
type userFunction struct {
	*catalog.Function
	call *expr.Function
	args *expr.Source // the arguments as the body sees them
	// plan is the body as a query of one row with the arguments as columns of level 1; nil until it is needed. It is there before it is
	// planned, so that a function may call itself.
	plan *SubPlan
	// value, if not nil, is the body as an expression over the arguments as columns of level 0.
	value   expr.Expr
	planned bool
	calls   bool // it calls itself
}

// functions are the user's functions of a name: those of a schema, or of the search path, nearest first.
func (p *Planner) functions(schema, name string) ([]*expr.Function, error) {
	if p.View == nil || p.Database == nil {
		return nil, nil
	}
	path := p.SearchPath
	if schema != "" {
		named, err := namedSchema(path, schema)
		if err != nil {
			return nil, err
		}
		path = []string{named}
	}
	var out []*expr.Function
	for _, n := range path {
		s, err := p.View.Schema(p.Ctx, p.Database.ID, n)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := p.View.Functions(p.Ctx, s.ID, name)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		if schema != "" {
			if err := p.View.CheckSchema(p.Ctx, s, catalog.Usage); err != nil {
				return nil, err
			}
		} else if ok, err := p.View.MayUse(p.Ctx, s); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		for _, f := range list {
			out = append(out, p.userFunction(f).call)
		}
	}
	return out, nil
}

// schemaExists reports whether the database has a schema.
func (p *Planner) schemaExists(name string) bool {
	if p.View == nil || p.Database == nil {
		return false
	}
	_, err := p.View.Schema(p.Ctx, p.Database.ID, name)
	return err == nil
}

// userFunction gives what the planner knows of a function.
func (p *Planner) userFunction(f *catalog.Function) *userFunction {
	if u := p.userFunctions[f.ID]; u != nil {
		return u
	}
	u := &userFunction{Function: f, args: &expr.Source{Name: f.Name}}
	u.call = &expr.Function{
		Name: f.Name, Args: f.ArgTypes(), Defaults: f.Defaults(), Result: f.Result, Set: f.Set, Strict: f.Strict,
		Volatility: volatilityOf(f.Volatility), Body: u,
	}
	for i, a := range f.Args {
		u.call.ArgNames = append(u.call.ArgNames, a.Name)
		u.args.Columns = append(u.args.Columns, expr.SourceColumn{Name: a.Name, Type: types.Type{OID: a.Type, Mod: -1}, Index: i})
	}
	for _, c := range f.Table {
		u.call.Columns = append(u.call.Columns, expr.SetColumn{Name: c.Name, Type: types.Type{OID: c.Type, Mod: -1}})
	}
	if p.userFunctions == nil {
		p.userFunctions = map[catalog.ID]*userFunction{}
	}
	p.userFunctions[f.ID] = u
	return u
}

func volatilityOf(letter string) expr.Volatility {
	switch letter {
	case "i":
		return expr.Immutable
	case "s":
		return expr.Stable
	default:
		return expr.Volatile
	}
}

// callFunction makes the call of a user's function that gives one value. It is the hook of the builder.
func (p *Planner) callFunction(_ *expr.Scope, c expr.FunctionCall) (expr.Expr, error) {
	u := c.Function.Body.(*userFunction)
	if p.describing {
		return nil, errNotShown
	}
	p.noteCall(u)
	if err := p.defaultArgs(u, c.Args); err != nil {
		return nil, err
	}
	if u.plan != nil && !u.planned {
		u.calls = true
	} else if err := p.planFunction(u); err != nil {
		return nil, inFunction(err, u.Name, "during inlining")
	}
	if u.value != nil && !u.calls && mayInline(u.value, c.Args) {
		return expr.Rewrite(u.value, func(e expr.Expr) (expr.Expr, bool) {
			if col, ok := e.(*expr.Column); ok && col.Level == 0 {
				return c.Args[col.Index], true
			}
			return nil, false
		}), nil
	}
	e := expr.NewSubquery(types.Type{OID: u.Result, Mod: -1}, u.plan, u.plan.Function, c.Args...)
	e.Function, e.Volatility = u.Name, c.Function.Volatility
	return e, nil
}

// noteCall notes what function the statement calls, if it does so itself.
func (p *Planner) noteCall(u *userFunction) {
	if p.isDirect() {
		p.called = append(p.called, u.OID)
	}
}

// isDirect reports whether the query at hand is the statement's own, or the body of the function that it makes.
func (p *Planner) isDirect() bool { return p.inViews == 0 || p.inViews == 1 && p.checking }

// RefuseFunctions makes a builder that refuses the user's functions by name: those of the expressions that are stored.
func (p *Planner) RefuseFunctions(b *expr.Builder) *expr.Builder {
	b.Functions, b.SchemaExists = p.functions, p.schemaExists
	b.Call = func(_ *expr.Scope, c expr.FunctionCall) (expr.Expr, error) {
		err := sqlerr.Unsupported("SQL function " + c.Function.Name + " in this expression")
		return nil, err.At(parse.Character(b.Text, c.Pos))
	}
	return b
}

// inFunction says where an error in the body of a function is; the position is not one in the statement.
func inFunction(err error, name, when string) error {
	e, ok := sqlerr.As(err)
	if !ok {
		return err
	}
	e.Position = 0
	where := "SQL function \"" + name + "\" " + when
	if e.Where != "" {
		where = e.Where + "\n" + where
	}
	return e.WithWhere("%s", where)
}

// mayInline reports whether the value of a function may be computed in place of the call: an argument that it uses not just once must
// cost little and always be the same.
func mayInline(value expr.Expr, args []expr.Expr) bool {
	uses := make([]int, len(args))
	expr.Walk(value, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok && c.Level == 0 {
			uses[c.Index]++
		}
		return true
	})
	for i, a := range args {
		if uses[i] != 1 && (expr.VolatilityOf(a) == expr.Volatile || expr.HasSubqueries(a)) {
			return false
		}
	}
	return true
}

// defaultArgs puts the defaults in the places of the arguments that a call leaves out.
func (p *Planner) defaultArgs(u *userFunction, args []expr.Expr) error {
	for i := range args {
		if args[i] != nil {
			continue
		}
		text := u.Args[i].Default
		x, err := parseExpression(text)
		if err != nil {
			return err
		}
		b := &expr.Builder{Text: text, Types: p.Types, Functions: p.functions, Call: p.callFunction, SchemaExists: p.schemaExists}
		e, err := b.Build(x, &expr.Scope{Clause: expr.ClauseDefault})
		if err != nil {
			return err
		}
		var ok bool
		if args[i], ok, err = b.ReturnValue(e, u.Args[i].Type); err != nil || !ok {
			return errors.Join(err, sqlerr.Internal("default %q of function %s does not fit", text, u.Name))
		}
	}
	return nil
}

// planFunction plans the body of a function that gives one value, once.
func (p *Planner) planFunction(u *userFunction) error {
	if u.planned {
		return nil
	}
	u.plan = &SubPlan{
		Kind: expr.ScalarSubquery, Columns: 1, Left: len(u.Args), Correlated: len(u.Args) > 0 || u.call.Volatility == expr.Volatile,
		Function: u.Name, Strict: u.Strict, Void: u.Result == types.VoidOID,
	}
	err := p.inBody(u, func(st *parse.SelectStmt) error {
		if err := p.planValue(u, st); err != nil {
			return err
		}
		q, err := p.query(st, &expr.Scope{Sources: []*expr.Source{u.args}})
		if err != nil {
			return err
		}
		u.plan.Root, err = p.returned(u, q)
		return err
	})
	if err != nil {
		u.plan = nil
		return err
	}
	u.planned = true
	return nil
}

// inBody calls f with the query that is the body of a function, which is the text at hand meanwhile.
func (p *Planner) inBody(u *userFunction, f func(*parse.SelectStmt) error) error {
	st, text, err := bodyQuery(u.Function)
	if err != nil {
		return err
	}
	outer := *p
	p.Text, p.ctes, p.later = text, nil, nil
	if u.Returns {
		p.SearchPath = u.SearchPath
	}
	p.builder = p.newBuilder(expr.NoParams())
	p.builder.Arguments = u.args
	p.inViews++
	err = f(st)
	p.Text, p.ctes, p.later, p.SearchPath, p.builder = outer.Text, outer.ctes, outer.later, outer.SearchPath, outer.builder
	p.inViews--
	return err
}

// returnPrefix stands in front of the expression of RETURN to make it a query.
const returnPrefix = "SELECT "

// bodyQuery parses the body of a function; text is what positions in the query count in.
func bodyQuery(f *catalog.Function) (_ *parse.SelectStmt, text string, err error) {
	text = f.Body
	if f.Returns {
		text = returnPrefix + text
	}
	stmts, err := parse.Parse(text)
	if err != nil {
		return nil, text, err
	}
	mismatch := sqlerr.New(sqlerr.InvalidFunctionDefinition, "return type mismatch in function declared to return %s", types.Type{OID: f.Result, Mod: -1}.Format()).
		WithDetail("Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
	switch {
	case len(stmts) > 1:
		return nil, text, sqlerr.Unsupported("SQL functions of several statements")
	case len(stmts) == 0 && f.Result == types.VoidOID:
		return nil, text, sqlerr.Unsupported("SQL functions without a statement")
	case len(stmts) == 0:
		return nil, text, mismatch
	}
	if st, ok := stmts[0].AST.(*parse.SelectStmt); ok {
		return st, text, nil
	}
	switch stmts[0].AST.(type) {
	case *parse.InsertStmt, *parse.UpdateStmt, *parse.DeleteStmt:
	default:
		if f.Result != types.VoidOID {
			return nil, text, mismatch
		}
	}
	return nil, text, sqlerr.Unsupported(parse.Feature(stmts[0].AST, text) + " in an SQL function")
}

// planValue makes the body an expression over the arguments if it is nothing else, and one that may be computed in place of a call.
func (p *Planner) planValue(u *userFunction, st *parse.SelectStmt) error {
	clause, ok := st.Body.(*parse.SelectClause)
	if !ok || u.Strict || u.Result == types.VoidOID || st.With != nil || st.OrderBy != nil || st.Limit != nil || st.Offset != nil || st.Locking != nil ||
		len(clause.Targets) != 1 || clause.From != nil || clause.Where != nil || clause.GroupBy != nil || clause.Having != nil ||
		clause.Distinct || clause.Windows != nil || expr.IsStar(clause.Targets[0].Expr) {
		return nil
	}
	subplans := p.subplans
	defer func() { p.subplans = subplans }()
	scope := &expr.Scope{Sources: []*expr.Source{u.args}, Clause: expr.ClauseSelect, SetFuncs: true, Subquery: p.subquery}
	e, err := p.builder.Build(clause.Targets[0].Expr, scope)
	if err != nil {
		return err
	}
	if expr.HasSubqueries(e) || expr.HasAggregates(e) || expr.HasSetCalls(e) || expr.HasWindowCalls(e) {
		return nil
	}
	value, ok, err := p.builder.ReturnValue(e, u.Result)
	if err != nil || !ok {
		return err
	}
	if expr.VolatilityOf(value) <= u.call.Volatility {
		u.value = value
	}
	return nil
}

// returned makes the first row of a body's query that of the function, with the type that it is declared to return.
func (p *Planner) returned(u *userFunction, q *queryPlan) (Node, error) {
	if u.Result == types.VoidOID {
		return q.node, nil
	}
	node, err := p.returnedRows(u, q, []types.OID{u.Result})
	if err != nil {
		return nil, err
	}
	return &Limit{Input: node, Count: expr.NewConst(types.Int8, types.NewInt(1))}, nil
}

// returnedRows gives the rows of a body's query the types of the result.
func (p *Planner) returnedRows(u *userFunction, q *queryPlan, want []types.OID) (Node, error) {
	mismatch := sqlerr.New(sqlerr.InvalidFunctionDefinition, "return type mismatch in function declared to return %s", types.Type{OID: u.Result, Mod: -1}.Format())
	switch {
	case len(want) == 1 && len(q.columns) != 1:
		return nil, mismatch.WithDetail("Final statement must return exactly one column.")
	case len(q.columns) < len(want):
		return nil, mismatch.WithDetail("Final statement returns too few columns.")
	case len(q.columns) > len(want):
		return nil, mismatch.WithDetail("Final statement returns too many columns.")
	}
	project := &Project{Input: q.node}
	for i, t := range want {
		c := q.columns[i]
		e, ok, err := p.builder.ReturnValue(expr.NewColumn(i, c.Type, "", c.Name), t)
		switch {
		case err != nil:
			return nil, err
		case !ok && len(want) == 1:
			return nil, mismatch.WithDetail("Actual return type is %s.", c.Type.Base().Format())
		case !ok:
			return nil, mismatch.WithDetail("Final statement returns %s instead of %s at column %d.",
				c.Type.Base().Format(), types.Type{OID: t, Mod: -1}.Format(), i+1)
		}
		project.Exprs = append(project.Exprs, e)
	}
	return project, nil
}

// CheckFunction plans the body of a new function, to find its errors. Positions in errors count in the body, or for RETURN in its
// expression. It gives what the body uses.
func (p *Planner) CheckFunction(f *catalog.Function) ([]catalog.Use, error) {
	p.NoParams, p.checking = true, true
	p.builder = p.newBuilder(expr.NoParams())
	u := p.userFunction(f)
	var err error
	if f.Set {
		_, err = p.planSet(u)
	} else {
		err = p.planFunction(u)
	}
	if e, ok := sqlerr.As(err); ok && f.Returns && e.Position > 0 {
		e.Position -= len(returnPrefix)
	}
	var uses []catalog.Use
	if f.Returns {
		for _, t := range p.direct {
			uses = append(uses, catalog.Use{OID: t.OID})
		}
		for _, oid := range p.called {
			uses = append(uses, catalog.Use{OID: oid})
		}
	}
	return uses, err
}
