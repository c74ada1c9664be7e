package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

func isAggregateName(name string) bool {
	for _, p := range facts().procs[name] {
		if p.kind == 'a' {
			return true
		}
	}
	return false
}

// aggregate makes the call of an aggregate that was chosen; s is the scope inside of it. The caller gives it to its query by ownAggregate.
func (b *Builder) aggregate(x *parse.FuncCall, c *candidate, args []Expr, s *Scope) (*Aggregate, error) {
	f := facts()
	if len(args) == 0 && !x.Star {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", c.proc.name), x.Pos)
	}
	if _, ok := aggregates[c.proc.key]; !ok {
		return nil, b.unsupported("aggregate function "+f.callSignature(c.proc.name, c.proc.args), x.Pos)
	}
	declared, result, err := f.concrete(oidsOf(args), c.args, c.proc.result)
	if err != nil {
		return nil, err
	}
	if err := b.coerceArgs(args, declared); err != nil {
		return nil, err
	}
	for _, e := range args {
		if w := findWindowCall(e); w != nil {
			return nil, b.at(sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot contain window function calls"), w.pos)
		}
	}
	a := &Aggregate{Args: args, Distinct: x.Distinct, Star: x.Star, proc: c.proc, typ: resultType(result, args), pos: x.Pos}
	if a.OrderBy, err = b.sortKeys(x.OrderBy, s); err != nil {
		return nil, err
	}
	if x.Distinct {
		if err := b.distinctOrder(a, x); err != nil {
			return nil, err
		}
	}
	if x.Filter == nil {
		return a, nil
	}
	scope := *s
	scope.Clause, scope.inAggregate, scope.SetFuncs = ClauseFilter, false, false
	a.Filter, err = b.condition(x.Filter, &scope, "FILTER")
	return a, err
}

func (b *Builder) sortKeys(items []parse.OrderItem, s *Scope) ([]SortKey, error) {
	var keys []SortKey
	for _, item := range items {
		e, err := b.BuildValue(item.Expr, s)
		if err == nil {
			err = b.OrderUsing(&item, e)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, SortKey{
			Expr: e, Desc: item.Desc,
			NullsFirst: item.Nulls == parse.NullsFirst || item.Nulls == parse.NullsDefault && item.Desc,
		})
	}
	return keys, nil
}

// OrderUsing gives an item of ORDER BY with USING the direction that its operator means for the type of e. The order of the operators
// for patterns is the one that types have anyway.
func (b *Builder) OrderUsing(item *parse.OrderItem, e Expr) error {
	if item.Using == "" {
		return nil
	}
	if _, err := b.Operator(item.Using, e, e, item.UsingPos); err != nil {
		return err
	}
	switch item.Using {
	case "<", "~<~":
	case ">", "~>~":
		item.Desc = true
	default:
		return b.at(sqlerr.New(sqlerr.WrongObjectType, "operator %s is not a valid ordering operator", item.Using).
			WithHint("Ordering operators must be \"<\" or \">\" members of btree operator families."), item.UsingPos)
	}
	return nil
}

// distinctOrder: with DISTINCT the rows have no order but that of the arguments.
func (b *Builder) distinctOrder(a *Aggregate, x *parse.FuncCall) error {
	for i, k := range a.OrderBy {
		found := false
		for _, arg := range a.Args {
			found = found || Equal(arg, k.Expr)
		}
		if !found {
			return b.at(sqlerr.New(sqlerr.InvalidColumnReference,
				"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"), Leftmost(x.OrderBy[i].Expr))
		}
	}
	return nil
}

// isOrderedSet tells the aggregates that take WITHIN GROUP from the others.
func isOrderedSet(p *proc) bool {
	switch p.name {
	case "percentile_cont", "percentile_disc", "mode", "rank", "dense_rank", "percent_rank", "cume_dist":
		return true
	}
	return false
}
