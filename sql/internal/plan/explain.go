package plan

import (
	"fmt"
	"strings"
	"time"

	"minidb/sql/internal/expr"
)

// Count is what a node did, for EXPLAIN ANALYZE.
type Count struct {
	Rows          int64
	Loops         int64
	Startup, Time time.Duration // until the first rows, and all; with the inputs'
}

// Counts are the counts of a plan's nodes.
type Counts map[Node]*Count

// ExplainOptions say how a plan is printed.
type ExplainOptions struct {
	Verbose bool
	Timing  bool
	// Estimates: scans of tables that ANALYZE has seen tell about how many rows they give.
	Estimates bool
	Analyze   Counts // nil: not run
}

// Explain prints a plan as PostgreSQL does, without costs: those of minidb compare ways to read a table and say nothing else.
func Explain(p *Plan, o ExplainOptions) []string {
	e := &explainer{options: o, qualify: countScans(p.Root) > 1}
	p.Root.explain(e)
	e.subPlans(p.Root)
	return e.lines
}

// explainer prints a tree. A node prints its title, then its properties, then its inputs.
type explainer struct {
	options ExplainOptions
	lines   []string
	depth   int
	qualify bool // columns carry their table's name
}

// node begins a node.
func (e *explainer) node(n Node, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if scan, ok := n.(*Scan); ok && scan.Estimate > 0 && e.options.Estimates {
		line += fmt.Sprintf("  (rows=%.0f)", scan.Estimate)
	}
	if c := e.options.Analyze[n]; c != nil {
		line += e.counts(c)
	} else if e.options.Analyze != nil {
		line += " (never executed)"
	}
	if e.depth > 0 {
		line = strings.Repeat(" ", 6*e.depth-4) + "->  " + line
	}
	e.lines = append(e.lines, line)
}

func (e *explainer) counts(c *Count) string {
	if !e.options.Timing {
		return fmt.Sprintf(" (actual rows=%d loops=%d)", c.Rows, c.Loops)
	}
	ms := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
	return fmt.Sprintf(" (actual time=%.3f..%.3f rows=%d loops=%d)", ms(c.Startup), ms(c.Time), c.Rows, c.Loops)
}

// property prints a line below the node's title.
func (e *explainer) property(name, value string) {
	if value != "" {
		e.lines = append(e.lines, strings.Repeat(" ", 6*e.depth+2)+name+": "+value)
	}
}

// input prints an input.
func (e *explainer) input(n Node) {
	e.depth++
	n.explain(e)
	e.depth--
}

func (e *explainer) text(x expr.Expr) string {
	if x == nil {
		return ""
	}
	return expr.Deparse(x, e.qualify)
}

// cond prints a condition: in parentheses, as PostgreSQL does.
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

func (e *explainer) list(exprs []expr.Expr) string {
	parts := make([]string, len(exprs))
	for i, x := range exprs {
		parts[i] = e.text(x)
	}
	return strings.Join(parts, ", ")
}

func (e *explainer) sortKeys(keys []SortKey) string {
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
	return strings.Join(parts, ", ")
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

// subPlans prints the queries in expressions, below the plan.
func (e *explainer) subPlans(root Node) {
	seen := map[*SubPlan]bool{}
	eachSubPlan(root, func(s *SubPlan) {
		if seen[s] {
			return
		}
		seen[s] = true
		e.lines = append(e.lines, "  SubPlan "+itoa(s.number))
		e.depth = 1
		s.Root.explain(e)
		e.depth = 0
	})
}

func (n *Scan) explain(e *explainer) {
	name := n.Table.Name
	if n.Alias != name {
		name += " " + n.Alias
	}
	backward := ""
	if n.Reverse {
		backward = " Backward"
	}
	switch {
	case n.Constraint == nil && n.Index.Primary && !n.ordered && !n.forced:
		e.node(n, "Seq Scan on %s", name)
	case n.Index.Primary && n.Index.Name == "":
		e.node(n, "Seq Scan%s on %s", backward, name)
	case n.Lookup || n.Index.Primary:
		e.node(n, "Index Scan%s using %s on %s", backward, n.Index.Name, name)
	default:
		e.node(n, "Index Only Scan%s using %s on %s", backward, n.Index.Name, name)
	}
	if n.Constraint != nil {
		e.property("Index Cond", e.cond(expr.JoinAnd(n.Constraint.Conds)))
	}
	e.property("Index Filter", e.cond(n.IndexFilter))
	e.property("Filter", e.cond(n.Filter))
}

func (n *LockRows) explain(e *explainer) {
	e.node(n, "LockRows")
	e.input(n.Input)
}

func (n *CatalogScan) explain(e *explainer) {
	name := n.Relation.Name
	if n.Alias != name {
		name += " " + n.Alias
	}
	e.node(n, "Catalog Scan on %s", name)
	e.property("Filter", e.cond(n.Filter))
}

func (n *Values) explain(e *explainer) {
	switch {
	case len(n.Rows) == 0:
		e.node(n, "Result")
		e.property("One-Time Filter", "false")
	case len(n.Rows) == 1:
		e.node(n, "Result")
	default:
		e.node(n, "Values Scan on \"%s\"", n.Alias)
	}
}

// explain of a Filter prints it as a property of its input, where PostgreSQL has no node for it.
func (n *Filter) explain(e *explainer) {
	at := len(e.lines)
	shown := n.Cond
	if n.shown != nil {
		shown = n.shown
	}
	n.Input.explain(e)
	// After the input's title and its own properties come its inputs.
	end := at + 1
	for end < len(e.lines) && !strings.Contains(e.lines[end], "->  ") {
		end++
	}
	line := strings.Repeat(" ", 6*e.depth+2) + "Filter: " + e.cond(shown)
	e.lines = append(e.lines[:end], append([]string{line}, e.lines[end:]...)...)
}

// explain of a Project prints its input: in PostgreSQL every node projects, except some around sets.
func (n *Project) explain(e *explainer) {
	if !n.shown {
		n.Input.explain(e)
		return
	}
	e.node(n, "Result")
	e.input(n.Input)
}

func (n *Sort) explain(e *explainer) {
	e.node(n, "Sort")
	e.property("Sort Key", e.sortKeys(n.Keys))
	e.input(n.Input)
}

func (n *Limit) explain(e *explainer) {
	e.node(n, "Limit")
	e.input(n.Input)
}

func (n *Distinct) explain(e *explainer) {
	if n.Sorted {
		e.node(n, "Unique")
	} else {
		e.node(n, "HashAggregate")
		var exprs []expr.Expr
		switch in := n.Input.(type) {
		case *Project:
			exprs = in.Exprs
		case *ProjectSet:
			exprs = in.Exprs
		}
		if exprs != nil {
			keys := make([]expr.Expr, len(n.Columns))
			for i, c := range n.Columns {
				keys[i] = exprs[c]
			}
			e.property("Group Key", e.list(keys))
		}
	}
	e.input(n.Input)
}

func (n *Aggregate) explain(e *explainer) {
	switch {
	case n.Sets != nil:
		n.explainSets(e)
	case len(n.Groups) == 0:
		e.node(n, "Aggregate")
	default:
		e.node(n, "HashAggregate")
		e.property("Group Key", e.list(n.Groups))
	}
	e.input(n.Input)
}

func (n *Series) explain(e *explainer) {
	if n.Alias == "generate_series" {
		e.node(n, "Function Scan on generate_series")
		return
	}
	e.node(n, "Function Scan on generate_series %s", n.Alias)
}

func (n *Subquery) explain(e *explainer) {
	e.node(n, "Subquery Scan on %s", n.Alias)
	e.input(n.Input)
}

func (n *Join) explain(e *explainer) {
	kind := [...]string{InnerJoin: "", LeftJoin: " Left", RightJoin: " Right", FullJoin: " Full", SemiJoin: " Semi", AntiJoin: " Anti"}[n.Kind]
	if len(n.LeftKeys) > 0 {
		if kind == "" {
			e.node(n, "Hash Join")
		} else {
			e.node(n, "Hash%s Join", kind)
		}
		e.property("Hash Cond", e.cond(expr.JoinAnd(n.conds)))
		e.property("Join Filter", e.cond(n.On))
	} else {
		if kind == "" {
			e.node(n, "Nested Loop")
		} else {
			e.node(n, "Nested Loop%s Join", kind)
		}
		e.property("Join Filter", e.cond(n.On))
	}
	e.input(n.Left)
	e.input(n.Right)
}

func (n *Insert) explain(e *explainer) {
	e.node(n, "Insert on %s", n.Table.Name)
	if n.OnConflict != nil {
		names := make([]string, len(n.OnConflict.Arbiters))
		for i, x := range n.OnConflict.Arbiters {
			names[i] = x.Name
		}
		e.property("Conflict Resolution", map[bool]string{true: "UPDATE", false: "NOTHING"}[n.OnConflict.Update])
		e.property("Conflict Arbiter Indexes", strings.Join(names, ", "))
		e.property("Conflict Filter", e.cond(n.OnConflict.Where))
	}
	e.input(n.Input)
}

func (n *Update) explain(e *explainer) {
	e.node(n, "Update on %s", n.Table.Name)
	e.input(n.Input)
}

func (n *Delete) explain(e *explainer) {
	e.node(n, "Delete on %s", n.Table.Name)
	e.input(n.Input)
}
