package parse

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// decoder turns TiDB's tree of one statement into ours. It is total: what the
// transcriber never writes is an internal error, never a guess.
type decoder struct {
	notes  []any
	places []place
	next   int // where the last place was found
}

// bug reports a tree that the transcriber cannot have meant.
func bug(format string, args ...any) {
	panic(bail{internalError(fmt.Errorf(format, args...))})
}

// place finds where n came from.
func (d *decoder) place(n ast.Node) place {
	at := n.OriginTextPosition()
	if d.next < len(d.places) && d.places[d.next].at == at {
		d.next++
		return d.places[d.next-1]
	}
	i := sort.Search(len(d.places), func(i int) bool { return d.places[i].at >= at })
	if i == len(d.places) || d.places[i].at != at {
		bug("no source for the %T at %d", n, at)
	}
	d.next = i + 1
	return d.places[i]
}

func (d *decoder) at(n ast.Node) exprAt { return at(d.place(n).src) }

// noteOf is the note that a name stands for, or nil for a plain name.
func (d *decoder) noteOf(name string) any {
	if plainName(name) {
		return nil
	}
	i, err := strconv.Atoi(name[1:])
	if err != nil || i < 0 || i >= len(d.notes) {
		bug("marker %q without a note", name)
	}
	return d.notes[i]
}

// note is the note of type T that name stands for.
func note[T any](d *decoder, name string) T {
	v, ok := d.noteOf(name).(T)
	if !ok {
		bug("marker %q has a note of type %T", name, d.noteOf(name))
	}
	return v
}

func (d *decoder) exprs(list []ast.ExprNode) []Expr {
	if len(list) == 0 {
		return nil
	}
	out := make([]Expr, len(list))
	for i, n := range list {
		out[i] = d.expr(n)
	}
	return out
}

// optional decodes n, which may be nil.
func (d *decoder) optional(n ast.ExprNode) Expr {
	if n == nil {
		return nil
	}
	return d.expr(n)
}

// fill decodes an expression whose builder fills a hole.
func (d *decoder) fill(n ast.ExprNode) {
	if e := d.expr(n); e != nil {
		bug("a %T where nothing is kept", e)
	}
}

func (d *decoder) expr(n ast.ExprNode) Expr {
	switch n := n.(type) {
	case *ast.ColumnNameExpr:
		return d.column(n)
	case *paramExpr:
		pl := d.place(n)
		return &ParamRef{at(pl.src), pl.param}
	case *valueExpr:
		return d.literal(n)
	case *ast.FuncCallExpr:
		return d.call(n)
	case *ast.ParenthesesExpr:
		return d.operator(n)
	case *ast.SubqueryExpr:
		return &SubqueryExpr{d.at(n), d.query(n.Query)}
	case *ast.ExistsSubqueryExpr:
		at := d.at(n)
		return &ExistsExpr{at, d.query(n.Sel.(*ast.SubqueryExpr).Query)}
	case *ast.CaseExpr:
		return d.caseExpr(n)
	}
	bug("unexpected %T", n)
	return nil
}

func (d *decoder) column(n *ast.ColumnNameExpr) Expr {
	name := n.Name
	switch {
	case !plainName(name.Name.O):
		bug("marker %q as a column", name.Name.O)
	case name.Schema.O != "":
		return &ColumnRef{exprAt: d.at(n), Parts: []string{name.Schema.O, name.Table.O, name.Name.O}}
	case name.Table.O != "":
		return &ColumnRef{exprAt: d.at(n), Parts: []string{name.Table.O, name.Name.O}}
	}
	return &ColumnRef{exprAt: d.at(n), Parts: []string{name.Name.O}}
}

func (d *decoder) literal(n *valueExpr) Expr {
	lit := &Literal{exprAt: d.at(n)}
	switch v := n.value.(type) {
	case nil:
		lit.Kind = NullLiteral
	case bool:
		lit.Kind, lit.Text = BoolLiteral, strconv.FormatBool(v)
	case int64:
		lit.Kind, lit.Int, lit.Text = IntLiteral, v, strconv.FormatInt(v, 10)
	case string:
		lit.Kind, lit.Text = StringLiteral, v
	default:
		bug("a literal of type %T", v)
	}
	return lit
}

// call decodes a marker's call by its builder, and any other as a function call.
func (d *decoder) call(n *ast.FuncCallExpr) Expr {
	if v := d.noteOf(n.FnName.O); v != nil {
		b, ok := v.(builder)
		if !ok {
			bug("a call of a note of type %T", v)
		}
		return b(d.exprs(n.Args))
	}
	at := d.at(n)
	name := ObjectName{Schema: n.Schema.O, Name: n.FnName.O, Pos: at.Pos}
	return &FuncCall{exprAt: at, Name: name, Args: d.exprs(n.Args)}
}

// binaryOps are the operators that are written into the text as themselves.
var binaryOps = map[opcode.Op]string{
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.Mod: "%",
	opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=",
}

// operator decodes what stands in the parentheses that the transcriber puts around
// every operator; their place is the operator's.
func (d *decoder) operator(paren *ast.ParenthesesExpr) Expr {
	at := d.at(paren)
	switch n := paren.Expr.(type) {
	case *ast.BinaryOperationExpr:
		if n.Op == opcode.LogicAnd || n.Op == opcode.LogicOr {
			return d.boolChain(at, n)
		}
		op, ok := binaryOps[n.Op]
		if !ok {
			bug("operator %s", n.Op)
		}
		l := d.expr(n.L)
		return &BinaryExpr{at, op, "", l, d.expr(n.R)}
	case *ast.UnaryOperationExpr:
		switch n.Op {
		case opcode.Minus:
			return negate(at, d.expr(n.V))
		case opcode.Plus:
			return &UnaryExpr{at, "+", "", d.expr(n.V)}
		}
		bug("prefix operator %s", n.Op)
	case *ast.IsNullExpr:
		return &NullTest{at, d.expr(n.Expr), n.Not}
	case *ast.BetweenExpr:
		x, lo := d.expr(n.Expr), d.expr(n.Left)
		return &BetweenExpr{exprAt: at, X: x, Lo: lo, Hi: d.expr(n.Right), Not: n.Not}
	case *ast.PatternInExpr:
		in := &InExpr{exprAt: at, X: d.expr(n.Expr), Not: n.Not}
		if n.Sel != nil {
			in.Query = d.query(n.Sel.(*ast.SubqueryExpr).Query)
			return in
		}
		in.List = d.exprs(n.List)
		if q, ok := in.List[0].(*SubqueryExpr); ok && len(in.List) == 1 {
			// x IN ((SELECT …)) is x IN (SELECT …).
			in.List, in.Query = nil, q.Query
		}
		return in
	}
	bug("unexpected %T in parentheses", paren.Expr)
	return nil
}

// boolChain decodes a AND b AND c, which TiDB nests to the left, as one node.
func (d *decoder) boolChain(at exprAt, n *ast.BinaryOperationExpr) Expr {
	op := And
	if n.Op == opcode.LogicOr {
		op = Or
	}
	var nodes []ast.ExprNode
	var first ast.ExprNode = n
	for {
		b, ok := first.(*ast.BinaryOperationExpr)
		if !ok {
			break
		}
		if b.Op != n.Op {
			bug("%s in a chain of %s", b.Op, n.Op)
		}
		nodes = append(nodes, b.R)
		first = b.L
	}
	args := make([]Expr, 0, len(nodes)+1)
	args = append(args, d.expr(first))
	for i := len(nodes) - 1; i >= 0; i-- {
		args = append(args, d.expr(nodes[i]))
	}
	return &BoolExpr{at, op, args}
}

// negate is -x. A number swallows the sign, as in PostgreSQL's parser, so that
// -9223372036854775808 is an int8.
func negate(at exprAt, x Expr) Expr {
	lit, ok := x.(*Literal)
	if !ok || lit.Kind != IntLiteral && lit.Kind != NumericLiteral {
		return &UnaryExpr{at, "-", "", x}
	}
	text := "-" + lit.Text
	if lit.Text[0] == '-' {
		text = lit.Text[1:]
	}
	return numberLiteral(at, text)
}

// numberLiteral is the literal of a number with its sign.
func numberLiteral(at exprAt, text string) *Literal {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &Literal{at, IntLiteral, i, strconv.FormatInt(i, 10)}
	}
	return &Literal{exprAt: at, Kind: NumericLiteral, Text: text}
}

func (d *decoder) caseExpr(n *ast.CaseExpr) Expr {
	c := &CaseExpr{exprAt: d.at(n), Arg: d.optional(n.Value), Whens: make([]CaseWhen, len(n.WhenClauses))}
	for i, w := range n.WhenClauses {
		cond := d.expr(w.Expr)
		c.Whens[i] = CaseWhen{cond, d.expr(w.Result), cond.Position()}
	}
	c.Else = d.optional(n.ElseClause)
	return c
}
