package expr

import "strings"

// open and close write the parentheses that an operator has around itself unless the text is to be pretty.
func (d *deparser) open() {
	if !d.pretty {
		d.text("(")
	}
}

func (d *deparser) close() {
	if !d.pretty {
		d.text(")")
	}
}

// operand writes an operand: in a pretty text, in parentheses where the operator around it asks for them.
func (d *deparser) operand(e, parent Expr) {
	if !d.pretty || isSimple(e, parent) {
		d.expr(e)
		return
	}
	d.text("(")
	d.expr(e)
	d.text(")")
}

// joined writes the operands of AND or OR.
func (d *deparser) joined(parent Expr, args []Expr, word string) {
	d.open()
	for i, e := range args {
		if i > 0 {
			d.text(word)
		}
		d.operand(e, parent)
	}
	d.close()
}

// isSimple reports whether an operand reads the same without parentheses. The rules are those of PostgreSQL's ruleutils, which
// knows the priorities of few operators and puts parentheses around all others.
func isSimple(e, parent Expr) bool {
	switch e := e.(type) {
	case *Cast:
		return isSimple(e.Arg, e)
	case *Call:
		if e.oper == nil {
			return true
		}
		if outer, ok := parent.(*Call); ok && outer.oper != nil {
			return bindsTighter(e, outer)
		}
		return !isOperator(parent)
	case *NullTest, *BoolTest, *Distinct, *Subquery:
		return !isOperator(parent)
	case *And, *Not:
		switch parent.(type) {
		case *And, *Or:
			return true
		}
	case *Or:
		if _, ok := parent.(*Or); ok {
			return true
		}
	case *InList, *RowCompare:
	default:
		return true
	}
	return false
}

// isOperator reports whether operands without parentheses could be taken for those of something else: inside AND, OR and NOT
// they cannot.
func isOperator(parent Expr) bool {
	switch parent.(type) {
	case *And, *Or, *Not:
		return false
	}
	return true
}

// bindsTighter reports whether e, an operator among the operands of outer, stands there without parentheses.
func bindsTighter(e, outer *Call) bool {
	const low, high = "+-", "*/%"
	priority := func(c *Call) int {
		switch {
		case len(c.Args) != 2 || len(c.oper.name) != 1:
			return 0
		case strings.Contains(low, c.oper.name):
			return 1
		case strings.Contains(high, c.oper.name):
			return 2
		}
		return 0
	}
	inner, around := priority(e), priority(outer)
	switch {
	case inner == 0 || around == 0:
		return false
	case inner != around:
		return inner > around
	}
	return outer.Args[0] == Expr(e)
}
