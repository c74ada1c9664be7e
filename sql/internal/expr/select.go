package expr

import "minidb/sql/types"

// Type categories of pg_type.typcategory that resolution treats apart.
const (
	categoryInvalid     = 0
	categoryString      = 'S'
	categoryUserDefined = 'U'
	categoryUnknown     = 'X'
)

// candidate is a function or operator that a call may mean: its argument types as this call would use them, with variadic
// arguments spelled out.
type candidate struct {
	args []types.OID
	proc *proc
	oper *operator
	// variadic: the call's last arguments become the variadic array. Of two candidates with the same arguments the one
	// that is not variadic wins.
	variadic bool
	// places are, for a call with named arguments, the places of its arguments in the function's; else nil.
	places []int
}

// matching gives the candidates whose arguments the inputs can be implicitly coerced to. It filters in place.
func (f *factTables) matching(inputs []types.OID, cands []candidate) []candidate {
	return keep(cands, func(c *candidate) bool { return f.canCoerce(inputs, c.args, types.CastImplicit) })
}

// choose is the choice among several candidates that all fit, by the rules of PostgreSQL's manual, 10.2 and 10.3 (steps
// from "most exact matches" on); nil when they do not decide. It reorders cands.
func (f *factTables) choose(inputs []types.OID, cands []candidate) *candidate {
	cands = mostMatches(cands, func(c *candidate) int {
		return f.countMatches(inputs, c, func(i int) bool { return c.args[i] == inputs[i] })
	})
	if len(cands) == 1 {
		return &cands[0]
	}
	cands = mostMatches(cands, func(c *candidate) int {
		return f.countMatches(inputs, c, func(i int) bool {
			if c.args[i] == inputs[i] {
				return true
			}
			want, _ := f.category(inputs[i])
			got, preferred := f.category(c.args[i])
			return preferred && got == want
		})
	})
	if len(cands) == 1 {
		return &cands[0]
	}
	unknowns := 0
	for _, t := range inputs {
		if t == types.UnknownOID {
			unknowns++
		}
	}
	if unknowns == 0 {
		return nil
	}
	if cands = f.byCategory(inputs, cands); len(cands) == 1 {
		return &cands[0]
	}
	if unknowns < len(inputs) {
		return f.asKnown(inputs, cands)
	}
	return nil
}

// countMatches counts the inputs of a known type for which match says yes.
func (f *factTables) countMatches(inputs []types.OID, c *candidate, match func(i int) bool) int {
	n := 0
	for i, t := range inputs {
		if t != types.UnknownOID && match(i) {
			n++
		}
	}
	return n
}

// mostMatches keeps the candidates with the highest count.
func mostMatches(cands []candidate, count func(*candidate) int) []candidate {
	best := 0
	for i := range cands {
		best = max(best, count(&cands[i]))
	}
	return keep(cands, func(c *candidate) bool { return count(c) == best })
}

func keep(cands []candidate, want func(*candidate) bool) []candidate {
	kept := cands[:0]
	for i := range cands {
		if c := cands[i]; want(&c) {
			kept = append(kept, c)
		}
	}
	return kept
}

// byCategory looks at each unknown input: if the candidates accept the string category there, or all the same one, those of
// another category go, and so do those without the category's preferred type where one candidate has it.
func (f *factTables) byCategory(inputs []types.OID, cands []candidate) []candidate {
	category := make([]byte, len(inputs))
	preferred := make([]bool, len(inputs))
	for i, t := range inputs {
		if t != types.UnknownOID {
			continue
		}
		conflict := false
		for j := range cands {
			cat, pref := f.category(cands[j].args[i])
			switch {
			case category[i] == categoryInvalid:
				category[i], preferred[i] = cat, pref
			case cat == category[i]:
				preferred[i] = preferred[i] || pref
			case cat == categoryString:
				category[i], preferred[i] = cat, pref
			default:
				conflict = true
			}
		}
		if conflict && category[i] != categoryString {
			return cands
		}
	}
	kept := keep(append([]candidate(nil), cands...), func(c *candidate) bool {
		for i, t := range inputs {
			if t != types.UnknownOID {
				continue
			}
			cat, pref := f.category(c.args[i])
			if cat != category[i] || preferred[i] && !pref {
				return false
			}
		}
		return true
	})
	if len(kept) == 0 {
		return cands
	}
	return kept
}

// asKnown takes the unknown inputs to be of the type that all known inputs have, and gives the only candidate that then
// fits.
func (f *factTables) asKnown(inputs []types.OID, cands []candidate) *candidate {
	known := types.OID(types.UnknownOID)
	for _, t := range inputs {
		switch {
		case t == types.UnknownOID:
		case known == types.UnknownOID:
			known = t
		case known != t:
			return nil
		}
	}
	assumed := make([]types.OID, len(inputs))
	for i := range assumed {
		assumed[i] = known
	}
	var found *candidate
	for i := range cands {
		if !f.canCoerce(assumed, cands[i].args, types.CastImplicit) {
			continue
		}
		if found != nil {
			return nil
		}
		found = &cands[i]
	}
	return found
}
