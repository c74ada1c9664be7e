package parse

import "strconv"

// expr writes an expression. Every operator has parentheses around it.
func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Literal:
		p.literal(e)
	case *ColumnRef:
		p.dotted(e.Parts)
		if e.Star {
			p.when(len(e.Parts) > 0, ".")
			p.put("*")
		}
	case *ParamRef:
		p.put("$", strconv.Itoa(e.Number))
	case *DefaultExpr:
		p.put("DEFAULT")
	case *FuncCall:
		p.call(e)
	case *SubqueryExpr:
		p.subquery("", e.Query)
	case *ExistsExpr:
		p.subquery("EXISTS ", e.Query)
	case *ArraySubquery:
		p.subquery("ARRAY", e.Query)
	case *ArrayExpr:
		p.put("ARRAY")
		p.array(e)
	case *RowExpr:
		p.when(e.Explicit, "ROW")
		p.list("(", e.Args)
	case *CoalesceExpr:
		p.list("COALESCE(", e.Args)
	case *NullIfExpr:
		p.list("NULLIF(", []Expr{e.L, e.R})
	case *MinMaxExpr:
		p.list(map[bool]string{false: "GREATEST(", true: "LEAST("}[e.Least], e.Args)
	case *GroupingFunc:
		p.list("GROUPING(", e.Args)
	case *GroupingExpr:
		p.list([]string{"(", "ROLLUP (", "CUBE (", "GROUPING SETS ("}[e.Kind], e.Args)
	case *SQLValueFunc:
		p.put(e.Name)
		if e.Precision >= 0 {
			p.put("(", strconv.Itoa(int(e.Precision)), ")")
		}
	case *SubscriptExpr:
		p.put("(")
		p.expr(e.X)
		p.put(")")
		p.subscripts(e)
	case *FieldExpr:
		p.put("(")
		p.expr(e.X)
		p.put(").")
		if e.Star {
			p.put("*")
		} else {
			p.name(e.Field)
		}
	case *CurrentOfExpr:
		p.put("CURRENT OF ")
		p.name(e.Cursor)
	default:
		p.put("(")
		p.operator(e)
		p.put(")")
	}
}

// operator writes an expression that needs parentheses around it.
func (p *printer) operator(e Expr) {
	switch e := e.(type) {
	case *BinaryExpr:
		p.expr(e.L)
		p.put(" ")
		p.op(e.Schema, e.Op)
		p.put(" ")
		p.expr(e.R)
	case *UnaryExpr:
		p.op(e.Schema, e.Op)
		p.put(" ")
		p.expr(e.X)
	case *BoolExpr:
		p.when(e.Op == Not, "NOT ")
		for i, x := range e.Args {
			p.when(i > 0, []string{" AND ", " OR ", ""}[e.Op])
			p.expr(x)
		}
	case *NullTest:
		p.expr(e.X)
		p.put(not(e.Not, " IS NULL", " IS NOT NULL"))
	case *BoolTest:
		p.expr(e.X)
		p.put(not(e.Not, " IS ", " IS NOT "), []string{"TRUE", "FALSE", "UNKNOWN"}[e.Kind])
	case *DistinctExpr:
		p.expr(e.L)
		p.put(not(e.Not, " IS DISTINCT FROM ", " IS NOT DISTINCT FROM "))
		p.expr(e.R)
	case *BetweenExpr:
		p.expr(e.X)
		p.put(not(e.Not, " BETWEEN ", " NOT BETWEEN "))
		p.when(e.Symmetric, "SYMMETRIC ")
		p.expr(e.Lo)
		p.put(" AND ")
		p.expr(e.Hi)
	case *InExpr:
		p.expr(e.X)
		p.put(not(e.Not, " IN ", " NOT IN "))
		if e.Query != nil {
			p.subquery("", e.Query)
		} else {
			p.list("(", e.List)
		}
	case *LikeExpr:
		p.like(e)
	case *AnyAllExpr:
		p.anyAll(e)
	case *CaseExpr:
		p.caseExpr(e)
	case *CastExpr:
		p.expr(e.X)
		p.put("::")
		p.typeName(e.Type)
	case *CollateExpr:
		p.expr(e.X)
		p.put(" COLLATE ")
		p.object(e.Collation)
	}
}

func not(cond bool, plain, negated string) string {
	if cond {
		return negated
	}
	return plain
}

// list writes open, expressions with commas between, and ')'.
func (p *printer) list(open string, list []Expr) {
	p.put(open)
	p.exprs(list)
	p.put(")")
}

func (p *printer) subquery(word string, q *SelectStmt) {
	p.put(word, "(")
	p.query(q)
	p.put(")")
}

// array writes […]; nested ARRAY[…] without its word.
func (p *printer) array(e *ArrayExpr) {
	p.put("[")
	for i, x := range e.Elems {
		p.when(i > 0, ", ")
		p.expr(x)
	}
	p.put("]")
}

func (p *printer) subscripts(e *SubscriptExpr) {
	for _, s := range e.Subs {
		p.put("[")
		if s.Lower != nil {
			p.expr(s.Lower)
		}
		p.when(s.Slice, " : ")
		if s.Upper != nil {
			p.expr(s.Upper)
		}
		p.put("]")
	}
}

func (p *printer) like(e *LikeExpr) {
	p.expr(e.X)
	p.when(e.Not, " NOT")
	p.put([]string{" LIKE ", " ILIKE ", " SIMILAR TO "}[e.Kind])
	p.expr(e.Pattern)
	if e.Escape != nil {
		p.put(" ESCAPE ")
		p.expr(e.Escape)
	}
}

func (p *printer) anyAll(e *AnyAllExpr) {
	p.expr(e.X)
	p.put(" ")
	p.op(e.Schema, e.Op)
	p.put(not(e.All, " ANY ", " ALL "))
	if e.Query != nil {
		p.subquery("", e.Query)
		return
	}
	p.list("(", []Expr{e.Array})
}

func (p *printer) caseExpr(e *CaseExpr) {
	p.put("CASE")
	if e.Arg != nil {
		p.put(" ")
		p.expr(e.Arg)
	}
	for _, w := range e.Whens {
		p.put(" WHEN ")
		p.expr(w.Cond)
		p.put(" THEN ")
		p.expr(w.Result)
	}
	if e.Else != nil {
		p.put(" ELSE ")
		p.expr(e.Else)
	}
	p.put(" END")
}

// call writes a function call in the shape it was written in.
func (p *printer) call(f *FuncCall) {
	if f.Form != PlainCall {
		p.specialCall(f)
		return
	}
	p.object(f.Name)
	p.put("(")
	p.when(f.Distinct, "DISTINCT ")
	p.when(f.Star, "*")
	for i, a := range f.Args {
		p.when(i > 0, ", ")
		p.when(f.Variadic && i == len(f.Args)-1, "VARIADIC ")
		if f.ArgNames != nil && f.ArgNames[i] != "" {
			p.name(f.ArgNames[i])
			p.put(" => ")
		}
		p.expr(a)
	}
	if !f.WithinGroup {
		p.orderBy(f.OrderBy)
	}
	p.put(")")
	if f.WithinGroup {
		p.put(" WITHIN GROUP (")
		p.orderBy(f.OrderBy)
		p.put(")")
	}
	if f.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(f.Filter)
		p.put(")")
	}
	if f.Over != nil {
		p.put(" OVER ")
		p.window(f.Over)
	}
}

// between writes open, the arguments with the words between them, and ')'.
func (p *printer) between(open string, args []Expr, words ...string) {
	p.put(open)
	for i, a := range args {
		if i > 0 {
			p.put(words[i-1])
		}
		p.expr(a)
	}
	p.put(")")
}

func (p *printer) specialCall(f *FuncCall) {
	a := f.Args
	switch f.Form {
	case ExtractCall:
		p.between("EXTRACT(", a, " FROM ")
	case PositionCall:
		p.between("POSITION(", []Expr{a[1], a[0]}, " IN ")
	case OverlayCall:
		p.between("OVERLAY(", a, " PLACING ", " FROM ", " FOR ")
	case SubstringCall:
		p.between("SUBSTRING(", a, " FROM ", " FOR ")
	case TrimCall:
		p.list(map[string]string{
			"btrim": "TRIM(BOTH FROM ", "ltrim": "TRIM(LEADING FROM ", "rtrim": "TRIM(TRAILING FROM ",
		}[f.Name.Name], a)
	case AtTimeZoneCall:
		p.between("(", []Expr{a[1], a[0]}, " AT TIME ZONE ")
	case OverlapsCall:
		p.put("(")
		p.list("(", a[:2])
		p.put(" OVERLAPS ")
		p.list("(", a[2:])
		p.put(")")
	case CollationForCall:
		p.list("COLLATION FOR (", a)
	case NormalizeCall:
		p.put("NORMALIZE(")
		p.expr(a[0])
		if len(a) > 1 {
			p.put(", ", a[1].(*Literal).Text)
		}
		p.put(")")
	case IsNormalizedCall:
		p.put("(")
		p.expr(a[0])
		p.put(" IS ")
		if len(a) > 1 {
			p.put(a[1].(*Literal).Text, " ")
		}
		p.put("NORMALIZED)")
	}
}
