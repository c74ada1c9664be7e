package expr

import "minidb/sql/sqlerr"

// ownAggregate gives an aggregate to the query that it belongs to: the innermost one whose columns it uses, or the query at hand if it
// uses none. Of an enclosing query it becomes a column, whose Agg is over that query's rows. An aggregate where its query's clause has
// none is refused, and one inside of another of the same query.
func (b *Builder) ownAggregate(a *Aggregate, s *Scope) (Expr, error) {
	level, nested, nestedPos := a.level()
	if level == nested {
		return nil, b.at(sqlerr.New(sqlerr.GroupingError, "aggregate function calls cannot be nested"), nestedPos)
	}
	for range level {
		s = s.Parent
	}
	if c := s.Clause.fact().aggregates; c != "" {
		return nil, b.at(sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", c), a.pos)
	}
	if level == 0 {
		return a, nil
	}
	outer := Rewrite(a, func(e Expr) (Expr, bool) {
		c, ok := e.(*Column)
		if !ok {
			return nil, false
		}
		own := *c
		own.Level -= level
		return &own, true
	}).(*Aggregate)
	return &Column{Index: -1, Level: level, Agg: outer, Name: "(" + Deparse(outer, false) + ")", Pos: a.pos, typ: a.typ}, nil
}

// level is how many queries further out the aggregate belongs; nested is the innermost level of the aggregates inside of it, -1 for none,
// and nestedPos where such a one is.
func (e *Aggregate) level() (level, nested, nestedPos int) {
	level, nested = -1, -1
	note := func(n int) {
		if level < 0 || n < level {
			level = n
		}
	}
	noteNested := func(n, pos int) {
		note(n)
		if nested < 0 || n < nested {
			nested, nestedPos = n, pos
		}
	}
	e.each(func(place *Expr) {
		Walk(*place, func(x Expr) bool {
			switch x := x.(type) {
			case *Aggregate:
				noteNested(0, x.pos)
				return false
			case *Column:
				if x.Agg != nil {
					noteNested(x.Level, x.Pos)
				} else {
					note(x.Level)
				}
			}
			return true
		})
	})
	return max(level, 0), nested, nestedPos
}
