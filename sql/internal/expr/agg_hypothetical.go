package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Hypothetical-set aggregates, rank(value, …) WITHIN GROUP (ORDER BY key, …), tell where a row of the values would come among
// the rows of the keys. Their Args are the keys and then the values. Nothing is sorted: it is enough to count the rows
// that would come before it, and those beside it.
func addHypotheticalSets(m map[string]aggImpl) {
	ratio := func(a, b int64) types.Datum { return types.NewFloat(float64(a) / float64(b)) }
	for name, result := range map[string]func(h *hypotheticalAcc) types.Datum{
		"rank(any)":       func(h *hypotheticalAcc) types.Datum { return types.NewInt(h.before + 1) },
		"dense_rank(any)": func(h *hypotheticalAcc) types.Datum { return types.NewInt(int64(len(h.distinct)) + 1) },
		"percent_rank(any)": func(h *hypotheticalAcc) types.Datum {
			if h.rows == 0 {
				return types.NewFloat(0)
			}
			return ratio(h.before, h.rows)
		},
		"cume_dist(any)": func(h *hypotheticalAcc) types.Datum { return ratio(h.before+h.beside+1, h.rows+1) },
	} {
		m[name] = aggImpl{make: func(a *Aggregate) accumulator {
			h := &hypotheticalAcc{keys: a.OrderBy, answer: result}
			if name == "dense_rank(any)" {
				h.distinct = map[string]struct{}{}
			}
			return h
		}}
	}
}

func isHypothetical(p *proc) bool {
	switch p.key {
	case "rank(any)", "dense_rank(any)", "percent_rank(any)", "cume_dist(any)":
		return true
	}
	return false
}

// hypotheticalAcc counts the rows before the values, and those equal to them.
type hypotheticalAcc struct {
	keys                 []SortKey
	rows, before, beside int64
	distinct             map[string]struct{} // the different rows before the values, if they are to be counted
	key                  []byte
	size                 int
	answer               func(*hypotheticalAcc) types.Datum
}

func (h *hypotheticalAcc) add(_ *EvalContext, args []types.Datum) error {
	h.rows++
	keys, values := args[:len(h.keys)], args[len(h.keys):]
	c := 0
	for i := range h.keys {
		if c = h.keys[i].Compare(keys[i], values[i]); c != 0 {
			break
		}
	}
	switch {
	case c == 0:
		h.beside++
	case c < 0:
		h.before++
		h.note(keys)
	}
	return nil
}

// note counts a row if there was none like it.
func (h *hypotheticalAcc) note(keys []types.Datum) {
	if h.distinct == nil {
		return
	}
	h.key = h.key[:0]
	for i, d := range keys {
		h.key = types.AppendKey(h.key, h.keys[i].Expr.Type(), d)
	}
	if _, ok := h.distinct[string(h.key)]; !ok {
		h.distinct[string(h.key)] = struct{}{}
		h.size += len(h.key) + rowOverhead
	}
}

func (h *hypotheticalAcc) result(*EvalContext) (types.Datum, error) { return h.answer(h), nil }

func (h *hypotheticalAcc) bytes() int { return h.size }

// hypothetical makes the call of a hypothetical-set aggregate: each value gets the type of its key, or both a common one.
func (b *Builder) hypothetical(x *parse.FuncCall, c *candidate, direct []Expr, keys []SortKey, s *Scope) (Expr, error) {
	if len(direct) != len(keys) {
		args := append([]Expr(nil), direct...)
		for _, k := range keys {
			args = append(args, k.Expr)
		}
		return nil, b.at(sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", facts().callSignature(c.proc.name, oidsOf(args))).
			WithHint("To use the hypothetical-set aggregate %s, the number of hypothetical direct arguments (here %d) must match the number of ordering columns (here %d).",
				c.proc.name, len(direct), len(keys)), x.Pos)
	}
	args := make([]Expr, 2*len(keys))
	for i := range keys {
		if HasColumns(direct[i]) {
			return nil, b.unsupported("a column among the direct arguments of an ordered-set aggregate", x.Pos)
		}
		pair := []Expr{keys[i].Expr, direct[i]}
		if _, err := b.Common("WITHIN GROUP", pair, []int{Leftmost(x.OrderBy[i].Expr), Leftmost(x.Args[i])}); err != nil {
			return nil, err
		}
		keys[i].Expr, args[i], args[len(keys)+i] = pair[0], pair[0], pair[1]
	}
	plain := *x
	plain.OrderBy, plain.WithinGroup = nil, false
	a, err := b.aggregate(&plain, c, args, s)
	if err != nil {
		return nil, err
	}
	a.OrderBy, a.within = keys, true
	return b.ownAggregate(a, s)
}
