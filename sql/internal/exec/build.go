package exec

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Build makes the operators of a plan.
func Build(env *Env, n plan.Node) (Operator, error) { return (&builder{env: env}).build(n) }

// builder makes operators, and counts what they do if the Env has counts.
type builder struct {
	env *Env
}

func (b *builder) build(n plan.Node) (Operator, error) {
	op, err := b.operator(n)
	if err != nil || b.env.counts == nil {
		return op, err
	}
	return newCounted(op, n, b.env.counts), nil
}

func (b *builder) operator(n plan.Node) (Operator, error) {
	switch n := n.(type) {
	case *plan.Values:
		return &values{env: b.env, node: n}, nil
	case *plan.Scan:
		if isPoints(n) && !b.env.General {
			return newPoints(b.env, n), nil
		}
		return newScan(b.env, n)
	case *plan.FunctionScan:
		return &functionScan{env: b.env, node: n}, nil
	case *plan.CatalogScan:
		return &catalogScan{env: b.env, node: n}, nil
	case *plan.LockRows:
		return b.over(n.Input, func(in Operator) Operator { return newLockRows(b.env, n, in) })
	case *plan.LockJoined:
		return b.over(n.Input, func(in Operator) Operator { return newLockJoined(b.env, n, in) })
	case *plan.SequenceRow:
		return &sequenceRow{env: b.env, node: n}, nil
	case *plan.Insert:
		return b.over(n.Input, func(in Operator) Operator {
			if n.OnConflict != nil {
				return newUpsert(b.env, n, in)
			}
			return newInsert(b.env, n, in)
		})
	case *plan.Update:
		return b.over(n.Input, func(in Operator) Operator { return newUpdate(b.env, n, in) })
	case *plan.Delete:
		return b.over(n.Input, func(in Operator) Operator { return newDelete(b.env, n, in) })
	case *plan.WorkScan:
		return &workScan{env: b.env, node: n}, nil
	case *plan.Recursive:
		return b.overBoth(n.Left, n.Right, func(left, right Operator) Operator { return &recursive{env: b.env, node: n, left: left, right: right} })
	case *plan.Apply:
		return b.newApply(n)
	case *plan.WithWrites:
		return b.withWrites(n)
	case *plan.WriteScan:
		return &writeScan{env: b.env, node: n}, nil
	case *plan.Subquery:
		return b.build(n.Input)
	case *plan.SetOp:
		return b.overBoth(n.Left, n.Right, func(left, right Operator) Operator { return &setOp{env: b.env, node: n, left: left, right: right} })
	case *plan.Join:
		return b.overBoth(n.Left, n.Right, func(left, right Operator) Operator { return &join{env: b.env, node: n, left: left, right: right} })
	case *plan.Filter:
		return b.over(n.Input, func(in Operator) Operator { return &filter{env: b.env, input: in, cond: n.Cond} })
	case *plan.Project:
		return b.over(n.Input, func(in Operator) Operator { return newProject(b.env, n, in) })
	case *plan.ProjectSet:
		return b.over(n.Input, func(in Operator) Operator { return newProjectSet(b.env, n, in) })
	case *plan.Sort:
		return b.over(n.Input, func(in Operator) Operator { return &sorter{env: b.env, input: in, node: n} })
	case *plan.Limit:
		return b.over(n.Input, func(in Operator) Operator { return newLimit(b.env, n, in) })
	case *plan.Distinct:
		return b.over(n.Input, func(in Operator) Operator { return &distinct{env: b.env, input: in, node: n} })
	case *plan.Window:
		return b.over(n.Input, func(in Operator) Operator { return newWindow(b.env, n, in) })
	case *plan.Aggregate:
		return b.over(n.Input, func(in Operator) Operator { return &aggregate{env: b.env, input: in, node: n} })
	}
	return nil, sqlerr.Internal("no operator for %T", n)
}

// over makes an operator with one input.
func (b *builder) over(input plan.Node, make func(Operator) Operator) (Operator, error) {
	in, err := b.build(input)
	if err != nil {
		return nil, err
	}
	return make(in), nil
}

// overBoth makes an operator with two inputs.
func (b *builder) overBoth(left, right plan.Node, make func(left, right Operator) Operator) (Operator, error) {
	l, err := b.build(left)
	if err != nil {
		return nil, err
	}
	return b.over(right, func(r Operator) Operator { return make(l, r) })
}

// noRow is the row of expressions without columns.
var noRow expr.Row

// isTrue evaluates a condition: NULL is not true.
func isTrue(env *Env, cond expr.Expr, row expr.Row) (bool, error) {
	d, err := cond.Eval(env.Eval, row)
	return err == nil && !d.Null && d.Bool(), err
}

// EvalAll evaluates expressions without columns.
func EvalAll(env *Env, exprs []expr.Expr) ([]types.Datum, error) {
	out := make([]types.Datum, len(exprs))
	for i, e := range exprs {
		d, err := e.Eval(env.Eval, noRow)
		if err != nil {
			return nil, err
		}
		out[i] = d.Clone()
	}
	return out, nil
}
