package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
)

// on makes the node one that reads something: an item of FROM, and under a key, if there is one, what it stands for.
func (e *explainer) on(s *shown, key, schema, name, alias string) {
	shownAs := ""
	if key != "" {
		s.target = append(s.target, property{key, name})
		if !e.options.Verbose {
			schema = ""
		}
		s.target = append(s.target, property{"Schema", schema})
		if shownAs = " " + quoted(schema, name); name == alias {
			s.label += " on" + shownAs
			s.target = append(s.target, property{"Alias", alias})
			return
		}
	}
	s.target = append(s.target, property{"Alias", alias})
	s.label += " on" + shownAs + " " + quoted("", alias)
}

// onTable is on for a table.
func (e *explainer) onTable(s *shown, t *catalog.Table, alias string) {
	schema := ""
	if e.options.Verbose && e.options.Schema != nil {
		schema = e.options.Schema(t.Schema)
	}
	e.on(s, "Relation Name", schema, t.Name, alias)
}

// simple is a node that JSON names as text does, over inputs.
func (e *explainer) simple(kind string, inputs ...Node) *shown {
	s := &shown{kind: kind, label: kind}
	for i, in := range inputs {
		s.input([...]string{"Outer", "Inner"}[i], e.explain(in))
	}
	if len(inputs) == 1 {
		s.output = above(s.inputs[0].node.output)
	}
	return s
}

// pairs makes the output of a node that joins its two inputs.
func (s *shown) pairs() {
	s.output = append(above(s.inputs[0].node.output), above(s.inputs[1].node.output)...)
}

func (n *Scan) explain(e *explainer) *shown {
	s := &shown{kind: "Index Only Scan", rows: n.Estimate}
	direction, backward := "Forward", ""
	if n.Reverse {
		direction, backward = "Backward", " Backward"
	}
	switch {
	case n.Constraint == nil && n.Index.Primary && !n.ordered && !n.forced, n.Index.Primary && n.Index.Name == "":
		s.kind = "Seq Scan"
		s.label = s.kind + backward
	case n.Lookup || n.Index.Primary:
		s.kind = "Index Scan"
	}
	if s.label == "" {
		s.label = s.kind + backward + " using " + quoted("", n.Index.Name)
		s.target = []property{{"Scan Direction", direction}, {"Index Name", n.Index.Name}}
	}
	e.onTable(s, n.Table, n.Alias)
	names := make([]string, len(n.Table.Columns))
	for i := range names {
		if c := &n.Table.Columns[i]; !c.Hidden && !c.Virtual() && i < len(n.Want) && n.Want[i] {
			names[i] = c.Name
		}
	}
	s.output = e.columns(n.Alias, names)
	if n.Constraint != nil {
		s.add("Index Cond", e.cond(expr.JoinAnd(n.Constraint.Conds)))
	}
	c := e.count(n)
	e.filter(s, "Index Filter", e.cond(n.IndexFilter), c.RemovedEarly, c.Loops)
	e.filter(s, "Filter", e.cond(n.Filter), c.Removed, c.Loops)
	return s
}

func (n *LockRows) explain(e *explainer) *shown { return e.simple("LockRows", n.Input) }

func (n *LockJoined) explain(e *explainer) *shown { return e.simple("LockRows", n.Input) }

func (n *CatalogScan) explain(e *explainer) *shown {
	s := e.simple("Catalog Scan")
	e.on(s, "Relation Name", n.Relation.Schema, n.Relation.Name, n.Alias)
	names := make([]string, len(n.names))
	for i := range names {
		if n.Want == nil || n.Want[i] {
			names[i] = n.names[i]
		}
	}
	s.output = e.columns(n.Alias, names)
	c := e.count(n)
	e.filter(s, "Filter", e.cond(n.Filter), c.Removed, c.Loops)
	return s
}

func (n *SequenceRow) explain(e *explainer) *shown {
	s := e.simple("Seq Scan")
	e.onTable(s, n.Sequence, n.Alias)
	s.output = e.columns(n.Alias, n.names)
	return s
}

func (n *Values) explain(e *explainer) *shown {
	if len(n.Rows) > 1 {
		s := e.simple("Values Scan")
		e.on(s, "", "", "", n.Alias)
		names := make([]string, len(n.Columns))
		for i := range names {
			names[i] = "column" + itoa(i+1)
		}
		s.output = e.columns(n.Alias, names)
		return s
	}
	s := e.simple("Result")
	if len(n.Rows) == 0 {
		s.add("One-Time Filter", "false")
		return s
	}
	s.output = e.over(n.Rows[0], nil)
	return s
}

// explain of a Filter shows it as a property of its input, where PostgreSQL has no node for it.
func (n *Filter) explain(e *explainer) *shown {
	shownCond := n.Cond
	if n.shown != nil {
		shownCond = n.shown
	}
	s := e.explain(n.Input)
	in, out := e.count(n.Input), e.count(n)
	e.filter(s, "Filter", e.cond(shownCond), in.Rows-out.Rows, out.Loops)
	return s
}

// explain of a Project shows its input: in PostgreSQL every node projects, except some around sets.
func (n *Project) explain(e *explainer) *shown {
	if n.shown {
		s := e.simple("Result", n.Input)
		s.output = e.over(n.Exprs, s.output)
		return s
	}
	s := e.explain(n.Input)
	s.output = e.over(n.Exprs, s.output)
	return s
}

func (n *ProjectSet) explain(e *explainer) *shown {
	s := e.simple("ProjectSet", n.Input)
	s.output = e.over(n.Exprs, s.output)
	return s
}

func (n *Sort) explain(e *explainer) *shown {
	s := e.simple("Sort", n.Input)
	s.add("Sort Key", e.sortKeys(n.Keys))
	return s
}

func (n *Limit) explain(e *explainer) *shown { return e.simple("Limit", n.Input) }

func (n *Distinct) explain(e *explainer) *shown {
	if n.Sorted {
		return e.simple("Unique", n.Input)
	}
	s := e.aggregate("Hashed", n.Input)
	var exprs []expr.Expr
	switch in := n.Input.(type) {
	case *Project:
		exprs = in.Exprs
	case *ProjectSet:
		exprs = in.Exprs
	}
	if exprs != nil {
		keys := make([]expr.Expr, len(n.Columns))
		for i, c := range n.Columns {
			keys[i] = exprs[c]
		}
		s.add("Group Key", e.texts(keys))
	}
	return s
}

// aggregate is a node that groups in one of PostgreSQL's ways.
func (e *explainer) aggregate(strategy string, inputs ...Node) *shown {
	s := e.simple("Aggregate", inputs...)
	s.label = map[string]string{"Plain": "", "Hashed": "Hash", "Mixed": "Mixed"}[strategy] + "Aggregate"
	s.class = []property{{"Strategy", strategy}, {"Partial Mode", "Simple"}}
	return s
}

func (n *Aggregate) explain(e *explainer) *shown {
	strategy := "Plain"
	var sets groupingSets
	for _, set := range n.Sets {
		if len(set) == 0 {
			sets.empty++
			continue
		}
		keys := make([]expr.Expr, len(set))
		for i, g := range set {
			keys[i] = n.Groups[g]
		}
		sets.hash = append(sets.hash, e.texts(keys))
	}
	switch {
	case len(sets.hash) > 0 && sets.empty > 0:
		strategy = "Mixed"
	case len(sets.hash) > 0 || n.Sets == nil && len(n.Groups) > 0:
		strategy = "Hashed"
	}
	s := e.aggregate(strategy, n.Input)
	in := s.output
	s.output = e.over(n.Groups, in)
	for _, args := range n.Groupings {
		parts := make([]string, len(args))
		for i, g := range args {
			parts[i] = s.output[g].text
		}
		s.output = append(s.output, shownColumn{text: "GROUPING(" + joined(parts) + ")", computed: true})
	}
	for _, a := range n.Aggs {
		s.output = append(s.output, e.over([]expr.Expr{a}, in)...)
	}
	if n.Sets != nil {
		s.add("Grouping Sets", sets)
	} else {
		s.add("Group Key", e.texts(n.Groups))
	}
	return s
}

func (n *Window) explain(e *explainer) *shown {
	s := e.simple("WindowAgg", n.Input)
	in := s.output
	for _, c := range n.Calls {
		s.output = append(s.output, e.over([]expr.Expr{c}, in)...)
	}
	return s
}

func (n *FunctionScan) explain(e *explainer) *shown {
	name := n.Call.Name()
	if n.Call.IsSideBySide() {
		name = ""
	}
	return e.function(name, n.Alias, n.names, e.text(n.Call))
}

// function is a scan of a function or, without a name, of several.
func (e *explainer) function(name, alias string, columns []string, call string) *shown {
	s := e.simple("Function Scan")
	if name == "" {
		e.on(s, "", "", "", alias)
	} else {
		e.on(s, "Function Name", "pg_catalog", name, alias)
	}
	s.output = e.columns(alias, columns)
	if e.options.Verbose {
		s.add("Function Call", call)
	}
	return s
}

func (n *Subquery) explain(e *explainer) *shown {
	s := e.simple("Subquery Scan", n.Input)
	s.inputs[0].as = "Subquery"
	e.on(s, "", "", "", n.Alias)
	s.output = e.columns(n.Alias, n.names)
	return s
}

func (n *WorkScan) explain(e *explainer) *shown {
	return e.cteScan("WorkTable Scan", n.Work.Name, n.Alias, n.names)
}

func (n *WriteScan) explain(e *explainer) *shown {
	return e.cteScan("CTE Scan", n.CTE.Name, n.Alias, n.names)
}

func (e *explainer) cteScan(kind, name, alias string, columns []string) *shown {
	s := e.simple(kind)
	e.on(s, "CTE Name", "", name, alias)
	s.output = e.columns(alias, columns)
	return s
}
