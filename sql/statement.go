package sql

import (
	"context"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
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
	cursor           bool         // it is a cursor's query
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
	user       types.OID
	view       *catalog.View // not nil: good for this transaction only, see planView
	locks      [][]byte      // the names of the plan's tables as locks
	reusable   bool          // the plan's operators may be kept
	kept       *planRun      // nil: there are none, or they are at work
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
		// A plan that seems good is checked when its tables are locked, before it runs.
		if !s.seemsGood(q.cached) {
			if _, err := s.planFor(ctx, q); err != nil {
				return nil, err
			}
		}
		if err := s.checkConstants(q.cached.plan, args); err != nil {
			return nil, err
		}
		p.columns, p.planned, p.args = q.columns, q, args
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

// checkConstants fails if a constant expression of the statement does. In PostgreSQL that is so too, since it computes them when it
// makes a plan, whose parameters are known.
func (s *Session) checkConstants(p *plan.Plan, args []types.Datum) error {
	if p.Err != nil || len(p.Parts) == 0 || len(args) != len(p.Params) {
		return p.Err
	}
	ec := &expr.EvalContext{Types: s.Context(), Params: args}
	for _, e := range p.Parts {
		if _, err := e.Eval(ec, nil); err != nil {
			return err
		}
	}
	return nil
}

// planFor gives a plan that is right as of now: the tables are locked. The last one is used again if nothing it depends on changed.
func (s *Session) planFor(ctx context.Context, q *statement) (*plan.Plan, error) {
	view, err := s.needView()
	if err != nil {
		return nil, err
	}
	if c := q.cached; c != nil && c.path == s.derived.pathText && c.user == s.derived.userOID && c.view == s.planView(view) {
		for i, t := range c.plan.Tables {
			if err := s.tx.txn.LockTable(ctx, c.locks[i], t.Use.LockMode(), kv.Block); err != nil {
				return nil, err
			}
		}
		if c.generation == view.Store().Generation() {
			return c.plan, nil
		}
	}
	generation := view.Store().Generation()
	planner := s.planner(ctx, view, q.text)
	planner.NoParams, planner.Snapshot, planner.Cursor = q.simple, s.snapshot(), q.cursor
	p, err := planner.Plan(q.AST, q.given)
	if err != nil {
		return nil, err
	}
	if q.cached != nil && !sameColumns(q.cached.plan.Columns, p.Columns) {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cached plan must not change result type")
	}
	q.cached = &cachedPlan{
		plan: p, generation: generation, path: s.derived.pathText, user: s.derived.userOID, view: s.planView(view), reusable: exec.Reusable(p.Root),
	}
	for _, t := range p.Tables {
		q.cached.locks = append(q.cached.locks, catalog.LockKey(t.Table.ID))
	}
	q.params = p.Params
	q.columns = publicColumns(p.Columns)
	return p, nil
}

// seemsGood reports whether nothing is known against a plan, without locks.
func (s *Session) seemsGood(c *cachedPlan) bool {
	if c == nil || c.view != nil || c.path != s.derived.pathText || c.user != s.derived.userOID || c.generation != s.engine.catalog.Generation() {
		return false
	}
	return !s.snapshot() && (s.tx.view == nil || !s.tx.view.Changed())
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
		Ctx: ctx, View: view, Database: s.database, SearchPath: s.searchPath(), Text: text, Types: s.Context(), Session: sessionEnv{s},
		Notice: s.notice, Rows: s.tableRows,
	}
}

// tableRows is about how many rows a table has.
func (s *Session) tableRows(t *catalog.Table) float64 {
	n, err := s.engine.options.KV.EstimateKeys(kv.PrefixSpan(rowenc.IndexPrefix(t.ID, t.Primary.ID)))
	if err != nil {
		return 0 // whoever reads the table will meet the error
	}
	return float64(n) / float64(max(len(t.Families), 1))
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
	s.tx.view.ActAs(s.derived.userOID, s.database.ID)
	return s.tx.view, nil
}

// newEnv makes what a statement runs in.
func (s *Session) newEnv(ctx context.Context, q *statement, args []types.Datum) (*exec.Env, error) {
	env := exec.NewEnv()
	return env, s.fillEnv(ctx, env, q, args)
}

// fillEnv makes env that of a statement that begins.
func (s *Session) fillEnv(ctx context.Context, env *exec.Env, q *statement, args []types.Datum) error {
	view, err := s.needView()
	if err != nil {
		return err
	}
	eval, memory := env.Eval, env.Memory
	memory.Reset(statementMemoryFactor * 1024 * s.derived.workMemKiB)
	*eval = expr.EvalContext{
		Ctx: ctx, Types: s.Context(), Params: args, Session: sessionEnv{s}, Sequences: sessionEnv{s}, Cursors: sessionEnv{s}, Catalog: s.reader,
	}
	*env = exec.Env{
		KV: s.engine.options.KV, Txn: s.tx.txn, View: view, Database: s.database, SearchPath: s.searchPath(), Server: serverEnv{s},
		TempName: s.tempName(), TempMade: s.tempMade, TempListed: s.derived.tempListed,
		User: s.derived.user, UserOID: s.derived.userOID, SessionUser: s.sessionUser(),
		Deferred: s.tx.deferred, Text: q.text, Memory: memory, Notice: s.notice, Catalog: s.reader, InBlock: s.tx.block || s.tx.used || q.severalInMessage,
		Eval: eval, General: s.engine.general, Subqueries: env.Subqueries,
	}
	env.EnableSubqueries()
	return nil
}

// statementMemoryFactor is how many times work_mem a statement may keep. From half of that on sorts, joins, groups, DISTINCT and set
// operations put rows aside in files; what they cannot put aside, and what others keep, is refused beyond all of it.
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
	ec.TxnTime, ec.StmtTime = s.tx.start, s.engine.options.Now()
	s.context = &ec
	return nil
}

// startPlan runs a planned statement. P is what planFor has given just now; nil: it was not asked.
func (s *Session) startPlan(ctx context.Context, q *statement, p *plan.Plan, args []types.Datum) (run, error) {
	if err := s.checkNotFailed(q.AST); err != nil {
		return nil, err
	}
	if p == nil {
		var err error
		if p, err = s.planFor(ctx, q); err != nil {
			return nil, err
		}
	}
	if err := s.checkConstants(p, args); err != nil {
		return nil, err
	}
	if p.Writes && s.tx.modes.readOnly {
		return nil, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", firstWord(p.Tag))
	}
	if err := s.beginStatement(ctx); err != nil {
		return nil, err
	}
	s.tx.used = true
	r := q.cached.kept
	if r == nil {
		r = &planRun{plan: p, env: exec.NewEnv()}
		if q.cached.reusable && !s.engine.general {
			r.owner = q.cached
		}
	}
	q.cached.kept = nil
	if err := s.fillEnv(ctx, r.env, q, args); err != nil {
		return nil, err
	}
	return r, r.open(ctx)
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
	// owner, if not nil, keeps the operators for the next execution.
	owner *cachedPlan
	ended bool // all rows were given
}

// open starts the operators. After an error they are closed.
func (r *planRun) open(ctx context.Context) (err error) {
	r.ended = false
	if r.root == nil {
		if r.root, err = exec.Build(r.env, r.plan.Root); err != nil {
			return err
		}
	}
	if err = r.root.Open(ctx); err != nil {
		r.root.Close()
	}
	return err
}

func (r *planRun) next(ctx context.Context) (*types.Batch, error) {
	r.env.Eval.Ctx = ctx
	b, err := r.root.Next(ctx)
	r.ended = b == nil && err == nil
	return b, err
}

func (r *planRun) tag(rows int64) string {
	if w, ok := r.root.(exec.Affected); ok {
		rows = w.Affected()
	}
	return r.plan.Tag + " " + strconv.FormatInt(rows, 10)
}

// close gives the operators back to their plan if they came to an end: those of a statement that failed are not trusted again.
func (r *planRun) close() {
	r.root.Close()
	if r.owner != nil && r.ended {
		r.env.Subqueries.Forget()
		r.owner.kept = r
	}
}

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
