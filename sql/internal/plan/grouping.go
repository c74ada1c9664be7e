package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// The limits are PostgreSQL's.
const (
	maxGroupingSets = 4096
	maxCubeElements = 12
)

// buildGroups resolves GROUP BY: the expressions, and the grouping sets if it has more than one.
func (s *selection) buildGroups() error {
	if len(s.clause.GroupBy) == 0 {
		return nil
	}
	s.grouped = true
	sets := [][]int{nil}
	for _, item := range s.clause.GroupBy {
		more, err := s.groupingSets(item)
		if err != nil {
			return err
		}
		if len(sets)*len(more) > maxGroupingSets {
			return s.p.at(sqlerr.New(sqlerr.StatementTooComplex, "too many grouping sets present (maximum 4096)"), item.Position())
		}
		var product [][]int
		for _, a := range sets {
			for _, b := range more {
				product = append(product, union(a, b))
			}
		}
		sets = product
	}
	if s.clause.GroupDistinct {
		sets = distinctSets(sets)
	}
	if len(sets) > 1 || len(sets[0]) < len(s.groups) {
		s.sets = sets
	}
	return nil
}

// groupingSets are the sets that an item of GROUP BY stands for.
func (s *selection) groupingSets(item parse.Expr) ([][]int, error) {
	g, ok := item.(*parse.GroupingExpr)
	if !ok {
		set, err := s.groupSet(item)
		return [][]int{set}, err
	}
	switch g.Kind {
	case parse.GroupingEmpty:
		return [][]int{nil}, nil
	case parse.GroupingSets:
		var sets [][]int
		for _, a := range g.Args {
			more, err := s.groupingSets(a)
			if err != nil {
				return nil, err
			}
			sets = append(sets, more...)
		}
		return sets, nil
	}
	if g.Kind == parse.GroupingCube && len(g.Args) > maxCubeElements {
		return nil, s.p.at(sqlerr.New(sqlerr.TooManyColumns, "CUBE is limited to 12 elements"), g.Pos)
	}
	elements := make([][]int, len(g.Args))
	for i, a := range g.Args {
		var err error
		if elements[i], err = s.groupSet(a); err != nil {
			return nil, err
		}
	}
	if g.Kind == parse.GroupingRollup {
		return rollup(elements), nil
	}
	return cube(elements), nil
}

// rollup gives the sets of all the elements, of all but the last one, and so on down to none.
func rollup(elements [][]int) [][]int {
	sets := make([][]int, 0, len(elements)+1)
	for n := len(elements); n >= 0; n-- {
		sets = append(sets, union(elements[:n]...))
	}
	return sets
}

// cube gives a set for each choice of elements.
func cube(elements [][]int) [][]int {
	var sets [][]int
	for chosen := 1<<len(elements) - 1; chosen >= 0; chosen-- {
		var set []int
		for i, e := range elements {
			if chosen&(1<<(len(elements)-1-i)) != 0 {
				set = union(set, e)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// union is all that is in the sets, each once.
func union(sets ...[]int) []int {
	var all []int
	for _, set := range sets {
		for _, g := range set {
			if !containsInt(all, g) {
				all = append(all, g)
			}
		}
	}
	return all
}

// distinctSets leaves out the sets that are equal to an earlier one.
func distinctSets(sets [][]int) [][]int {
	var out [][]int
	for _, set := range sets {
		if !slices.ContainsFunc(out, func(o []int) bool { return len(o) == len(set) && len(union(o, set)) == len(o) }) {
			out = append(out, set)
		}
	}
	return out
}

// groupSet is the set of one expression, or of several in parentheses.
func (s *selection) groupSet(item parse.Expr) ([]int, error) {
	if row, ok := item.(*parse.RowExpr); ok && !row.Explicit {
		var set []int
		for _, a := range row.Args {
			one, err := s.groupSet(a)
			if err != nil {
				return nil, err
			}
			set = union(set, one)
		}
		return set, nil
	}
	e, err := s.groupItem(item)
	if err != nil {
		return nil, err
	}
	switch {
	case expr.HasAggregates(e):
		return nil, s.p.at(sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in GROUP BY"), item.Position())
	case expr.HasWindowCalls(e):
		return nil, s.p.at(sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in GROUP BY"), item.Position())
	}
	i := s.findGroup(e)
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, e)
	}
	return []int{i}, nil
}

// addGroup makes a column that the groups determine a group of its own, in all sets.
func (s *selection) addGroup(c *expr.Column) {
	for i := range s.sets {
		s.sets[i] = append(s.sets[i], len(s.groups))
	}
	s.groups = append(s.groups, c)
}

// inAllSets reports whether all rows have a value for a group.
func (s *selection) inAllSets(group int) bool {
	return !slices.ContainsFunc(s.sets, func(set []int) bool { return !containsInt(set, group) })
}

// checkGrouping refuses arguments of GROUPING that are no groups, and notes it.
func (s *selection) checkGrouping(g *expr.Grouping) error {
	for i, a := range g.Args {
		if s.findGroup(a) < 0 {
			return s.p.at(sqlerr.New(sqlerr.GroupingError, "arguments to GROUPING must be grouping expressions of the associated query level"), g.Pos[i])
		}
	}
	s.grouping(g)
	return nil
}

// grouping is the place of a GROUPING among those of the query.
func (s *selection) grouping(g *expr.Grouping) int {
	var places []int
	for _, a := range g.Args {
		places = append(places, s.findGroup(a))
	}
	i := slices.IndexFunc(s.groupings, func(o []int) bool { return slices.Equal(o, places) })
	if i < 0 {
		i = len(s.groupings)
		s.groupings = append(s.groupings, places)
	}
	return i
}
