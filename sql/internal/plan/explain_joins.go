package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
)

// join is a join by hashing or by nested loops.
func (e *explainer) join(n Node, kind string, as JoinKind, left, right Node, on expr.Expr) *shown {
	s := e.simple(kind, left, right)
	word := [...]string{InnerJoin: "Inner", LeftJoin: "Left", RightJoin: "Right", FullJoin: "Full", SemiJoin: "Semi", AntiJoin: "Anti"}[as]
	s.target = []property{{"Join Type", word}}
	switch {
	case kind == "Hash Join" && as != InnerJoin:
		s.label = "Hash " + word + " Join"
	case as != InnerJoin:
		s.label += " " + word + " Join"
	}
	s.pairs()
	if as == SemiJoin || as == AntiJoin {
		s.output = above(s.inputs[0].node.output)
	}
	if h, ok := n.(*Join); ok && len(h.LeftKeys) > 0 {
		s.add("Hash Cond", e.cond(expr.JoinAnd(h.conds)))
	}
	if c := e.count(n); e.text(on) != "true" {
		e.filter(s, "Join Filter", e.cond(on), c.Removed, c.Loops)
	}
	return s
}

func (n *Join) explain(e *explainer) *shown {
	kind := "Nested Loop"
	if len(n.LeftKeys) > 0 {
		kind = "Hash Join"
	}
	return e.join(n, kind, n.Kind, n.Left, n.Right, n.On)
}

func (n *Apply) explain(e *explainer) *shown {
	return e.join(n, "Nested Loop", n.Kind, n.Left, n.Right, n.On)
}

func (n *SetOp) explain(e *explainer) *shown {
	if n.Kind == Union {
		return n.explainUnion(e)
	}
	s := e.simple("SetOp", n.Left, n.Right)
	s.output = above(s.inputs[0].node.output)
	command := [...]string{Intersect: "Intersect", Except: "Except"}[n.Kind]
	if n.All {
		command += " All"
	}
	s.label = "HashSetOp " + command
	s.class = []property{{"Strategy", "Hashed"}}
	s.target = []property{{"Command", command}}
	return s
}

// explainUnion shows a union as PostgreSQL does: as all rows of the members, one after the other, and then the different ones of them.
// UNION ALL of UNION ALL is one.
func (n *SetOp) explainUnion(e *explainer) *shown {
	all := &shown{kind: "Append", label: "Append", hidesOutput: true}
	for _, side := range []Node{n.Left, n.Right} {
		s := e.explain(side)
		if s.kind != "Append" || len(s.properties)+len(s.subPlans) > 0 {
			all.input("Member", s)
			continue
		}
		all.inputs = append(all.inputs, s.inputs...)
	}
	all.output = above(all.inputs[0].node.output)
	if n.All {
		return all
	}
	s := e.aggregate("Hashed")
	s.input("Outer", all)
	s.output = above(all.output)
	s.add("Group Key", textsOf(s.output))
	return s
}

func (n *Recursive) explain(e *explainer) *shown {
	s := e.simple("Recursive Union", n.Left, n.Right)
	s.output, s.hidesOutput = above(s.inputs[0].node.output), true
	return s
}

func (n *WithWrites) explain(e *explainer) *shown {
	s := e.explain(n.Input)
	for _, w := range n.Writes {
		s.withs = append(s.withs, subPlan{of: "InitPlan", name: "CTE " + w.Name, root: e.explain(w.Root)})
	}
	return s
}

// modify is a node that writes a table.
func (e *explainer) modify(operation string, t *catalog.Table, in Node, returning []expr.Expr) *shown {
	s := e.simple("ModifyTable", in)
	s.label, s.class = operation, []property{{"Operation", operation}}
	e.onTable(s, t, t.Name)
	s.output = e.over(returning, nil)
	return s
}

func (n *Insert) explain(e *explainer) *shown {
	s := e.modify("Insert", n.Table, n.Input, n.Returning)
	if n.OnConflict == nil {
		return s
	}
	names := make([]string, len(n.OnConflict.Arbiters))
	for i, x := range n.OnConflict.Arbiters {
		names[i] = x.Name
	}
	s.add("Conflict Resolution", map[bool]string{true: "UPDATE", false: "NOTHING"}[n.OnConflict.Update])
	s.add("Conflict Arbiter Indexes", names)
	s.add("Conflict Filter", e.cond(n.OnConflict.Where))
	return s
}

func (n *Update) explain(e *explainer) *shown {
	return e.modify("Update", n.Table, n.Input, n.Returning)
}

func (n *Delete) explain(e *explainer) *shown {
	return e.modify("Delete", n.Table, n.Input, n.Returning)
}
