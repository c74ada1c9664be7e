package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// queryPlan is the plan of a query: its columns are the first ones of the node's rows.
type queryPlan struct {
	node    Node
	columns []Column
	// unknown are, by column, the literals that nothing gave a type: columns says text. For set operations.
	unknown []expr.Expr
	places  []int // by column: the byte offsets of the expressions; may be nil
	cursor  *CursorRows
	shown   *shownQuery // of a planner that describes
}

// place is the byte offset of a column's expression, or of the query.
func (q *queryPlan) place(i int, st *parse.SelectStmt) int {
	if i < len(q.places) {
		return q.places[i]
	}
	return st.Position()
}

// query plans a query with everything that may stand around its body.
func (p *Planner) query(st *parse.SelectStmt, outer *expr.Scope) (*queryPlan, error) {
	done, err := p.with(st.With, outer)
	if err != nil {
		return nil, err
	}
	defer done()
	if p.describing {
		return p.describe(st, outer)
	}
	q, err := p.queryBody(st, outer)
	if err == nil {
		err = p.checkUnused(st.With)
	}
	return q, err
}

func (p *Planner) queryBody(st *parse.SelectStmt, outer *expr.Scope) (*queryPlan, error) {
	p.depth++
	defer func() { p.depth-- }()
	if st.WithTies {
		return nil, p.unsupported("WITH TIES", st.Position())
	}
	switch body := st.Body.(type) {
	case *parse.SelectClause:
		return p.selectClause(st, body, outer)
	case *parse.ValuesClause:
		return p.valuesQuery(st, body, outer)
	case *parse.SetOp:
		return p.setOp(st, body, outer)
	}
	return nil, p.unsupported("this query", st.Position())
}

// output is a column of the query's projection.
type output struct {
	expr   expr.Expr
	column Column
	pos    int // byte offset of its text
	// unknown is the expression before it became text because nothing gave it a type; nil if it had one.
	unknown expr.Expr
}

// selection is a SELECT while it is being planned.
type selection struct {
	p           *Planner
	st          *parse.SelectStmt
	clause      *parse.SelectClause
	from        *from
	conds       []expr.Expr // of WHERE
	where       expr.Expr   // while describing
	outputs     []output    // the visible ones, then what else is sorted by
	visible     int
	groups      []expr.Expr
	sets        [][]int // grouping sets: places in groups; nil: all of them are the only one
	groupings   [][]int // of GROUPING: the places of its arguments in groups
	aggs        []*expr.Aggregate
	having      expr.Expr
	shownHaving expr.Expr // before it was turned into one over groups
	grouped     bool
	windowed    bool      // outputs have calls with OVER
	order       []SortKey // columns of outputs
	on          []int     // DISTINCT ON: columns of outputs
	limit       expr.Expr
	offset      expr.Expr
	cursor      *CursorRows // see nameRows; nil: nothing
}

func (p *Planner) selectClause(st *parse.SelectStmt, clause *parse.SelectClause, outer *expr.Scope) (*queryPlan, error) {
	use := UseRead
	if len(st.Locking) > 0 {
		use = UseRowLock
	}
	f, err := p.buildFrom(clause.From, outer, use)
	if err != nil {
		return nil, err
	}
	f.scope.Windows = expr.NewWindows(clause.Windows)
	s := &selection{p: p, st: st, clause: clause, from: f}
	for _, step := range []func() error{s.buildWhere, s.buildTargets, s.buildGroups, s.buildHaving, s.buildDistinctOn, s.buildOrder, s.buildLimit, s.checkWindows} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	q := &queryPlan{columns: make([]Column, 0, s.visible)}
	if p.describing {
		q.shown, err = s.describe()
	} else if err = s.group(); err == nil {
		q.node, err = s.assemble()
	}
	if err != nil {
		return nil, err
	}
	if s.cursor != nil && q.node != nil {
		q.cursor = s.cursorRows(q.node)
	}
	for i, o := range s.outputs[:s.visible] {
		// What rows are told apart or sorted by has a type.
		if clause.Distinct || slices.ContainsFunc(s.order, func(k SortKey) bool { return k.Column == i }) {
			o.unknown = nil
		}
		q.columns = append(q.columns, o.column)
		q.unknown = append(q.unknown, o.unknown)
		q.places = append(q.places, o.pos)
	}
	return q, nil
}

func (s *selection) buildWhere() error {
	if s.clause.Where == nil {
		return nil
	}
	e, err := s.p.builder.BuildCondition(s.clause.Where, s.from.clause(s.p, expr.ClauseWhere))
	if err != nil {
		return err
	}
	if s.p.describing {
		s.where = e
		return nil
	}
	s.conds = factorOrs(expr.SplitAnd(s.p.fold(e)))
	return s.takeSemiJoins()
}

func (s *selection) buildTargets() error {
	var err error
	if s.p.writeStars && s.p.inViews == 0 {
		if s.clause.Targets, err = s.p.writeOut(s.clause.Targets, s.from.clause(s.p, expr.ClauseSelect)); err != nil {
			return err
		}
	}
	s.outputs, err = s.p.targets(s.clause.Targets, s.from, expr.ClauseSelect)
	s.visible = len(s.outputs)
	return err
}

// targets builds a SELECT list or a RETURNING list.
func (p *Planner) targets(list []parse.Target, f *from, clause expr.Clause) ([]output, error) {
	scope := f.clause(p, clause)
	var out []output
	for _, t := range list {
		if expr.IsStar(t.Expr) {
			cols, err := p.builder.ExpandStar(t.Expr, scope)
			if err != nil {
				return nil, err
			}
			for _, c := range cols {
				out = append(out, output{expr: c.Expr, column: f.describe(c.Name, c.Expr), pos: t.Pos})
			}
			continue
		}
		raw, err := p.builder.Build(t.Expr, scope)
		if err != nil {
			return nil, err
		}
		var unknown expr.Expr
		if _, ok := raw.(*expr.Const); ok && raw.Type().IsUnknown() {
			unknown = raw
		}
		e, err := p.builder.Resolve(raw)
		if err != nil {
			return nil, err
		}
		name := t.Name
		if name == "" {
			name = expr.ColumnName(t.Expr)
		}
		out = append(out, output{expr: e, column: f.describe(name, e), pos: t.Expr.Position(), unknown: unknown})
	}
	return out, nil
}

// describe is the column that an expression gives, with the table it comes from.
func (f *from) describe(name string, e expr.Expr) Column {
	c := Column{Name: name, Type: e.Type()}
	if ref, ok := e.(*expr.Column); ok && ref.Level == 0 {
		for _, s := range f.sources {
			i := ref.Index - s.first
			if i < 0 || i >= s.width {
				continue
			}
			if s.scan != nil {
				c.TableOID, c.Attr = s.scan.Table.OID, int16(s.scan.Table.Columns[i].ID)
			} else if scan, ok := s.node.(*CatalogScan); ok {
				c.TableOID, c.Attr = scan.Relation.OID, int16(i+1)
				if i == len(scan.Relation.Columns) {
					c.Attr = tableOIDAttr
				}
			}
		}
	}
	return c
}

func (s *selection) groupItem(item parse.Expr) (expr.Expr, error) {
	if i, err := s.position(item, "GROUP BY"); err != nil || i >= 0 {
		if err != nil {
			return nil, err
		}
		return s.outputs[i].expr, nil
	}
	e, err := s.p.builder.BuildValue(item, s.from.clause(s.p, expr.ClauseGroupBy))
	if err == nil {
		return e, nil
	}
	if sqlerr.CodeOf(err) == sqlerr.UndefinedColumn {
		i, nameErr := s.outputName(item, "GROUP BY")
		if nameErr != nil {
			return nil, nameErr
		}
		if i >= 0 {
			return s.outputs[i].expr, nil
		}
	}
	return nil, err
}

// position is the output that a number in GROUP BY or ORDER BY stands for; -1 if the item is no literal.
func (s *selection) position(item parse.Expr, clause string) (int, error) {
	lit, ok := item.(*parse.Literal)
	if !ok {
		return -1, nil
	}
	if lit.Kind != parse.IntLiteral {
		return -1, s.p.at(sqlerr.New(sqlerr.SyntaxError, "non-integer constant in %s", clause), lit.Pos)
	}
	if lit.Int < 1 || lit.Int > int64(s.visible) {
		return -1, s.p.at(sqlerr.New(sqlerr.InvalidColumnReference, "%s position %d is not in select list", clause, lit.Int), lit.Pos)
	}
	return int(lit.Int) - 1, nil
}

// outputName is the output that a bare name stands for; -1 if there is none.
func (s *selection) outputName(item parse.Expr, clause string) (int, error) {
	ref, ok := item.(*parse.ColumnRef)
	if !ok || len(ref.Parts) != 1 || ref.Star {
		return -1, nil
	}
	found := -1
	for i := range s.outputs[:s.visible] {
		if s.outputs[i].column.Name != ref.Parts[0] {
			continue
		}
		if found >= 0 && !expr.Equal(s.outputs[found].expr, s.outputs[i].expr) {
			return -1, s.p.at(sqlerr.New(sqlerr.AmbiguousColumn, "%s \"%s\" is ambiguous", clause, ref.Parts[0]), ref.Pos)
		}
		if found < 0 {
			found = i
		}
	}
	return found, nil
}

func (s *selection) findGroup(e expr.Expr) int {
	for i, g := range s.groups {
		if expr.Equal(e, g) {
			return i
		}
	}
	return -1
}

func (s *selection) buildHaving() error {
	if s.clause.Having == nil {
		return nil
	}
	var err error
	s.having, err = s.p.builder.BuildCondition(s.clause.Having, s.from.clause(s.p, expr.ClauseHaving))
	s.grouped = true
	return err
}

// sortOutput is the output that an item of ORDER BY or DISTINCT ON stands for: an output's number or name, else an expression over
// FROM, which becomes an output that nobody sees.
func (s *selection) sortOutput(item parse.Expr, clause expr.Clause, name string) (int, error) {
	if i, err := s.outputName(item, name); err != nil || i >= 0 {
		return i, err
	}
	if i, err := s.position(item, name); err != nil || i >= 0 {
		return i, err
	}
	e, err := s.p.builder.BuildValue(item, s.from.clause(s.p, clause))
	if err != nil {
		return 0, err
	}
	for i := range s.outputs {
		if expr.Equal(s.outputs[i].expr, e) {
			return i, nil
		}
	}
	if s.clause.Distinct && len(s.clause.DistinctOn) == 0 {
		return 0, s.p.at(sqlerr.New(sqlerr.InvalidColumnReference, "for SELECT DISTINCT, ORDER BY expressions must appear in select list"), expr.Leftmost(item))
	}
	s.outputs = append(s.outputs, output{expr: e, column: s.from.describe("", e), pos: item.Position()})
	return len(s.outputs) - 1, nil
}

func (s *selection) buildDistinctOn() error {
	for _, item := range s.clause.DistinctOn {
		i, err := s.sortOutput(item, expr.ClauseDistinctOn, "DISTINCT ON")
		if err != nil {
			return err
		}
		if !containsInt(s.on, i) {
			s.on = append(s.on, i)
		}
	}
	return nil
}

func (s *selection) buildOrder() error {
	for n, item := range s.st.OrderBy {
		i, err := s.sortOutput(item.Expr, expr.ClauseOrderBy, "ORDER BY")
		if err == nil {
			err = s.p.builder.OrderUsing(&item, s.outputs[i].expr)
		}
		if err != nil {
			return err
		}
		if n < len(s.on) && !containsInt(s.on, i) {
			return s.p.at(sqlerr.New(sqlerr.InvalidColumnReference, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions"), s.outputs[s.on[0]].pos)
		}
		s.order = appendSortKey(s.order, i, s.outputs[i].expr, item)
	}
	return nil
}

// appendSortKey adds a key unless the column is sorted by already.
func appendSortKey(keys []SortKey, column int, e expr.Expr, item parse.OrderItem) []SortKey {
	for _, k := range keys {
		if k.Column == column {
			return keys
		}
	}
	return append(keys, SortKey{
		Column: column, Type: e.Type(), Desc: item.Desc, Expr: e,
		NullsFirst: item.Nulls == parse.NullsFirst || item.Nulls == parse.NullsDefault && item.Desc,
	})
}

func (s *selection) buildLimit() (err error) {
	s.limit, s.offset, err = s.p.limits(s.st, s.from)
	return err
}

// limits builds LIMIT and OFFSET, which may use the enclosing query's columns.
func (p *Planner) limits(st *parse.SelectStmt, f *from) (limit, offset expr.Expr, err error) {
	if st.Limit != nil {
		if limit, err = p.builder.BuildInt8(st.Limit, f.clause(p, expr.ClauseLimit)); err != nil {
			return nil, nil, err
		}
	}
	if st.Offset != nil {
		offset, err = p.builder.BuildInt8(st.Offset, f.clause(p, expr.ClauseOffset))
	}
	return limit, offset, err
}

func containsInt(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// valuesQuery plans VALUES (…), (…).
func (p *Planner) valuesQuery(st *parse.SelectStmt, body *parse.ValuesClause, outer *expr.Scope) (*queryPlan, error) {
	if len(st.Locking) > 0 {
		return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "FOR UPDATE cannot be applied to VALUES"), st.Locking[0].Pos)
	}
	v := &Values{Alias: "*VALUES*"}
	scope := &expr.Scope{Parent: outer, Clause: expr.ClauseValues, Subquery: p.subquery}
	for _, row := range body.Rows {
		exprs, err := p.builder.BuildAll(row, scope)
		if err != nil {
			return nil, err
		}
		v.Rows = append(v.Rows, exprs)
	}
	q := &queryPlan{node: v}
	for c := range body.Rows[0] {
		t, err := p.commonColumn(v.Rows, body.Rows, c)
		if err != nil {
			return nil, err
		}
		v.Columns = append(v.Columns, t)
		q.columns = append(q.columns, Column{Name: "column" + itoa(c+1), Type: t})
	}
	q.shown = &shownQuery{values: v.Rows}
	return p.orderOutputs(st, q)
}

// commonColumn casts a column of VALUES to the type that all its values can have.
func (p *Planner) commonColumn(rows [][]expr.Expr, texts [][]parse.Expr, c int) (types.Type, error) {
	column, pos := make([]expr.Expr, len(rows)), make([]int, len(rows))
	for r := range rows {
		column[r], pos[r] = rows[r][c], texts[r][c].Position()
	}
	t, err := p.builder.Common("VALUES", column, pos)
	if err != nil {
		return t, err
	}
	for r := range rows {
		rows[r][c] = column[r]
	}
	return t, nil
}

// orderOutputs puts ORDER BY, by the columns' names or numbers, and LIMIT over a query.
func (p *Planner) orderOutputs(st *parse.SelectStmt, q *queryPlan) (*queryPlan, error) {
	s := &selection{p: p, st: st, clause: &parse.SelectClause{}, from: &from{scope: &expr.Scope{}}, visible: len(q.columns)}
	for i, c := range q.columns {
		s.outputs = append(s.outputs, output{expr: expr.NewColumn(i, c.Type, "", c.Name), column: c})
	}
	for _, item := range st.OrderBy {
		i, err := s.outputName(item.Expr, "ORDER BY")
		if err == nil && i < 0 {
			i, err = s.position(item.Expr, "ORDER BY")
		}
		if err != nil {
			return nil, err
		}
		if i < 0 {
			return nil, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause."), item.Expr.Position())
		}
		if err := p.builder.OrderUsing(&item, s.outputs[i].expr); err != nil {
			return nil, err
		}
		s.order = appendSortKey(s.order, i, s.outputs[i].expr, item)
	}
	if err := s.buildLimit(); err != nil {
		return nil, err
	}
	if p.describing {
		q.shown.order, q.shown.limit, q.shown.offset = s.order, s.limit, s.offset
		return q, nil
	}
	q.node = s.sortAndLimit(q.node, false)
	return q, nil
}
