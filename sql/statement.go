package sql

import (
	"context"
	"strconv"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// statement is a parsed statement with what is known of it so far.
type statement struct {
	*parse.Statement
	text   string // that it is part of
	simple bool   // of a Query message: it has no parameters
	// severalInMessage tells that the Query message has other statements.
	severalInMessage bool
	given            []types.Type // parameter types the client named; Unknown where it left that open
	params           []types.Type
	columns          []Column
	cached           *cachedPlan
}

// cachedPlan is a plan and what it was made under.
type cachedPlan struct {
	plan       *plan.Plan
	generation uint64
	path       string
	view       *catalog.View // not nil: good for this transaction only, see planView
}

// isPlanned reports whether the planner makes a plan for the statement.
func isPlanned(st parse.Stmt) bool {
	switch st.(type) {
	case *parse.SelectStmt, *parse.InsertStmt, *parse.UpdateStmt, *parse.DeleteStmt:
		return true
	}
	return false
}

// describe finds the parameters' types and the result's columns.
func (s *Session) describe(ctx context.Context, q *statement) error {
	if err := s.checkNotFailed(q.AST); err != nil {
		return err
	}
	if isPlanned(q.AST) {
		_, err := s.planFor(ctx, q)
		return err
	}
	u, err := s.utility(q)
	if err != nil {
		return err
	}
	q.columns = u.columns
	return nil
}

// checkNotFailed refuses what may not run in a failed block.
func (s *Session) checkNotFailed(st parse.Stmt) error {
	if !s.tx.failed {
		return nil
	}
	if t, ok := st.(*parse.TransactionStmt); ok {
		switch t.Kind {
		case parse.Commit, parse.Rollback, parse.RollbackToSavepoint:
			return nil
		}
	}
	return errFailed()
}

// newPortal makes a portal of a statement. It does not run it.
func (s *Session) newPortal(ctx context.Context, q *statement, args []types.Datum) (*Portal, error) {
	if err := s.checkNotFailed(q.AST); err != nil {
		return nil, err
	}
	p := &Portal{session: s}
	if isPlanned(q.AST) {
		if _, err := s.planFor(ctx, q); err != nil {
			return nil, err
		}
		p.columns = q.columns
		p.begin = func(ctx context.Context) (run, error) { return s.startPlan(ctx, q, args) }
		return p, nil
	}
	u, err := s.utility(q)
	if err != nil {
		return nil, err
	}
	p.columns = u.columns
	p.begin = func(ctx context.Context) (run, error) {
		if err := s.checkNotFailed(q.AST); err != nil {
			return nil, err
		}
		return u.run(ctx)
	}
	return p, nil
}

// planFor gives a plan that is right as of now: the tables are locked. The last one is used again if nothing it depends on changed.
func (s *Session) planFor(ctx context.Context, q *statement) (*plan.Plan, error) {
	view, err := s.needView()
	if err != nil {
		return nil, err
	}
	if c := q.cached; c != nil && c.path == s.derived.pathText && c.view == s.planView(view) {
		for _, t := range c.plan.Tables {
			if err := view.LockTable(ctx, t.Table.ID, t.Use.LockMode()); err != nil {
				return nil, err
			}
		}
		if c.generation == view.Store().Generation() {
			return c.plan, nil
		}
	}
	generation := view.Store().Generation()
	planner := s.planner(ctx, view, q.text)
	planner.NoParams, planner.Snapshot = q.simple, s.snapshot()
	p, err := planner.Plan(q.AST, q.given)
	if err != nil {
		return nil, err
	}
	if q.cached != nil && !sameColumns(q.cached.plan.Columns, p.Columns) {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cached plan must not change result type")
	}
	q.cached = &cachedPlan{plan: p, generation: generation, path: s.derived.pathText, view: s.planView(view)}
	q.params = p.Params
	q.columns = publicColumns(p.Columns)
	return p, nil
}

// planView is what a plan depends on beyond the committed catalog: the view of a transaction that has changes of its own or reads one
// snapshot, else nil.
func (s *Session) planView(view *catalog.View) *catalog.View {
	if view.Changed() || s.snapshot() {
		return view
	}
	return nil
}

// snapshot reports whether the transaction reads one snapshot.
func (s *Session) snapshot() bool { return s.tx.modes.isolation == "repeatable read" }

func sameColumns(a, b []plan.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

// publicColumns are a plan's columns as portals have them; nil stays nil.
func publicColumns(cols []plan.Column) []Column {
	if cols == nil {
		return nil
	}
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column(c)
	}
	return out
}

// planner makes a planner for the session as it is.
func (s *Session) planner(ctx context.Context, view *catalog.View, text string) *plan.Planner {
	return &plan.Planner{
		Ctx: ctx, View: view, Database: s.database, SearchPath: s.searchPath(), Text: text, Types: s.context, Session: sessionEnv{s},
		Notice: s.notice,
	}
}

// searchPath is the schemas in which names are looked up.
func (s *Session) searchPath() []string {
	return s.derived.path
}

// splitIdentifiers splits a list of identifiers at commas, folds those without quotes and takes the quotes off the others.
func splitIdentifiers(list string) []string {
	var out []string
	for _, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		if len(part) >= 2 && part[0] == '"' && part[len(part)-1] == '"' {
			out = append(out, strings.ReplaceAll(part[1:len(part)-1], `""`, `"`))
		} else if part != "" {
			out = append(out, strings.ToLower(part))
		}
	}
	return out
}

// needView gives the transaction's view of the catalog.
func (s *Session) needView() (*catalog.View, error) {
	txn, err := s.needTxn()
	if err != nil {
		return nil, err
	}
	if s.tx.view == nil {
		s.tx.view = s.engine.catalog.View(txn)
	}
	return s.tx.view, nil
}

// newEnv makes what a statement runs in.
func (s *Session) newEnv(ctx context.Context, q *statement, args []types.Datum) (*exec.Env, error) {
	view, err := s.needView()
	if err != nil {
		return nil, err
	}
	memory := exec.NewMemory(statementMemoryFactor * 1024 * s.derived.workMemKiB)
	env := &exec.Env{
		KV: s.engine.options.KV, Txn: s.tx.txn, View: view, Database: s.database, SearchPath: s.searchPath(), User: s.opts.User,
		Deferred: s.tx.deferred, Text: q.text, Memory: memory, Notice: s.notice, Catalog: s.reader, InBlock: s.tx.block || s.tx.used || q.severalInMessage,
		Eval: &expr.EvalContext{
			Ctx: ctx, Types: s.context, Params: args, Session: sessionEnv{s}, Sequences: sessionEnv{s}, Catalog: s.reader,
		},
	}
	env.EnableSubqueries()
	return env, nil
}

// statementMemoryFactor is how many times work_mem a statement may keep: nothing spills yet, so that sorts and hash tables are where
// PostgreSQL would use files.
const statementMemoryFactor = 8

// beginStatement is called when a statement is about to read or write: suspended portals get out of its way, and it sees what was
// committed until now.
func (s *Session) beginStatement(ctx context.Context) error {
	if err := s.keepSuspended(ctx); err != nil {
		return err
	}
	txn, err := s.needTxn()
	if err != nil {
		return err
	}
	txn.SetLockTimeout(s.derived.lockTimeout)
	txn.NextStatement()
	ec := *s.context
	ec.StmtTime = s.engine.options.Now()
	s.context = &ec
	return nil
}

// startPlan runs a planned statement.
func (s *Session) startPlan(ctx context.Context, q *statement, args []types.Datum) (run, error) {
	if err := s.checkNotFailed(q.AST); err != nil {
		return nil, err
	}
	p, err := s.planFor(ctx, q)
	if err != nil {
		return nil, err
	}
	if p.Writes && s.tx.modes.readOnly {
		return nil, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", firstWord(p.Tag))
	}
	if err := s.beginStatement(ctx); err != nil {
		return nil, err
	}
	s.tx.used = true
	env, err := s.newEnv(ctx, q, args)
	if err != nil {
		return nil, err
	}
	return newPlanRun(ctx, env, p)
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// planRun pulls from the operators of a plan.
type planRun struct {
	plan *plan.Plan
	env  *exec.Env
	root exec.Operator
}

func newPlanRun(ctx context.Context, env *exec.Env, p *plan.Plan) (*planRun, error) {
	root, err := exec.Build(env, p.Root)
	if err != nil {
		return nil, err
	}
	if err := root.Open(ctx); err != nil {
		root.Close()
		return nil, err
	}
	return &planRun{plan: p, env: env, root: root}, nil
}

func (r *planRun) next(ctx context.Context) (*types.Batch, error) {
	r.env.Eval.Ctx = ctx
	return r.root.Next(ctx)
}

func (r *planRun) tag(rows int64) string {
	if w, ok := r.root.(exec.Affected); ok {
		rows = w.Affected()
	}
	return r.plan.Tag + " " + strconv.FormatInt(rows, 10)
}

func (r *planRun) close() { r.root.Close() }

// keepSuspended reads the rest of the portals that were suspended between their rows into memory, so that a statement that follows
// cannot change what they see.
func (s *Session) keepSuspended(ctx context.Context) error {
	for p := range s.portals {
		if p.state != portalRunning {
			continue
		}
		if r, ok := p.run.(*planRun); ok {
			kept, err := exec.Keep(ctx, r.env, r.root, r.plan.Root.Types(), p.rest, p.given)
			if err != nil {
				return err
			}
			p.run, p.rest = &keptRun{planRun: r, kept: kept}, nil
		}
	}
	return nil
}

// keptRun is a planRun whose rows were read ahead.
type keptRun struct {
	*planRun
	kept *exec.KeptRows
}

func (r *keptRun) next(context.Context) (*types.Batch, error) { return r.kept.Next(), nil }
