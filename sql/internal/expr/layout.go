package expr

import (
	"bytes"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// Layout is the text of a query while it is written, in lines as PostgreSQL's ruleutils lays out the text of a view. Expressions go
// into it as DeparseStored writes them.
type Layout struct{ d deparser }

// The steps of indentation.
const (
	IndentClause = 8
	IndentJoin   = 4
	IndentItem   = 4
	indentLimit  = 40
)

// NewLayout begins a text. Column gives the names of a column as they are to be written, the first one "" for none; query writes a subquery into the same text, with the parentheses around it.
func NewLayout(pretty bool, column func(*Column) (item, name string), query func(*Subquery)) *Layout {
	return &Layout{deparser{stored: true, pretty: pretty, lines: true, name: column, query: query}}
}

// Text adds text to the line.
func (l *Layout) Text(s ...string) { l.d.text(s...) }

// Pretty tells that needless parentheses are left out.
func (l *Layout) Pretty() bool { return l.d.pretty }

// Indent moves the lines that follow.
func (l *Layout) Indent(by int) { l.d.level = max(l.d.level+by, 0) }

// Level is how far lines are indented, before SetLevel gives it back.
func (l *Layout) Level() int { return l.d.level }

// SetLevel sets how far the lines that follow are indented.
func (l *Layout) SetLevel(n int) { l.d.level = n }

// Line begins a line with a word, at the level moved by before, with plus more spaces; what follows stands at the level moved by after.
func (l *Layout) Line(word string, before, after, plus int) { l.d.line(word, before, after, plus) }

// Clause begins a line with the word of a clause.
func (l *Layout) Clause(word string, plus int) { l.d.line(word, -IndentClause, IndentClause, plus) }

// Apart writes an item of a list by f. If f tells that it is not the list's first, it comes on a line of its own where the line
// would pass the width, or the item before it took several lines. Apart reports whether the item took several lines. A width below 0 is none.
func (l *Layout) Apart(width int, first, afterLines bool, f func()) (lines bool) {
	before := l.d.out
	l.d.out = nil
	f()
	item := l.d.out
	l.d.out = before
	if width >= 0 {
		switch {
		case len(item) > 0 && item[0] == '\n':
			l.d.out = bytes.TrimRight(l.d.out, " ")
			lines = bytes.IndexByte(item[1:], '\n') >= 0
		default:
			line := len(l.d.out) - 1 - bytes.LastIndexByte(l.d.out, '\n')
			if !first && (line+len(item) > width || afterLines) {
				l.d.line("", -IndentClause, IndentClause, IndentItem)
			}
			lines = bytes.IndexByte(item, '\n') >= 0
		}
	}
	l.d.out = append(l.d.out, item...)
	return lines
}

// Expr writes an expression with all casts that it has.
func (l *Layout) Expr(e Expr) { l.d.expr(e) }

// Exprs writes expressions with a text between them.
func (l *Layout) Exprs(list []Expr, between string) { l.d.list(list, between) }

// Value writes an expression without the casts that only fit it to its place.
func (l *Layout) Value(e Expr) { l.d.expr(withoutFit(e)) }

// Key writes an expression of GROUP BY, ORDER BY, PARTITION BY or DISTINCT ON.
func (l *Layout) Key(e Expr) { l.d.key(e) }

// Keys writes several of them.
func (l *Layout) Keys(list []Expr) {
	for i, e := range list {
		if i > 0 {
			l.Text(", ")
		}
		l.d.key(e)
	}
}

// Direction writes what is not the default of how a key sorts.
func (l *Layout) Direction(desc, nullsFirst bool) { l.d.direction(desc, nullsFirst) }

// Window writes what a window is.
func (l *Layout) Window(w *Window) { l.d.window(w) }

// String is the text.
func (l *Layout) String() string { return string(l.d.out) }

// line is Layout.Line; a text of one line only gets the word.
func (d *deparser) line(word string, before, after, plus int) {
	if !d.lines {
		d.text(word)
		return
	}
	d.level += before
	d.out = bytes.TrimRight(d.out, " ")
	spaces := max(d.level, 0)
	if d.level >= indentLimit {
		spaces = (indentLimit + (d.level-indentLimit)/(IndentClause/2)) % indentLimit
	}
	d.text("\n", strings.Repeat(" ", spaces+plus), word)
	d.level = max(d.level+after, 0)
}

// word begins a line with a word inside of an expression; in a text of one line, after a space.
func (d *deparser) word(s string, before int) {
	if !d.lines {
		d.text(" ")
	}
	d.line(s, before, 0, 0)
}

// wholeRow is the name of the item of FROM that a record is the row of.
func (d *deparser) wholeRow(e *Record) string {
	if c, ok := e.Args[0].(*Column); ok && d.name != nil {
		item, _ := d.name(c)
		return item
	}
	return parse.QuoteIdent(e.name)
}

// key puts into parentheses what is neither a column nor a constant and has none of its own.
func (d *deparser) key(e Expr) {
	switch e := e.(type) {
	case *Column:
		d.expr(e)
	case *Const:
		before := len(d.out)
		d.expr(e)
		if !bytes.Contains(d.out[before:], []byte("::")) && !e.typ.IsUnknown() {
			d.text("::", typeName(e.typ))
		}
	default:
		if d.pretty || isFunctionLike(e) {
			d.text("(")
			d.expr(e)
			d.text(")")
			return
		}
		d.expr(e)
	}
}

// isFunctionLike reports whether an expression is a call that is not written as an operator.
func isFunctionLike(e Expr) bool {
	switch e := e.(type) {
	case *Call:
		return e.oper == nil && !isValueFunction(e)
	case *Cast:
		// What PostgreSQL casts by a function; not by the texts of the types.
		from, _ := facts().category(e.from.OID)
		to, _ := facts().category(e.typ.OID)
		return !e.relabel && from != categoryString && to != categoryString
	case *Aggregate, *WindowCall, *SetCall:
		return true
	}
	return false
}

// isValueFunction reports whether a call is one that SQL writes without parentheses, as CURRENT_DATE.
func isValueFunction(e *Call) bool {
	switch e.keyword {
	case "", "EXTRACT", "POSITION", "SUBSTRING", "OVERLAY", "TRIM", "AT TIME ZONE":
		return false
	}
	return true
}

// windowCall writes a call with OVER: a window of the WINDOW clause by its name.
func (d *deparser) windowCall(e *WindowCall) {
	d.aggregate(&Aggregate{Args: e.Args, Filter: e.Filter, Star: e.Star, proc: e.proc})
	switch {
	case !d.lines:
		d.text(" OVER (?)") // as in EXPLAIN
	case e.Window.Name != "":
		d.text(" OVER ", parse.QuoteIdent(e.Window.Name))
	default:
		d.text(" OVER ")
		d.window(e.Window)
	}
}

func (d *deparser) window(w *Window) {
	var parts []string
	part := func(f func()) {
		before := d.out
		d.out = nil
		f()
		parts = append(parts, string(d.out))
		d.out = before
	}
	if w.Base != "" {
		parts = append(parts, parse.QuoteIdent(w.Base))
	}
	if len(w.Partition) > 0 && w.Base == "" {
		part(func() {
			d.text("PARTITION BY ")
			for i, e := range w.Partition {
				if i > 0 {
					d.text(", ")
				}
				d.key(e)
			}
		})
	}
	if len(w.Order) > 0 && !w.copiedOrder {
		part(func() {
			d.text("ORDER BY ")
			for i, k := range w.Order {
				if i > 0 {
					d.text(", ")
				}
				d.key(k.Expr)
				d.direction(k.Desc, k.NullsFirst)
			}
		})
	}
	if w.written && !w.isDefaultFrame() {
		part(func() { d.frame(w) })
	}
	d.text("(", strings.Join(parts, " "), ")")
}

// isDefaultFrame reports whether the frame is the one of a window without any.
func (w *Window) isDefaultFrame() bool {
	f := &w.Frame
	return f.Mode == FrameRange && f.Start.Kind == UnboundedPreceding && f.End.Kind == CurrentRow && f.Exclude == ExcludeNoOthers && !w.between
}

func (d *deparser) frame(w *Window) {
	f := &w.Frame
	d.text([...]string{FrameRange: "RANGE ", FrameRows: "ROWS ", FrameGroups: "GROUPS "}[f.Mode])
	if w.between {
		d.text("BETWEEN ")
	}
	d.bound(&f.Start)
	if w.between {
		d.text(" AND ")
		d.bound(&f.End)
	}
	d.text([...]string{
		ExcludeNoOthers: "", ExcludeCurrentRow: " EXCLUDE CURRENT ROW", ExcludeGroup: " EXCLUDE GROUP", ExcludeTies: " EXCLUDE TIES",
	}[f.Exclude])
}

func (d *deparser) bound(b *FrameBound) {
	if b.Offset != nil {
		d.expr(withoutFit(b.Offset))
		d.text(" ")
	}
	d.text([...]string{
		UnboundedPreceding: "UNBOUNDED PRECEDING", OffsetPreceding: "PRECEDING", CurrentRow: "CURRENT ROW", OffsetFollowing: "FOLLOWING",
		UnboundedFollowing: "UNBOUNDED FOLLOWING",
	}[b.Kind])
}

// asArgument gives the aggregate's argument that a key of its ORDER BY is, fitted to the aggregate or not, as PostgreSQL shows it.
func asArgument(e *Aggregate, key Expr) Expr {
	for _, a := range e.Args {
		if Equal(withoutFit(a), key) {
			return a
		}
	}
	return key
}

// withoutFit leaves out the casts around an expression that only fit it to its place.
func withoutFit(e Expr) Expr {
	for {
		c, ok := e.(*Cast)
		if !ok || c.Context == types.CastExplicit {
			return e
		}
		e = c.Arg
	}
}

// ComparisonSides are the left sides and the operator of the comparison of one or several values with as many others.
func ComparisonSides(e Expr) (left []Expr, op string, ok bool) {
	var parts []Expr
	switch e := e.(type) {
	case *Call:
		parts = []Expr{e}
	case *And:
		parts = e.Args
	case *Or:
		parts = e.Args
	case *RowCompare:
		return e.Left, e.Op, true
	}
	for _, p := range parts {
		c, ok := p.(*Call)
		if !ok || c.oper == nil || len(c.Args) != 2 {
			return nil, "", false
		}
		left, op = append(left, c.Args[0]), c.oper.name
	}
	return left, op, len(left) > 0
}

// TypeText is the name of a type as expressions have it.
func TypeText(t types.Type) string { return typeName(t) }

// IsWhole tells that the record is the whole row of an item of FROM.
func (e *Record) IsWhole() bool { return e.name != "" }

// RowType is the type of the table that the record is a row of; zero if it is of something else.
func (e *Record) RowType() types.RowType {
	if e.name == "" {
		return types.RowType{}
	}
	return e.typ.RowType()
}
