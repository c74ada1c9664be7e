package plan

import (
	"context"
	"errors"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Planner makes the plan of one statement. The tables it looks up are locked when it is done. Errors are *sqlerr.Error with positions
// in Text, or those of the store.
type Planner struct {
	Ctx        context.Context
	View       *catalog.View
	Database   *catalog.Database
	SearchPath []string
	Text       string // the whole text the statement is part of
	Types      *types.Context
	Session    expr.Session
	Notice     func(*sqlerr.Error)
	NoParams   bool // a parameter is an error
	// Rows is about how many rows a table has. Nil: nothing is known of tables.
	Rows     func(*catalog.Table) float64
	Cursor   bool // the query is a cursor's: see Plan.Cursor
	Snapshot bool // the transaction reads one snapshot, which may be older than the tables' newest descriptors

	builder  *expr.Builder
	tables   []TableUse
	ctes     []*cte      // in view, the nearest last
	places   []string    // that the query at hand lies in and a recursive query may not use itself in, the innermost last
	later    []string    // queries of WITH clauses that the query at hand does not see
	topWith  *parse.With // of the whole statement
	writes   []*WriteCTE // of the WITH clause, in order
	subplans int
	depth    int         // of the query at hand: 1 is the statement itself
	root     parse.Stmt  // the statement
	failed   error       // see Plan.Err
	parts    []expr.Expr // see Plan.Parts

	// userFunctions are those that the statement may call.
	userFunctions map[catalog.ID]*userFunction

	inViews    int              // how many views and functions the query at hand is the text of
	as         types.OID        // the owner of the innermost of them
	direct     []*catalog.Table // what the statement itself names
	called     []types.OID      // the user's functions that the statement itself calls
	defining   bool             // the query is that of a new view: it does not run
	checking   bool             // the query is the body of a new function
	writeStars bool             // each * of the statement is written out in its syntax tree
	// describing: queries are only analysed, for their texts: their plans have no nodes that could run.
	describing bool
	merged     int // columns of USING that are no column of either side, while describing
}

// Plan makes the plan. Given are the parameter types that the client named; it may be shorter than the parameters.
func (p *Planner) Plan(st parse.Stmt, given []types.Type) (*Plan, error) {
	params := expr.NewParams(given)
	if p.NoParams {
		params = expr.NoParams()
	}
	p.builder, p.root = p.newBuilder(params), st
	out, err := p.statement(st)
	if err != nil {
		return nil, err
	}
	if err := p.builder.Params.Check(); err != nil {
		return nil, err
	}
	out.Err, out.Parts = p.failed, p.parts
	if err := p.checkPrivileges(); err != nil {
		return nil, err
	}
	out.Params, out.Tables = p.builder.Params.Types(), p.tables
	return out, nil
}

// fold is expr.Fold that notes an evaluation that fails in the statement itself. One in a subquery may turn out not to be needed.
func (p *Planner) fold(e expr.Expr) expr.Expr {
	e, err := expr.FoldChecked(e)
	if p.failed == nil && p.depth <= 1 {
		p.failed = err
	}
	// INSERT needs all its values in any case; only the description of its result must not come before their errors.
	if st, inserts := p.root.(*parse.InsertStmt); p.depth <= 1 && (!inserts || st.Returning != nil) {
		p.parts = expr.ParameterParts(p.parts, e)
	}
	return e
}

// newBuilder makes what builds the statement's expressions.
func (p *Planner) newBuilder(params *expr.Params) *expr.Builder {
	return &expr.Builder{
		Text: p.Text, Params: params, Types: p.Types, Functions: p.functions, Call: p.callFunction, SchemaExists: p.schemaExists,
	}
}

func (p *Planner) statement(st parse.Stmt) (*Plan, error) {
	if st, ok := st.(*parse.SelectStmt); ok {
		p.topWith = st.With
		q, err := p.query(st, nil)
		if err != nil {
			return nil, err
		}
		return p.withWrites(&Plan{Root: q.node, Columns: q.columns, Cursor: q.cursor, Tag: "SELECT", Writes: len(st.Locking) > 0}), nil
	}
	p.topWith = withOf(st)
	done, err := p.with(p.topWith, nil)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := p.write(st)
	if err == nil {
		err = p.checkUnused(p.topWith)
	}
	if err != nil {
		return nil, err
	}
	return p.withWrites(out), nil
}

// withOf is the WITH clause of a statement that writes.
func withOf(st parse.Stmt) *parse.With {
	switch st := st.(type) {
	case *parse.InsertStmt:
		return st.With
	case *parse.UpdateStmt:
		return st.With
	case *parse.DeleteStmt:
		return st.With
	}
	return nil
}

// Arguments makes the arguments of EXECUTE, cast to the parameters' types.
func (p *Planner) Arguments(args []parse.Expr, params []types.Type) ([]expr.Expr, error) {
	p.builder = p.newBuilder(expr.NoParams())
	out := make([]expr.Expr, len(args))
	scope := &expr.Scope{Clause: expr.ClauseExecute}
	for i, a := range args {
		e, err := p.builder.Build(a, scope)
		if err != nil {
			return nil, err
		}
		given := e.Type()
		if out[i], err = p.builder.Assign(e, "", params[i], a.Position()); err != nil {
			if sqlerr.CodeOf(err) == sqlerr.DatatypeMismatch {
				err = p.at(sqlerr.New(sqlerr.DatatypeMismatch, "parameter $%d of type %s cannot be coerced to the expected type %s", i+1, given.Format(), params[i].Format()).
					WithHint("You will need to rewrite or cast the expression."), a.Position())
			}
			return nil, err
		}
	}
	return out, nil
}

// ResolveType finds the type of a written name; text is what its position counts in.
func ResolveType(n *parse.TypeName, text string, ec *types.Context) (types.Type, error) {
	return (&expr.Builder{Text: text, Types: ec}).ResolveType(n)
}

// at gives an error a position.
func (p *Planner) at(err *sqlerr.Error, offset int) error {
	return err.At(parse.Character(p.Text, offset))
}

func (p *Planner) unsupported(feature string, offset int) error {
	return p.at(sqlerr.Unsupported(feature), offset)
}

// LockMode is the table lock that a use needs.
func (u Use) LockMode() kv.TableLock {
	switch u {
	case UseRead:
		return kv.TableAccessShare
	case UseRowLock:
		return kv.TableRowShare
	default:
		return kv.TableRowExclusive
	}
}

// table finds a table by name and locks it.
func (p *Planner) table(name parse.ObjectName, use Use) (*catalog.Table, *catalog.Schema, error) {
	r, schema, err := LookupRelation(p.Ctx, p.View, p.Database, p.SearchPath, name, use.LockMode())
	if err != nil {
		if e, ok := sqlerr.As(err); ok {
			err = p.at(e, name.Pos)
		}
		return nil, nil, err
	}
	if r.Index != nil {
		return nil, nil, p.at(sqlerr.New(sqlerr.WrongObjectType, "cannot open relation \"%s\"", name.Name).
			WithDetail("This operation is not supported for indexes."), name.Pos)
	}
	if p.Snapshot {
		if r.Table, err = p.asOfSnapshot(r.Table); err != nil {
			return nil, nil, err
		}
	}
	if err := p.checkKind(r.Table, use); err != nil {
		return nil, nil, p.at(err, name.Pos)
	}
	p.tables = append(p.tables, TableUse{Table: r.Table, Use: use, Need: use.needs(), As: p.as})
	if p.isDirect() {
		p.direct = append(p.direct, r.Table)
	}
	return r.Table, schema, nil
}

// checkKind refuses to write into what is no table, and to read what has no rows.
func (p *Planner) checkKind(t *catalog.Table, use Use) *sqlerr.Error {
	switch {
	case t.Kind == catalog.KindSequence && use == UseWrite:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot change sequence \"%s\"", t.Name)
	case t.Kind == catalog.KindSequence && use == UseRowLock:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot lock rows in sequence \"%s\"", t.Name)
	}
	return nil
}

// asOfSnapshot hides the indexes that are younger than the transaction's snapshot from reading: they lack the entries of rows that it
// sees. Writes go to them all the same.
func (p *Planner) asOfSnapshot(t *catalog.Table) (*catalog.Table, error) {
	old, err := p.View.TableAtSnapshot(p.Ctx, t.ID)
	if errors.Is(err, catalog.ErrNotFound) {
		return t, nil // the table itself is younger: the snapshot sees no rows of it
	}
	if err != nil || old.Version == t.Version {
		return t, err
	}
	if old.Primary.ID != t.Primary.ID {
		return nil, sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent rewrite of table \"%s\"", t.Name)
	}
	hidden := t.Clone()
	for i := range hidden.Indexes {
		x := &hidden.Indexes[i]
		if was := old.Index(x.ID); was == nil || was.State != catalog.IndexPublic {
			x.State = catalog.IndexWriteOnly
		}
	}
	return hidden, nil
}

// systemTableDenied refuses to change a system table.
func systemTableDenied(rel *pgcatalog.Relation) error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied: \"%s\" is a system catalog", rel.Name)
}

// parseExpression parses the stored text of a default or a check.
func parseExpression(text string) (parse.Expr, error) {
	stmts, err := parse.Parse("SELECT (" + text + ")")
	if err != nil {
		return nil, err
	}
	if len(stmts) == 1 {
		if q, ok := stmts[0].AST.(*parse.SelectStmt); ok {
			if s, ok := q.Body.(*parse.SelectClause); ok && len(s.Targets) == 1 {
				return s.Targets[0].Expr, nil
			}
		}
	}
	return nil, sqlerr.Internal("stored expression %q is not one", text)
}
