package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// assemble makes the nodes of the query, from FROM up.
func (s *selection) assemble() (Node, error) {
	lock, joined, err := s.locking()
	if err != nil {
		return nil, err
	}
	s.nameRows(lock, joined)
	need := s.needed()
	if joined != nil {
		for i := range need {
			need[i] = true // rows that changed are read anew as a whole
		}
	}
	node, ordered := s.from.plan(s.conds, need, s.wantedOrder(), s.probableLimit())
	switch {
	case lock != nil:
		node, ordered = s.lockRows(lock, node, ordered)
	case joined != nil:
		joined.Input, node = node, joined
	}
	if s.grouped {
		if fast := s.extremes(); fast != nil {
			node = fast
		} else {
			node = s.groupSets(node)
			node = &Aggregate{Input: node, Groups: s.groups, Sets: s.sets, Groupings: s.groupings, Aggs: s.aggs}
		}
		if s.having != nil {
			node = &Filter{Input: node, Cond: s.having, shown: s.shownHaving}
		}
	}
	if s.windowed {
		node, ordered = s.addWindows(node), false
	}
	if s.postponesSets() {
		return s.sortThenSets(node, ordered), nil
	}
	exprs := make([]expr.Expr, len(s.outputs))
	for i := range s.outputs {
		exprs[i] = s.outputs[i].expr
	}
	node = s.p.project(node, exprs)
	if s.clause.Distinct && len(s.on) == 0 {
		node = &Distinct{Input: node, Columns: upTo(s.visible)}
	}
	return s.sortAndLimit(node, ordered), nil
}

// lockRows puts the locks over the scan, and the sort under them where it can be: rows that LIMIT cuts off are not locked then.
func (s *selection) lockRows(lock *LockRows, node Node, ordered bool) (Node, bool) {
	scan, ok := node.(*Scan)
	if !ok {
		return node, ordered // no rows at all
	}
	for _, k := range scan.Table.Primary.Keys {
		scan.Want[scan.Table.Ordinal(k.Column)] = true // to name the row; every index has it
	}
	order := s.wantedOrder()
	byColumns := !slices.ContainsFunc(order, func(o columnOrder) bool { return o.ordinal < 0 })
	if len(order) > 0 && !ordered && byColumns {
		sort := &Sort{Input: scan}
		for i, o := range order {
			k := s.order[i]
			k.Column = o.ordinal
			sort.Keys = append(sort.Keys, k)
		}
		node, ordered = sort, true
	}
	lock.Input, lock.Scan, lock.Recheck = node, scan, expr.JoinAnd(s.conds)
	if ordered || len(s.order) == 0 {
		lock.Limit = s.probableLimit()
	}
	return lock, ordered
}

// sortAndLimit puts ORDER BY, DISTINCT ON and LIMIT over the outputs.
func (s *selection) sortAndLimit(node Node, ordered bool) Node {
	return s.limited(s.sorted(node, ordered, true))
}

// sorted puts ORDER BY and DISTINCT ON over the outputs. If limited, LIMIT comes right above and the sort may use it.
func (s *selection) sorted(node Node, ordered, limited bool) Node {
	if len(s.order) > 0 && !ordered {
		sort := &Sort{Input: node, Keys: s.order}
		if limited && len(s.on) == 0 {
			sort.Limit, sort.Offset = s.limit, s.offset
		}
		node = sort
	}
	if len(s.on) > 0 {
		node = &Distinct{Input: node, Columns: s.on, Sorted: len(s.order) >= len(s.on), On: true}
	}
	return node
}

// limited puts LIMIT over the outputs.
func (s *selection) limited(node Node) Node {
	if s.limit != nil || s.offset != nil {
		node = &Limit{Input: node, Count: s.limit, Offset: s.offset}
	}
	return node
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// needed tells which columns of FROM's rows anything uses.
func (s *selection) needed() []bool {
	need := make([]bool, s.from.width)
	mark := func(e expr.Expr) {
		expr.Columns(e, func(c *expr.Column) { need[c.Index] = true })
	}
	if !s.grouped {
		for i := range s.outputs {
			mark(s.outputs[i].expr)
		}
		return need
	}
	for _, e := range s.groups {
		mark(e)
	}
	for _, a := range s.aggs {
		mark(a)
	}
	return need
}

// wantedOrder is the order in which FROM's rows need no sorting; nil if there is none.
func (s *selection) wantedOrder() []columnOrder {
	if s.grouped || s.windowed || len(s.from.sources) != 1 {
		return nil
	}
	var order []columnOrder
	for _, k := range s.order {
		o := columnOrder{ordinal: -1, desc: k.Desc, nullsFirst: k.NullsFirst}
		if c, ok := s.outputs[k.Column].expr.(*expr.Column); ok {
			if c.Level > 0 {
				return nil
			}
			o.ordinal = c.Index
		} else if scan := s.from.sources[0].scan; scan != nil && scan.virtual != nil {
			o.expr = expr.Fold(s.outputs[k.Column].expr)
		} else {
			return nil
		}
		order = append(order, o)
	}
	return order
}

// probableLimit is how many rows of FROM are probably read, if that is known; else 0.
func (s *selection) probableLimit() int64 {
	if s.grouped || s.windowed || s.clause.Distinct || s.limit == nil || s.hasSets() {
		return 0
	}
	n, ok := constantInt(s.limit)
	if !ok {
		return 0
	}
	if s.offset != nil {
		skip, ok := constantInt(s.offset)
		if !ok {
			return 0
		}
		n += skip
	}
	return max(n, 1)
}

// constantInt is the value of an int8 constant.
func constantInt(e expr.Expr) (int64, bool) {
	c, ok := expr.Fold(e).(*expr.Const)
	if !ok || c.Value.Null {
		return 0, false
	}
	return c.Value.Int(), true
}

// locking is what FOR UPDATE and its kin ask for, of one table or of several items of FROM; nil for nothing.
func (s *selection) locking() (*LockRows, *LockJoined, error) {
	if len(s.st.Locking) == 0 {
		return nil, nil, nil
	}
	first := s.st.Locking[0]
	word := [...]string{"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}[first.Strength]
	refuse := func(with string) error {
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed with %s", word, with)
	}
	switch {
	case len(s.clause.GroupBy) > 0:
		return nil, nil, refuse("GROUP BY clause")
	case s.having != nil:
		return nil, nil, refuse("HAVING clause")
	case s.grouped:
		return nil, nil, refuse("aggregate functions")
	case s.windowed:
		return nil, nil, refuse("window functions")
	case s.hasSets():
		return nil, nil, refuse("set-returning functions in the target list")
	case s.clause.Distinct:
		return nil, nil, refuse("DISTINCT clause")
	case len(s.from.sources) != 1 || s.from.sources[0].scan == nil:
		joined, err := s.lockJoined(word)
		return nil, joined, err
	}
	lock := &LockRows{}
	for _, l := range s.st.Locking {
		for _, t := range l.Tables {
			if t.Name != s.from.sources[0].names.Name {
				return nil, nil, s.p.at(sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" in %s clause not found in FROM clause", t.Name, word), t.Pos)
			}
		}
		lock.Strength = max(lock.Strength, lockStrengths[l.Strength])
		lock.Wait = max(lock.Wait, lockWaits[l.Wait])
	}
	return lock, nil, nil
}

var lockStrengths = [...]LockStrength{parse.ForKeyShare: LockKeyShare, parse.ForShare: LockShare, parse.ForNoKeyUpdate: LockNoKeyUpdate, parse.ForUpdate: LockUpdate}

var lockWaits = [...]LockWait{parse.LockBlock: WaitBlock, parse.LockSkip: WaitSkip, parse.LockNoWait: WaitNone}
