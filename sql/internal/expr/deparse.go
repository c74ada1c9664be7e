package expr

import (
	"bytes"
	"strconv"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// Deparse gives the expression as SQL text, as PostgreSQL's EXPLAIN and pg_get_expr do: operators in parentheses, constants
// with their types where those are not plain. With qualify, columns carry their table's name.
func Deparse(e Expr, qualify bool) string {
	d := deparser{qualify: qualify}
	return d.top(e)
}

// DeparseOver is Deparse of an expression whose columns of the row at hand have the texts that column gives; "" is the column's own.
func DeparseOver(e Expr, qualify bool, column func(*Column) string) string {
	d := deparser{qualify: qualify, over: column}
	return d.top(e)
}

// DeparseStored gives an expression that was not folded as SQL text, as pg_get_expr writes what a descriptor holds; if pretty,
// with only those parentheses that it needs, or that PostgreSQL thinks it needs.
func DeparseStored(e Expr, pretty bool) string {
	d := deparser{stored: true, pretty: pretty}
	return d.top(e)
}

// DeparseShown is DeparseStored for people to read: CASE has lines of its own.
func DeparseShown(e Expr, pretty bool) string {
	d := deparser{stored: true, pretty: pretty, lines: true}
	return d.top(e)
}

// top writes a whole expression.
func (d *deparser) top(e Expr) string {
	// What only fits the value to its place is not shown at the top.
	d.expr(withoutFit(e))
	return string(d.out)
}

// deparser writes an expression.
type deparser struct {
	out     []byte
	qualify bool
	stored  bool // the expression was not folded: a list of constants is still one
	pretty  bool
	over    func(*Column) string // see DeparseOver; nil: none
	// Of a Layout; else zero.
	lines bool
	level int // how far lines are indented
	name  func(*Column) (item, name string)
	query func(*Subquery)
}

func (d *deparser) text(s ...string) {
	for _, x := range s {
		d.out = append(d.out, x...)
	}
}

func (d *deparser) list(list []Expr, sep string) {
	for i, e := range list {
		if i > 0 {
			d.text(sep)
		}
		d.expr(e)
	}
}

func (d *deparser) expr(e Expr) {
	switch e := e.(type) {
	case *Const:
		d.constant(e, true)
	case *Column:
		d.column(e)
	case *Param:
		d.text("$", strconv.Itoa(e.Number))
	case *Call:
		d.call(e)
	case *Cast:
		d.cast(e)
	case *And:
		d.joined(e, e.Args, " AND ")
	case *Or:
		d.joined(e, e.Args, " OR ")
	case *Not:
		d.open()
		d.text("NOT ")
		d.operand(e.Arg, e)
		d.close()
	case *NullTest:
		d.open()
		d.operand(e.Arg, e)
		d.text(map[bool]string{false: " IS NULL", true: " IS NOT NULL"}[e.Not])
		d.close()
	case *BoolTest:
		d.open()
		d.operand(e.Arg, e)
		d.text(" IS ", [...]string{"TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "UNKNOWN", "NOT UNKNOWN"}[e.Test])
		d.close()
	case *Distinct:
		d.distinct(e)
	case *Aggregate:
		d.aggregate(e)
	case *Grouping:
		d.function("GROUPING", e.Args)
	case *WindowCall:
		d.windowCall(e)
	default:
		d.branching(e)
	}
}

func (d *deparser) branching(e Expr) {
	switch e := e.(type) {
	case *Case:
		d.caseExpr(e)
	case *CaseValue:
		d.text("CASE_TEST_EXPR")
	case *Coalesce:
		d.function("COALESCE", e.Args)
	case *NullIf:
		d.function("NULLIF", []Expr{e.Left, e.Right})
	case *MinMax:
		d.function(map[bool]string{false: "GREATEST", true: "LEAST"}[e.Least], e.Args)
	case *InList:
		d.inList(e)
	case *Array:
		d.text("ARRAY[")
		d.list(e.Elems, ", ")
		d.text("]")
	case *Subscript:
		d.subscript(e)
	case *SetCall:
		d.setCall(e)
	case *ArrayCompare:
		d.text("(")
		d.expr(e.Left)
		d.text(" ", e.oper.name, map[bool]string{false: " ANY (", true: " ALL ("}[e.All])
		d.expr(e.Array)
		d.text("))")
	case *RowCompare:
		d.text("(ROW(")
		d.list(e.Left, ", ")
		d.text(") ", e.Op, " ROW(")
		d.list(e.Right, ", ")
		d.text("))")
	case *Record:
		if e.name != "" {
			d.text(d.wholeRow(e), ".*")
		} else {
			d.function("ROW", e.Args)
		}
	case *FieldOf:
		d.text("(")
		d.expr(e.Arg)
		d.text(").", parse.QuoteIdent(e.name))
	case *Subquery:
		if e.Function != "" {
			d.function(parse.QuoteIdent(e.Function), e.Args)
			return
		}
		if d.query != nil {
			d.query(e)
			return
		}
		d.text("(", e.Name, ")")
	default:
		panic("expr: no text for this node")
	}
}

func (d *deparser) setCall(e *SetCall) {
	switch {
	case e.parts != nil:
		args := e.Args
		for i, p := range e.parts {
			if i > 0 {
				d.text(", ")
			}
			part := *p
			part.Args, args = args[:len(p.Args)], args[len(p.Args):]
			d.setCall(&part)
		}
	case e.scalar:
		d.list(e.Args, ", ")
	default:
		d.function(parse.QuoteIdent(e.proc.name), e.Args)
	}
}

func (d *deparser) column(e *Column) {
	if d.over != nil && e.Level == 0 {
		if s := d.over(e); s != "" {
			d.text(s)
			return
		}
	}
	if d.name != nil {
		item, name := d.name(e)
		if item != "" {
			d.text(item, ".")
		}
		d.text(name)
		return
	}
	if d.qualify && e.Table != "" {
		d.text(parse.QuoteIdent(e.Table), ".")
	}
	d.text(parse.QuoteIdent(e.Name))
}

func (d *deparser) function(name string, args []Expr) {
	d.text(name, "(")
	d.list(args, ", ")
	d.text(")")
}

// typeName is the name of a type in a cast. Without a length char is char(1), so the type itself goes by its internal name.
func typeName(t types.Type) string {
	if t == types.BPChar {
		return "bpchar"
	}
	return t.Format()
}

// constant writes a value. Integers, numerics with a point and bools are plain unless they have a sign; the rest has its
// type, if label is set.
func (d *deparser) constant(e *Const, label bool) {
	if e.Value.Null {
		d.text("NULL")
		if label && !e.typ.IsUnknown() {
			d.text("::", typeName(e.typ))
		}
		return
	}
	text := types.AppendText(nil, nil, e.typ, e.Value)
	switch e.typ.OID {
	case types.BoolOID:
		d.text(strconv.FormatBool(e.Value.Bool()))
		return
	case types.Int4OID:
		if text[0] != '-' {
			d.out = append(d.out, text...)
			return
		}
	case types.NumericOID:
		if e.typ.Mod < 0 && isFinite(e.Value) && text[0] != '-' && bytes.IndexByte(text, '.') >= 0 {
			d.out = append(d.out, text...)
			return
		}
	}
	d.quoted(string(text))
	if label && !e.typ.IsUnknown() {
		d.text("::", typeName(e.typ))
	}
}

// quoted writes a string constant; a backslash is an ordinary character in it.
func (d *deparser) quoted(s string) { d.text("'", strings.ReplaceAll(s, "'", "''"), "'") }

func (d *deparser) cast(e *Cast) {
	if c, ok := e.Arg.(*Const); ok && c.typ == e.typ.Base() {
		d.constant(c, false)
	} else {
		d.open()
		d.operand(e.Arg, e)
		d.close()
	}
	d.text("::", typeName(e.typ))
}

func (d *deparser) call(e *Call) {
	switch {
	case e.oper != nil && len(e.Args) == 1:
		d.open()
		d.text(e.oper.name, " ")
		d.operand(e.Args[0], e)
		d.close()
	case e.oper != nil:
		d.open()
		d.operand(d.operandOf(e, 0), e)
		d.text(" ", e.oper.name, " ")
		d.operand(d.operandOf(e, 1), e)
		d.close()
	case e.keyword != "":
		d.construct(e)
	case e.variadic:
		d.text(parse.QuoteIdent(e.proc.name), "(")
		for i, a := range e.Args {
			if i > 0 {
				d.text(", ")
			}
			if i == len(e.Args)-1 {
				d.text("VARIADIC ")
			}
			d.expr(a)
		}
		d.text(")")
	default:
		d.function(parse.QuoteIdent(e.proc.name), e.Args)
	}
}

// operandOf is an operand of an operator as it was written.
func (d *deparser) operandOf(e *Call, i int) Expr {
	if c, ok := e.Args[i].(*Cast); ok && c.ofOperator && d.stored {
		return c.Arg
	}
	return e.Args[i]
}

// construct writes a call in the form that SQL has for it.
func (d *deparser) construct(e *Call) {
	switch e.keyword {
	case "EXTRACT":
		unit, ok := e.Args[0].(*Const)
		if !ok {
			d.function("EXTRACT", e.Args)
			return
		}
		d.text("EXTRACT(", string(unit.Value.B), " FROM ")
		d.expr(e.Args[1])
		d.text(")")
	case "POSITION":
		d.text("POSITION((")
		d.expr(e.Args[1])
		d.text(") IN (")
		d.expr(e.Args[0])
		d.text("))")
	case "SUBSTRING":
		d.keywords("SUBSTRING", e.Args, "FROM", "FOR")
	case "OVERLAY":
		d.keywords("OVERLAY", e.Args, "PLACING", "FROM", "FOR")
	case "TRIM":
		side := map[string]string{"ltrim": "LEADING", "rtrim": "TRAILING"}[e.proc.name]
		if side == "" {
			side = "BOTH"
		}
		d.text("TRIM(", side)
		for _, a := range e.Args[1:] {
			d.text(" ")
			d.expr(a)
		}
		d.text(" FROM ")
		d.expr(e.Args[0])
		d.text(")")
	case "AT TIME ZONE":
		d.text("(")
		d.expr(e.Args[1])
		d.text(" AT TIME ZONE ")
		d.expr(e.Args[0])
		d.text(")")
	default:
		d.text(e.keyword)
	}
}

// keywords writes arguments with a word before each but the first.
func (d *deparser) keywords(name string, args []Expr, words ...string) {
	d.text(name, "(")
	for i, a := range args {
		if i > 0 {
			d.text(" ", words[i-1], " ")
		}
		d.expr(a)
	}
	d.text(")")
}

func (d *deparser) distinct(e *Distinct) {
	if e.Not {
		// PostgreSQL has no node for the negation.
		d.open()
		d.text("NOT ")
		defer d.close()
	}
	d.open()
	d.operand(e.Left, e)
	d.text(" IS DISTINCT FROM ")
	d.operand(e.Right, e)
	d.close()
}

func (d *deparser) caseExpr(e *Case) {
	d.line("CASE", 0, IndentItem, 0)
	if e.Arg != nil {
		d.text(" ")
		d.expr(e.Arg)
	}
	for _, w := range e.Whens {
		d.word("WHEN ", 0)
		d.expr(whenValue(e, w.Cond))
		d.text(" THEN ")
		d.expr(w.Result)
	}
	d.word("ELSE ", 0)
	d.expr(e.Else)
	d.word("END", -IndentItem)
}

// whenValue is what stands after WHEN: in the simple form the value that the comparison has on its right.
func whenValue(e *Case, cond Expr) Expr {
	call, ok := cond.(*Call)
	if e.Arg == nil || !ok || len(call.Args) != 2 {
		return cond
	}
	left := call.Args[0]
	if c, ok := left.(*Cast); ok && c.Context != types.CastExplicit {
		left = c.Arg
	}
	if _, ok := left.(*CaseValue); !ok {
		return cond
	}
	return call.Args[1]
}

// subscript puts into parentheses what is not a column or parameter.
func (d *deparser) subscript(e *Subscript) {
	switch e.Arg.(type) {
	case *Column, *Param:
		d.expr(e.Arg)
	default:
		d.text("(")
		d.expr(e.Arg)
		d.text(")")
	}
	for _, ix := range e.Index {
		d.text("[")
		if ix.Lower != nil {
			d.expr(ix.Lower)
		}
		if e.Slice {
			d.text(":")
		}
		if ix.Upper != nil {
			d.expr(ix.Upper)
		}
		d.text("]")
	}
}
