package exec

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
)

// Reusable reports whether the operators of a plan may be kept, closed, and run again by Open with their Env filled anew: then a
// statement that is executed often makes none. It is so for those that keep little memory once closed and nothing of what they gave.
func Reusable(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Scan, *plan.Values:
		return true
	case *plan.LockRows:
		return Reusable(n.Input)
	case *plan.Insert:
		return n.OnConflict == nil && !hasForeignKeys(n.Table) && Reusable(n.Input)
	case *plan.Update:
		return !n.Joined && !hasForeignKeys(n.Table) && Reusable(n.Input)
	case *plan.Delete:
		return !n.Joined && !hasForeignKeys(n.Table) && Reusable(n.Input)
	case *plan.Filter:
		return Reusable(n.Input)
	case *plan.Project:
		return Reusable(n.Input)
	case *plan.Sort:
		return Reusable(n.Input)
	case *plan.Limit:
		return Reusable(n.Input)
	case *plan.Distinct:
		return Reusable(n.Input)
	case *plan.Aggregate:
		return Reusable(n.Input)
	}
	return false
}

// hasForeignKeys reports whether writes of a table have to look at others, which the writers collect.
func hasForeignKeys(t *catalog.Table) bool { return len(t.ForeignKeys) > 0 || len(t.Inbound) > 0 }

// NewEnv makes an empty Env with the parts that operators hold on to.
func NewEnv() *Env { return &Env{Eval: &expr.EvalContext{}, Memory: &Memory{}} }

// keptRows is up to how many rows a batch may have for its memory to be kept for the next execution.
const keptRows = 256
