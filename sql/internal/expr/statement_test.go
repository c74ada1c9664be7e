package expr

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// TestStatementsAgreeWithPostgreSQL: each statement of the file is followed by the types of its parameters, or by the error
// it gets when it is prepared; record them as TestExpressionsAgreeWithPostgreSQL says.
func TestStatementsAgreeWithPostgreSQL(t *testing.T) {
	const path = "testdata/statements.txt"
	lines, cases := readCases(t, path)
	if *postgres != "" {
		recordStatements(t, path, lines, cases)
		return
	}
	for _, c := range cases {
		a := &analyser{t: t, b: &Builder{Text: c.expr, Params: NewParams(nil)}}
		if got := a.outcome(c.expr); got != c.want {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", path, c.line+1, c.expr, got, c.want)
		}
	}
}

// analyser builds the expressions of a statement as a planner does.
type analyser struct {
	t *testing.T
	b *Builder
}

func (a *analyser) outcome(text string) string {
	stmts, err := parse.Parse(text)
	if err == nil {
		err = a.statement(stmts[0].AST)
	}
	if err == nil {
		err = a.b.Params.Check()
	}
	if err != nil {
		return describe(err)
	}
	return showParams(a.b.Params.Types())
}

func showParams(list []types.Type) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Format()
	}
	return "ok (" + strings.Join(names, ", ") + ")"
}

func (a *analyser) statement(st parse.Stmt) error {
	switch st := st.(type) {
	case *parse.SelectStmt:
		return a.query(st)
	case *parse.InsertStmt:
		// VALUES knows of the table but cannot refer to it.
		scope, _ := testRows(a.t, "t", tableT)
		scope.Clause, scope.Sources[0].LateralOnly = ClauseValues, true
		for i, x := range st.Query.Body.(*parse.ValuesClause).Rows[0] {
			name := st.Columns[i].Name
			if _, err := a.b.BuildAssignment(x, scope, name, columnType(scope, name)); err != nil {
				return err
			}
		}
		return nil
	case *parse.UpdateStmt:
		scope, _ := testRows(a.t, "t", tableT)
		scope.Clause = ClauseUpdate
		for _, set := range st.Set {
			name := set.Targets[0].Name
			if _, err := a.b.BuildAssignment(set.Value, scope, name, columnType(scope, name)); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("%T", st)
	}
}

func columnType(s *Scope, name string) types.Type {
	for _, c := range s.Sources[0].Columns {
		if c.Name == name {
			return c.Type
		}
	}
	return types.Unknown
}

func (a *analyser) query(st *parse.SelectStmt) error {
	body := st.Body.(*parse.SelectClause)
	scope := &Scope{Subquery: a.subquery}
	for _, from := range body.From {
		ref := from.(*parse.TableRef)
		columns := tableT
		if ref.Name.Name == "m" {
			columns = tableM
		}
		s, _ := testRows(a.t, ref.Name.Name, columns)
		if ref.Alias.Name != "" {
			s.Sources[0].Name = ref.Alias.Name
		}
		scope.Sources = append(scope.Sources, s.Sources...)
	}
	in := func(c Clause) *Scope {
		s := *scope
		s.Clause = c
		return &s
	}
	var targets []Expr
	for _, target := range body.Targets {
		if ref, ok := target.Expr.(*parse.ColumnRef); ok && ref.Star {
			if _, err := a.b.ExpandStar(ref, scope); err != nil {
				return err
			}
			continue
		}
		e, err := a.b.Build(target.Expr, scope)
		if err != nil {
			return err
		}
		targets = append(targets, e)
	}
	if body.Where != nil {
		if _, err := a.b.BuildCondition(body.Where, in(ClauseWhere)); err != nil {
			return err
		}
	}
	if body.Having != nil {
		if _, err := a.b.BuildCondition(body.Having, in(ClauseHaving)); err != nil {
			return err
		}
	}
	for _, x := range body.GroupBy {
		if _, err := a.b.BuildValue(x, in(ClauseGroupBy)); err != nil {
			return err
		}
	}
	if st.Limit != nil {
		if _, err := a.b.BuildInt8(st.Limit, in(ClauseLimit)); err != nil {
			return err
		}
	}
	if st.Offset != nil {
		if _, err := a.b.BuildInt8(st.Offset, in(ClauseOffset)); err != nil {
			return err
		}
	}
	for _, e := range targets {
		if _, err := a.b.Resolve(e); err != nil {
			return err
		}
	}
	return nil
}

// subquery is a planner that gives every subquery the type of its first target.
func (a *analyser) subquery(b *Builder, s *Scope, q SubqueryRequest) (Expr, error) {
	inner, _ := testRows(a.t, "m", tableM)
	inner.Parent = s
	body := q.Query.Body.(*parse.SelectClause)
	if len(body.From) == 0 {
		inner.Sources = nil
	}
	e, err := b.BuildValue(body.Targets[0].Expr, inner)
	if err != nil {
		return nil, err
	}
	if q.Kind == ExistsSubquery || q.Kind == AnySubquery {
		return NewSubquery(types.Bool, e, "SubPlan 1"), nil
	}
	return NewSubquery(e.Type(), e, "SubPlan 1"), nil
}

func recordStatements(t *testing.T, path string, lines []string, cases []agreeCase) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	setUp(t, conn, "t", tableT)
	setUp(t, conn, "m", tableM)
	outcomes := map[int]string{}
	for _, c := range cases {
		sd, err := conn.PgConn().Prepare(ctx, "", c.expr, nil)
		var pe *pgconn.PgError
		switch {
		case errors.As(err, &pe):
			outcomes[c.line] = describeFields(pe.Code, pe.Message, pe.Detail, pe.Hint, int(pe.Position))
		case err != nil:
			t.Fatal(err)
		default:
			var params []types.Type
			for _, oid := range sd.ParamOIDs {
				typ, ok := types.ByOID(types.OID(oid))
				if !ok {
					t.Fatalf("%s: type %d", c.expr, oid)
				}
				params = append(params, typ)
			}
			outcomes[c.line] = showParams(params)
		}
	}
	writeCases(t, path, lines, outcomes)
}
