package plan

import (
	"fmt"
	"strings"
	"time"
)

// Explanation is what EXPLAIN shows of a plan.
type Explanation struct {
	root    *shown
	options ExplainOptions
}

// shown is a node as EXPLAIN shows it.
type shown struct {
	kind  string // as JSON names it
	label string // the text's first line
	node  Node   // what counts are of; nil: nothing was counted
	rows  float64
	// Properties in the order in which PostgreSQL prints them: class and target are those that label has in text.
	class, target, properties []property
	output                    []shownColumn
	hidesOutput               bool
	inputs                    []input
	// Queries of WITH come before the inputs, those in expressions behind them.
	withs, subPlans []subPlan
}

// property is a line below a node's label. Value is a string, a []string, a bool, removed or groupingSets; the zero values of the first
// two are not shown.
type property struct {
	name  string
	value any
}

// removed is how many rows a filter has removed, a loop; in text only if there were any.
type removed float64

// groupingSets are the keys of grouping sets: Hash those of sets that are not empty, and how many empty ones there are.
type groupingSets struct {
	hash  [][]string
	empty int
}

// input is an input with its relationship to the node.
type input struct {
	as   string
	node *shown
}

// subPlan is a query beside the node's inputs.
type subPlan struct {
	of, name string // InitPlan or SubPlan, and which
	number   int
	root     *shown
}

func (s *shown) add(name string, value any) {
	s.properties = append(s.properties, property{name: name, value: value})
}

func (s *shown) input(as string, n *shown) { s.inputs = append(s.inputs, input{as: as, node: n}) }

// filter adds a condition with the count of rows it removed. A second one of the name is joined to the first.
func (e *explainer) filter(s *shown, name, cond string, n, loops int64) {
	if cond == "" {
		return
	}
	gone := removed(0)
	if loops > 0 {
		gone = removed(float64(n) / float64(loops))
	}
	for i, p := range s.properties {
		if p.name != name {
			continue
		}
		s.properties[i].value = "(" + p.value.(string) + " AND " + cond + ")"
		if e.options.Analyze != nil {
			s.properties[i+1].value = s.properties[i+1].value.(removed) + gone
		}
		return
	}
	s.add(name, cond)
	if e.options.Analyze != nil {
		s.add("Rows Removed by "+name, gone)
	}
}

// shownProperties are the properties below the label.
func (x *Explanation) shownProperties(s *shown) []property {
	if !x.options.Verbose || s.hidesOutput {
		return s.properties
	}
	return append([]property{{name: "Output", value: textsOf(s.output)}}, s.properties...)
}

// children are the queries beside a node's inputs and the inputs, in the order in which they are shown.
func (s *shown) children() []subPlan {
	out := append([]subPlan(nil), s.withs...)
	for _, in := range s.inputs {
		out = append(out, subPlan{of: in.as, root: in.node})
	}
	return append(out, s.subPlans...)
}

// measured is what was counted for a node, a loop.
type measured struct {
	startupMS, totalMS, rows float64
	loops                    int64
}

// measured is false if nothing was counted for the node.
func (x *Explanation) measured(s *shown) (measured, bool) {
	if x.options.Analyze == nil || s.node == nil {
		return measured{}, false
	}
	c := x.options.Analyze[s.node]
	if c == nil || c.Loops == 0 {
		return measured{}, true
	}
	loops := float64(c.Loops)
	return measured{startupMS: ms(c.Startup) / loops, totalMS: ms(c.Time) / loops, rows: float64(c.Rows) / loops, loops: c.Loops}, true
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func (x *Explanation) named(text string) string {
	if x.options.Named == nil {
		return text
	}
	return x.options.Named(text)
}

// Text is the explanation as lines of text.
func (x *Explanation) Text() []string {
	lines := x.text(nil, x.root, 0, "")
	for i := range lines {
		lines[i] = x.named(lines[i])
	}
	if x.options.Summary {
		lines = append(lines, fmt.Sprintf("Planning Time: %.3f ms", ms(x.options.Planning)))
		if x.options.Analyze != nil {
			lines = append(lines, fmt.Sprintf("Execution Time: %.3f ms", ms(x.options.Execution)))
		}
	}
	return lines
}

// text adds the lines of a node whose arrow, if it has one, is in a column.
func (x *Explanation) text(lines []string, s *shown, column int, arrow string) []string {
	lines = append(lines, strings.Repeat(" ", column)+arrow+s.label+x.estimate(s)+x.actual(s))
	column += len(arrow) + 2
	indent := strings.Repeat(" ", column)
	for _, p := range x.shownProperties(s) {
		for _, line := range p.text() {
			lines = append(lines, indent+line)
		}
	}
	for _, c := range s.children() {
		if c.name != "" {
			lines = x.text(append(lines, indent+c.name), c.root, column+2, "->  ")
		} else {
			lines = x.text(lines, c.root, column, "->  ")
		}
	}
	return lines
}

func (x *Explanation) estimate(s *shown) string {
	if !x.options.Estimates || s.rows == 0 {
		return ""
	}
	return fmt.Sprintf("  (rows=%.0f)", s.rows)
}

func (x *Explanation) actual(s *shown) string {
	m, ok := x.measured(s)
	switch {
	case !ok:
		return ""
	case m.loops == 0:
		return " (never executed)"
	case !x.options.Timing:
		return fmt.Sprintf(" (actual rows=%.0f loops=%d)", m.rows, m.loops)
	}
	return fmt.Sprintf(" (actual time=%.3f..%.3f rows=%.0f loops=%d)", m.startupMS, m.totalMS, m.rows, m.loops)
}

// text is the lines of a property.
func (p property) text() []string {
	line := ""
	switch v := p.value.(type) {
	case string:
		line = v
	case []string:
		line = joined(v)
	case removed:
		if v > 0 {
			line = fmt.Sprintf("%.0f", float64(v))
		}
	case groupingSets:
		var lines []string
		for _, keys := range v.hash {
			lines = append(lines, "Hash Key: "+joined(keys))
		}
		for range v.empty {
			lines = append(lines, "Group Key: ()")
		}
		return lines
	}
	if line == "" {
		return nil
	}
	return []string{p.name + ": " + line}
}
