package expr

import (
	"strings"
	"testing"
)

func TestEveryImplementationIsAFunctionOfTheFacts(t *testing.T) {
	f := facts()
	for _, family := range families {
		for key := range family {
			p := f.procByKey[key]
			if p == nil {
				t.Errorf("no function of PostgreSQL is named %s", key)
			}
		}
	}
	for key := range aggregates {
		if p := f.procByKey[key]; p == nil || p.kind != 'a' {
			t.Errorf("no aggregate of PostgreSQL is named %s", key)
		}
	}
}

func TestNoFunctionIsImplementedTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, family := range families {
		for key := range family {
			if seen[key] {
				t.Errorf("%s is implemented twice", key)
			}
			seen[key] = true
		}
	}
}

func TestImplementationsTakeAsManyArgumentsAsTheirFunctions(t *testing.T) {
	for _, procs := range facts().procs {
		for _, p := range procs {
			im := p.impl
			arity := -1
			switch {
			case im.f0 != nil:
				arity = 0
			case im.f1 != nil:
				arity = 1
			case im.f2 != nil:
				arity = 2
			case im.f3 != nil:
				arity = 3
			}
			if arity >= 0 && (arity != len(p.args) || p.variadic != 0) {
				t.Errorf("%s takes %d arguments, its implementation %d", p.key, len(p.args), arity)
			}
		}
	}
}

func TestFactsAreWhole(t *testing.T) {
	f := facts()
	if n := strings.Count(factsText, "\n"); n < 3800 {
		t.Errorf("%d lines of facts", n)
	}
	for _, ops := range f.operators {
		for _, o := range ops {
			if o.commutator != "" && o.left != 0 && f.exactOperator(o.commutator, o.right, o.left) == nil {
				t.Errorf("operator %s has no commutator %s", f.signature(o.name, o.left, o.right), o.commutator)
			}
			if o.negator != "" && f.exactOperator(o.negator, o.left, o.right) == nil {
				t.Errorf("operator %s has no negator %s", f.signature(o.name, o.left, o.right), o.negator)
			}
		}
	}
}
