package expr

import (
	"testing"

	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// buildIn builds the target of SELECT text in a scope.
func buildIn(t *testing.T, s *Scope, text string) (Expr, error) {
	t.Helper()
	query := "SELECT " + text
	stmts, err := parse.Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	b := &Builder{Text: query}
	return b.BuildValue(stmts[0].AST.(*parse.SelectStmt).Body.(*parse.SelectClause).Targets[0].Expr, s)
}

func column(name string, index int, typ types.Type) SourceColumn {
	return SourceColumn{Name: name, Index: index, Type: typ}
}

// usingScope is x JOIN y USING (id): id is merged, and x.id and y.id are found by their qualified names only.
func usingScope() *Scope {
	hidden := func(c SourceColumn) SourceColumn {
		c.QualifiedOnly = true
		return c
	}
	left, right := NewColumn(0, types.Int4, "x", "id"), NewColumn(2, types.Int4, "y", "id")
	return &Scope{Sources: []*Source{
		{Columns: []SourceColumn{{Name: "id", Type: types.Int4, Expr: &Coalesce{Args: []Expr{left, right}, typ: types.Int4}}}},
		{Name: "x", Columns: []SourceColumn{hidden(column("id", 0, types.Int4)), column("p", 1, types.Text)}},
		{Name: "y", Columns: []SourceColumn{hidden(column("id", 2, types.Int4)), column("q", 3, types.Text)}},
	}}
}

func TestMergedColumnsOfUsing(t *testing.T) {
	for text, want := range map[string]string{
		"id": "COALESCE(x.id, y.id)", "x.id": "x.id", "y.id + 1": "(y.id + 1)", "p || q": "(x.p || y.q)",
	} {
		e, err := buildIn(t, usingScope(), text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := Deparse(e, true); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestStarTakesMergedColumnsFirstAndOnce(t *testing.T) {
	names := func(ref *parse.ColumnRef) (s string) {
		out, err := (&Builder{}).ExpandStar(ref, usingScope())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out {
			s += o.Name + "=" + Deparse(o.Expr, true) + " "
		}
		return s
	}
	if got, want := names(&parse.ColumnRef{Star: true}), "id=COALESCE(x.id, y.id) p=x.p q=y.q "; got != want {
		t.Errorf("* is %s, want %s", got, want)
	}
	if got, want := names(&parse.ColumnRef{Star: true, Parts: []string{"y"}}), "id=y.id q=y.q "; got != want {
		t.Errorf("y.* is %s, want %s", got, want)
	}
}

func TestHiddenColumnsAreFoundByNameOnly(t *testing.T) {
	s := &Scope{Sources: []*Source{{Name: "x", Columns: []SourceColumn{
		column("a", 0, types.Int4), {Name: "rowid", Index: 1, Type: types.Int8, Hidden: true}, {Name: "gone", Index: 2, Dropped: true},
	}}}}
	if _, err := buildIn(t, s, "rowid"); err != nil {
		t.Error(err)
	}
	if _, err := buildIn(t, s, "gone"); describe(err) != `ERROR 42703 @8: column "gone" does not exist` {
		t.Error(describe(err))
	}
	out, err := (&Builder{}).ExpandStar(&parse.ColumnRef{Star: true}, s)
	if err != nil || len(out) != 1 {
		t.Error(len(out), err)
	}
}

func TestNamesOfEnclosingQueriesHaveALevel(t *testing.T) {
	outer := usingScope()
	middle := &Scope{Parent: outer, Sources: []*Source{{Name: "m", Columns: []SourceColumn{column("r", 0, types.Int4)}}}}
	inner := &Scope{Parent: middle, Sources: []*Source{{Name: "z", Columns: []SourceColumn{column("p", 0, types.Int4)}}}}
	e, err := buildIn(t, inner, "p + r + id")
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]int{}
	Walk(e, func(n Expr) bool {
		if c, ok := n.(*Column); ok {
			levels[c.Table+"."+c.Name] = c.Level
		}
		return true
	})
	want := map[string]int{"z.p": 0, "m.r": 1, "x.id": 2, "y.id": 2}
	for name, level := range want {
		if levels[name] != level {
			t.Errorf("%s has level %d, want %d", name, levels[name], level)
		}
	}
	own, mid, out := Datums{types.NewInt(1)}, Datums{types.NewInt(10)}, Datums{types.NullDatum, types.NullDatum, types.NewInt(100)}
	d, err := e.Eval(&EvalContext{Outer: []Row{&out, &mid}}, &own)
	if err != nil || d.I != 111 {
		t.Error(d.I, err)
	}
	if !HasColumns(e) {
		t.Error("z.p is a column of the row at hand")
	}
}

func TestUnknownSchemasAreToldFromUnknownFunctions(t *testing.T) {
	query := "SELECT s.f(1)"
	stmts, err := parse.Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	x := stmts[0].AST.(*parse.SelectStmt).Body.(*parse.SelectClause).Targets[0].Expr
	_, err = (&Builder{Text: query}).Build(x, &Scope{})
	if got := describe(err); got != `ERROR 3F000 @8: schema "s" does not exist` {
		t.Error(got)
	}
	_, err = (&Builder{Text: query, SchemaExists: func(string) bool { return true }}).Build(x, &Scope{})
	if got := describe(err); got != "ERROR 42883 @8: function s.f(integer) does not exist / HINT: No function matches the given name and argument types. You might need to add explicit type casts." {
		t.Error(got)
	}
}
