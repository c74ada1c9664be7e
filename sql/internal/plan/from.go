package plan

import (
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// source is an item of FROM while the query is being planned. Its columns are columns [first, first+width) of the rows that the
// conditions and outputs of the query see.
type source struct {
	first, width int
	scan         *Scan    // a table; nil for anything else
	node         Node     // anything else
	lateral      *lateral // what the node uses of the items before it; nil: nothing
	tableRows    float64  // about how many rows the table has
	// names is how the scope sees it.
	names *expr.Source
	shown shownItem
}

// from is the FROM clause while the query is being planned.
type from struct {
	sources []*source
	width   int
	scope   *expr.Scope
	trees   []*joinTree // the items, side by side
	semis   []*semiJoin // of WHERE
	// recursive: one of them is the recursive query that this is a part of.
	recursive bool
}

// buildFrom resolves the items of FROM.
func (p *Planner) buildFrom(items []parse.TableExpr, outer *expr.Scope, use Use) (*from, error) {
	f := &from{scope: &expr.Scope{Parent: outer}}
	for _, item := range items {
		tree, err := p.addItem(f, item, use)
		if err != nil {
			return nil, err
		}
		f.trees = append(f.trees, tree)
	}
	return f, nil
}

func (p *Planner) addItem(f *from, item parse.TableExpr, use Use) (*joinTree, error) {
	if join, ok := item.(*parse.JoinExpr); ok {
		return p.addJoin(f, join, use)
	}
	if err := p.addLeaf(f, item, use); err != nil {
		return nil, err
	}
	s := f.sources[len(f.sources)-1]
	return &joinTree{source: s, first: s.first, width: s.width}, nil
}

func (p *Planner) addLeaf(f *from, item parse.TableExpr, use Use) error {
	switch t := item.(type) {
	case *parse.TableRef:
		return p.addTable(f, t, use)
	case *parse.SubqueryTable:
		return p.addSubquery(f, t)
	case *parse.FuncTable:
		return p.addFunctionScan(f, t)
	}
	return p.unsupported("this item of FROM", item.Position())
}

// addTable adds a table.
func (p *Planner) addTable(f *from, t *parse.TableRef, use Use) error {
	if c := p.findCTE(t.Name); c != nil && use != UseWrite {
		return p.addCTE(f, c, t)
	}
	if rel, err := p.systemTable(t.Name); err != nil {
		return err
	} else if rel != nil && use == UseRead {
		return p.addSystemTable(f, rel, t)
	}
	table, schema, err := p.table(t.Name, use)
	if err != nil {
		return p.explainLater(err, t.Name)
	}
	names, err := p.tableNames(table, schema, t)
	if err != nil {
		return err
	}
	if p.describing {
		return p.add(f, &source{width: len(table.Columns), names: names, shown: shownItem{table: table, only: t.Only, alias: t.Alias.Name != ""}}, t.Alias.Pos, t.Pos)
	}
	if table.Kind == catalog.KindView {
		return p.addView(f, table, names, use, t)
	}
	if table.Kind == catalog.KindSequence {
		return p.add(f, &source{node: &SequenceRow{Sequence: table, Alias: names.Name}, width: len(table.Columns), names: names}, t.Alias.Pos, t.Pos)
	}
	scan := &Scan{Table: table, Alias: names.Name, Index: &table.Primary}
	if scan.virtual, err = virtualColumns(table, p.Types); err != nil {
		return err
	}
	if scan.statistics, err = p.View.Statistics(p.Ctx, table.ID); err != nil {
		return err
	}
	if t.Index != "" {
		if scan.Index = table.IndexByName(t.Index); scan.Index == nil || scan.Index.State != catalog.IndexPublic {
			return p.at(sqlerr.New(sqlerr.UndefinedObject, "index \"%s\" does not exist", t.Index), t.Pos)
		}
		scan.forced = true
	}
	scan.tableRows = p.tableRows(table)
	return p.add(f, &source{scan: scan, tableRows: scan.tableRows, width: len(table.Columns), names: names}, t.Alias.Pos, t.Pos)
}

// tableNames is how a scope sees a table.
func (p *Planner) tableNames(table *catalog.Table, schema *catalog.Schema, t *parse.TableRef) (*expr.Source, error) {
	names := &expr.Source{Schema: schema.Name, Table: table.Name, Name: table.Name}
	if t.Alias.Name != "" {
		names.Name, names.Schema, names.Table = t.Alias.Name, "", ""
	}
	for i := range table.Columns {
		c := &table.Columns[i]
		names.Columns = append(names.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: i, Dropped: c.Hidden})
	}
	names.RowType = types.RowType{Name: table.Name, OID: table.TypeOID}
	if len(table.Primary.Keys) > 0 && table.Kind == catalog.KindTable {
		names.Key = 1 + table.Ordinal(table.Primary.Keys[0].Column)
	}
	return names, p.renameColumns(names, len(table.Visible()), t.Alias)
}

// renameColumns applies AS name (columns).
func (p *Planner) renameColumns(names *expr.Source, width int, alias parse.Alias) error {
	if len(alias.Columns) > width {
		return p.at(sqlerr.New(sqlerr.InvalidColumnReference, "table \"%s\" has %d columns available but %d columns specified", names.Name, width, len(alias.Columns)), alias.Pos)
	}
	for i, name := range alias.Columns {
		names.Columns[i].Name = name
	}
	return nil
}

// add gives a source its place in the rows and its name in the scope.
func (p *Planner) add(f *from, s *source, aliasPos, pos int) error {
	if slices.ContainsFunc(f.scope.Sources, func(o *expr.Source) bool { return o.Name == s.names.Name && o.Schema == s.names.Schema && o.Name != "" }) {
		return p.at(sqlerr.New(sqlerr.DuplicateAlias, "table name \"%s\" specified more than once", s.names.Name), max(aliasPos, pos))
	}
	if n, ok := s.node.(interface{ setNames(names *expr.Source) }); ok {
		n.setNames(s.names)
	}
	s.first = f.width
	f.width += s.width
	for i := range s.names.Columns {
		s.names.Columns[i].Index += s.first
	}
	f.sources = append(f.sources, s)
	f.scope.Sources = append(f.scope.Sources, s.names)
	return nil
}

// addSubquery adds (query) AS alias.
func (p *Planner) addSubquery(f *from, t *parse.SubqueryTable) error {
	if t.Alias.Name == "" {
		what := "subquery"
		if _, ok := t.Query.Body.(*parse.ValuesClause); ok {
			what = "VALUES"
		}
		return p.at(sqlerr.New(sqlerr.SyntaxError, "%s in FROM must have an alias", what).
			WithHint("For example, FROM (%s ...) [AS] foo.", map[string]string{"subquery": "SELECT", "VALUES": "VALUES"}[what]), t.Pos)
	}
	q, err := p.query(t.Query, p.subqueryScope(f, t))
	if err != nil {
		return err
	}
	names := &expr.Source{Name: t.Alias.Name}
	for i, c := range q.columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: i})
	}
	if err := p.renameColumns(names, len(q.columns), t.Alias); err != nil {
		return err
	}
	// The query's rows may have columns beyond its own, for sorting.
	s := &source{
		node: &Subquery{Input: q.node, Alias: t.Alias.Name}, width: q.width(), names: names,
		shown: shownItem{query: q.shown, lateral: t.Lateral, listed: t.Alias.Columns != nil},
	}
	if p.describing {
		return p.add(f, s, t.Alias.Pos, t.Pos)
	}
	if t.Lateral {
		bindLateral(s, t.Pos)
	}
	return p.add(f, s, t.Alias.Pos, t.Pos)
}

// addJoined adds one side of a join.
func (p *Planner) addJoined(f *from, t parse.TableExpr, use Use, nullable bool) (*joinTree, error) {
	if nullable {
		defer p.enter("an outer join")()
	}
	return p.addItem(f, t, use)
}

// joinItems adds the items of a join and their columns, with names of their own.
func (p *Planner) joinItems(f *from, t *parse.JoinExpr, use Use) (*joinTree, error) {
	before := len(f.scope.Sources)
	kind := joinKinds[t.Kind]
	left, err := p.addJoined(f, t.Left, use, kind == RightJoin || kind == FullJoin)
	if err != nil {
		return nil, err
	}
	middle := len(f.scope.Sources)
	right, err := p.addJoined(f, t.Right, use, kind == LeftJoin || kind == FullJoin)
	if err != nil {
		return nil, err
	}
	noteNullable(kind, f.scope.Sources[before:middle], f.scope.Sources[middle:])
	tree := &joinTree{kind: kind, left: left, right: right, first: left.first, width: left.width + right.width, shown: shownJoin{st: t}}
	if err := p.checkLateral(tree); err != nil {
		return nil, err
	}
	if t.Natural || len(t.Using) > 0 {
		tree.on, err = p.mergeColumns(f, t, before, middle)
		if err == nil {
			for _, c := range f.scope.Sources[before].Columns {
				tree.shown.using = append(tree.shown.using, c.Name)
			}
		}
		return tree, err
	}
	if t.On == nil {
		return tree, nil
	}
	scope := &expr.Scope{Parent: f.scope.Parent, Clause: expr.ClauseJoin, Subquery: p.subquery}
	for i, names := range f.scope.Sources {
		if i < before {
			hidden := *names
			hidden.LateralOnly = true
			names = &hidden
		}
		scope.Sources = append(scope.Sources, names)
	}
	on, err := p.builder.BuildCondition(t.On, scope)
	if err != nil {
		return nil, err
	}
	tree.shown.on = on
	tree.on = expr.SplitAnd(p.fold(on))
	return tree, nil
}

// noteNullable marks the items that a join may leave without a row.
func noteNullable(kind JoinKind, left, right []*expr.Source) {
	if kind == LeftJoin || kind == FullJoin {
		for _, s := range right {
			s.Nullable = true
		}
	}
	if kind == RightJoin || kind == FullJoin {
		for _, s := range left {
			s.Nullable = true
		}
	}
}

var joinKinds = [...]JoinKind{parse.InnerJoin: InnerJoin, parse.CrossJoin: InnerJoin, parse.LeftJoin: LeftJoin, parse.RightJoin: RightJoin, parse.FullJoin: FullJoin}

// clause is the scope of FROM in a clause.
func (f *from) clause(p *Planner, c expr.Clause) *expr.Scope {
	s := *f.scope
	s.Clause, s.Subquery = c, p.subquery
	switch c {
	case expr.ClauseSelect, expr.ClauseGroupBy, expr.ClauseOrderBy, expr.ClauseDistinctOn:
		s.SetFuncs = true
	}
	return &s
}
