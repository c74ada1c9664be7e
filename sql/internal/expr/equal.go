package expr

import (
	"bytes"
	"slices"

	"minidb/sql/types"
)

// Equal reports whether two expressions are the same computation, such as an expression of the SELECT list and one of GROUP
// BY. Volatile ones are equal too if they are written alike.
func Equal(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if a == b {
		return true
	}
	if a.Type() != b.Type() || !sameNode(a, b) {
		return false
	}
	var left, right []Expr
	a.each(func(p *Expr) { left = append(left, *p) })
	b.each(func(p *Expr) { right = append(right, *p) })
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if !Equal(left[i], right[i]) {
			return false
		}
	}
	return true
}

// sameNode compares the nodes without their operands.
func sameNode(a, b Expr) bool {
	switch a := a.(type) {
	case *Const:
		b, ok := b.(*Const)
		return ok && sameDatum(a.Value, b.Value)
	case *Column:
		b, ok := b.(*Column)
		if !ok || a.Index != b.Index || a.Level != b.Level || a.Agg == nil || b.Agg == nil {
			return ok && a.Index == b.Index && a.Level == b.Level && a.Agg == b.Agg
		}
		return Equal(a.Agg, b.Agg)
	case *Param:
		b, ok := b.(*Param)
		return ok && a.Number == b.Number
	case *CaseValue:
		_, ok := b.(*CaseValue)
		return ok
	case *Call:
		b, ok := b.(*Call)
		return ok && sameProc(a.proc, b.proc) && a.variadic == b.variadic
	case *Cast:
		b, ok := b.(*Cast)
		return ok && (a.Context == b.Context || a.relabel && b.relabel) && a.from == b.from
	case *And:
		_, ok := b.(*And)
		return ok
	case *Or:
		_, ok := b.(*Or)
		return ok
	case *Not:
		_, ok := b.(*Not)
		return ok
	case *NullTest:
		b, ok := b.(*NullTest)
		return ok && a.Not == b.Not && a.Fields == b.Fields
	case *BoolTest:
		b, ok := b.(*BoolTest)
		return ok && a.Test == b.Test
	default:
		return sameBranching(a, b)
	}
}

func sameBranching(a, b Expr) bool {
	switch a := a.(type) {
	case *Distinct:
		b, ok := b.(*Distinct)
		return ok && a.Not == b.Not
	case *NullIf:
		_, ok := b.(*NullIf)
		return ok
	case *Case:
		b, ok := b.(*Case)
		return ok && (a.Arg == nil) == (b.Arg == nil)
	case *Coalesce:
		_, ok := b.(*Coalesce)
		return ok
	case *MinMax:
		b, ok := b.(*MinMax)
		return ok && a.Least == b.Least
	case *InList:
		b, ok := b.(*InList)
		return ok && a.All == b.All && a.oper == b.oper
	case *Array:
		_, ok := b.(*Array)
		return ok
	case *Subscript:
		b, ok := b.(*Subscript)
		return ok && a.Slice == b.Slice && sameIndexes(a.Index, b.Index)
	case *SetCall:
		b, ok := b.(*SetCall)
		return ok && sameProc(a.proc, b.proc)
	case *Record:
		b, ok := b.(*Record)
		return ok && (a.Key == nil) == (b.Key == nil) && a.OrNull == b.OrNull
	case *FieldOf:
		b, ok := b.(*FieldOf)
		return ok && a.Index == b.Index
	case *ArrayCompare:
		b, ok := b.(*ArrayCompare)
		return ok && a.All == b.All && a.oper == b.oper
	case *RowCompare:
		b, ok := b.(*RowCompare)
		return ok && a.Op == b.Op && len(a.Left) == len(b.Left)
	case *Aggregate:
		b, ok := b.(*Aggregate)
		return ok && sameAggregate(a, b)
	case *Grouping:
		_, ok := b.(*Grouping)
		return ok
	case *WindowCall:
		b, ok := b.(*WindowCall)
		return ok && sameWindowCall(a, b)
	case *Subquery:
		b, ok := b.(*Subquery)
		plan, comparable := a.Plan.(interface{ SameAs(plan any) bool })
		return ok && comparable && plan.SameAs(b.Plan)
	default:
		return false
	}
}

// sameIndexes compares where subscripts have bounds, not what they are.
func sameIndexes(a, b []SubscriptIndex) bool {
	return slices.EqualFunc(a, b, func(x, y SubscriptIndex) bool {
		return (x.Lower == nil) == (y.Lower == nil) && (x.Upper == nil) == (y.Upper == nil)
	})
}

func sameAggregate(a, b *Aggregate) bool {
	if a.proc != b.proc || a.Distinct != b.Distinct || a.Star != b.Star || (a.Filter == nil) != (b.Filter == nil) ||
		len(a.Args) != len(b.Args) {
		return false
	}
	return sameOrder(a.OrderBy, b.OrderBy)
}

// sameProc: the SQL value functions are made per call.
func sameProc(a, b *proc) bool { return a == b || a.oid == 0 && b.oid == 0 && a.name == b.name }

// sameDatum: the same value in the same form.
func sameDatum(a, b types.Datum) bool {
	if a.Null || b.Null {
		return a.Null == b.Null
	}
	if (a.Big == nil) != (b.Big == nil) || a.Big != nil && a.Big.Text('f') != b.Big.Text('f') {
		return false
	}
	return a.I == b.I && a.Scale == b.Scale && bytes.Equal(a.B, b.B)
}
