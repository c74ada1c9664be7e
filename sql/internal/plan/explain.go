package plan

import (
	"slices"
	"strings"
	"time"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
)

// Count is what a node did, for EXPLAIN ANALYZE. Rows and times are those of all loops.
type Count struct {
	Rows  int64
	Loops int64
	// Removed is how many rows did not fulfil the node's filter or, for a join, its join filter; RemovedEarly those that did not fulfil
	// the index filter.
	Removed, RemovedEarly int64
	Startup, Time         time.Duration // until the first rows, and all; with the inputs'
}

// Counts are the counts of a plan's nodes.
type Counts map[Node]*Count

// ExplainOptions say what is shown of a plan.
type ExplainOptions struct {
	Verbose bool
	Timing  bool
	Summary bool // the times that planning and execution took
	// Settings: tell of the settings that have changed the plan. There are none that could.
	Settings bool
	// Estimates: scans of tables that ANALYZE has seen tell about how many rows they give.
	Estimates bool
	Analyze   Counts // nil: not run

	Planning, Execution time.Duration
	// Schema is the name of a schema.
	Schema func(catalog.ID) string
	// Named puts the names of types that somebody made into a text; nil: there are none.
	Named func(string) string
}

// Explain makes what EXPLAIN shows of a plan: a tree of nodes like PostgreSQL's, from which both the text and the JSON are printed. There
// are no costs: those of minidb compare ways to read a table and say nothing else.
func Explain(p *Plan, o ExplainOptions) *Explanation {
	e := &explainer{options: o, qualify: o.Verbose || countScans(p.Root) > 1, seen: map[*SubPlan]bool{}}
	return &Explanation{root: e.explain(p.Root), options: o}
}

// explainer makes the tree.
type explainer struct {
	options ExplainOptions
	qualify bool // columns carry their table's name
	seen    map[*SubPlan]bool
}

// explain makes what is shown of a node. Nodes that PostgreSQL has no nodes for are shown as part of their input: what is counted for
// them takes the place of what was counted for the input.
func (e *explainer) explain(n Node) *shown {
	s := n.explain(e)
	s.node = n
	eachOwnExpr(n, func(x expr.Expr) {
		expr.Walk(x, func(x expr.Expr) bool {
			q, ok := x.(*expr.Subquery)
			if !ok {
				return true
			}
			if sub := q.Plan.(*SubPlan); !e.seen[sub] && sub.Function == "" {
				e.seen[sub] = true
				s.subPlans = append(s.subPlans, subPlan{of: "SubPlan", name: "SubPlan " + itoa(sub.number), number: sub.number, root: e.explain(sub.Root)})
			}
			return true
		})
	})
	slices.SortStableFunc(s.subPlans, func(a, b subPlan) int { return a.number - b.number })
	return s
}

// eachOwnExpr calls f for the expressions of one node, those of RETURNING and SET too.
func eachOwnExpr(n Node, f func(expr.Expr)) {
	mapOwnExprs(n, func(x expr.Expr) expr.Expr {
		f(x)
		return x
	})
	list, sets := []expr.Expr(nil), []Set(nil)
	switch n := n.(type) {
	case *Insert:
		list = n.Returning
		if n.OnConflict != nil {
			sets = n.OnConflict.Sets
			list = append(slices.Clone(list), n.OnConflict.Where)
		}
	case *Update:
		list, sets = n.Returning, n.Sets
	case *Delete:
		list = n.Returning
	}
	for _, s := range sets {
		list = append(list[:len(list):len(list)], s.Expr, s.Row)
	}
	for _, x := range list {
		if x != nil {
			f(x)
		}
	}
}

// count is what was counted for a node, never nil.
func (e *explainer) count(n Node) *Count {
	if c := e.options.Analyze[n]; c != nil {
		return c
	}
	return &Count{}
}

func (e *explainer) text(x expr.Expr) string {
	if x == nil {
		return ""
	}
	return expr.Deparse(x, e.qualify)
}

// cond is a condition: in parentheses, as PostgreSQL shows it.
func (e *explainer) cond(x expr.Expr) string {
	s := e.text(x)
	if s == "" || s[0] == '(' && closes(s) {
		return s
	}
	return "(" + s + ")"
}

// closes reports whether the parenthesis that s begins with ends at its end.
func closes(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

func (e *explainer) texts(exprs []expr.Expr) []string {
	parts := make([]string, len(exprs))
	for i, x := range exprs {
		parts[i] = e.text(x)
	}
	return parts
}

func (e *explainer) sortKeys(keys []SortKey) []string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		s := e.text(k.Expr)
		if _, ok := k.Expr.(*expr.Column); !ok { // a column that the input computes
			s = "(" + s + ")"
		}
		if k.Desc {
			s += " DESC"
		}
		if k.NullsFirst != k.Desc {
			s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
		parts[i] = s
	}
	return parts
}

// countScans counts the tables of a plan.
func countScans(n Node) int {
	count := 0
	if _, ok := n.(*Scan); ok {
		count++
	}
	for _, in := range inputs(n) {
		count += countScans(in)
	}
	return count
}

// columnNames are the names of the columns of an item of FROM, for EXPLAIN; by place, "" for those without one. Empty where the node is
// no such item.
type columnNames struct{ names []string }

func (c *columnNames) setNames(names *expr.Source) {
	c.names = nil
	for _, col := range names.Columns {
		for len(c.names) <= col.Index {
			c.names = append(c.names, "")
		}
		if !col.Dropped {
			c.names[col.Index] = col.Name
		}
	}
}

// shownColumn is a column of a node's rows. Computed tells that it is more than a column of an item of FROM. Without a text nobody wants
// it.
type shownColumn struct {
	text     string
	computed bool
}

// columns are the columns of an item of FROM.
func (e *explainer) columns(alias string, names []string) []shownColumn {
	out := make([]shownColumn, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		out[i].text = parse.QuoteIdent(name)
		if e.qualify {
			out[i].text = parse.QuoteIdent(alias) + "." + out[i].text
		}
	}
	return out
}

// above are columns as the nodes above name them: in parentheses if they are computed.
func above(columns []shownColumn) []shownColumn {
	out := slices.Clone(columns)
	for i := range out {
		if out[i].computed && out[i].text != "" {
			out[i] = shownColumn{text: "(" + out[i].text + ")"}
		}
	}
	return out
}

// over are expressions over rows with these columns.
func (e *explainer) over(exprs []expr.Expr, columns []shownColumn) []shownColumn {
	out := make([]shownColumn, len(exprs))
	at := func(c *expr.Column) shownColumn {
		if c.Level == 0 && c.Index < len(columns) {
			return columns[c.Index]
		}
		return shownColumn{}
	}
	for i, x := range exprs {
		if c, ok := x.(*expr.Column); ok {
			if out[i] = at(c); out[i].text == "" && c.Name != "" {
				out[i].text = e.text(c)
			}
			continue
		}
		out[i] = shownColumn{text: expr.DeparseOver(x, e.qualify, func(c *expr.Column) string { return at(c).text }), computed: true}
	}
	return out
}

func textsOf(columns []shownColumn) []string {
	var out []string
	for _, c := range columns {
		if c.text != "" {
			out = append(out, c.text)
		}
	}
	return out
}

// quoted is a name with that of its schema, if there is one.
func quoted(schema, name string) string {
	if schema == "" {
		return parse.QuoteIdent(name)
	}
	return parse.QuoteIdent(schema) + "." + parse.QuoteIdent(name)
}

func joined(parts []string) string { return strings.Join(parts, ", ") }
