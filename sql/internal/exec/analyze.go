package exec

import (
	"context"
	"time"

	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// counted counts what an operator does, for EXPLAIN ANALYZE. Its times include those of its inputs.
type counted struct {
	op    Operator
	count *plan.Count
	// What the operator has told so far of the rows it removed.
	removed, early int64
}

// filtering is an operator that leaves out rows by conditions of its own.
type filtering interface {
	// removedRows are how many rows did not fulfil the filter, and the index filter.
	removedRows() (removed, early int64)
}

func (s *scan) removedRows() (removed, early int64)        { return s.removed, s.removedEarly }
func (p *points) removedRows() (removed, early int64)      { return p.removed, 0 }
func (s *catalogScan) removedRows() (removed, early int64) { return s.removed, 0 }
func (j *join) removedRows() (removed, early int64)        { return j.removed, 0 }
func (a *apply) removedRows() (removed, early int64)       { return a.removed, 0 }

// newCounted counts an operator. Several operators may be of one node: their counts are added.
func newCounted(op Operator, n plan.Node, counts plan.Counts) Operator {
	if counts[n] == nil {
		counts[n] = &plan.Count{}
	}
	c := counted{op: op, count: counts[n]}
	if w, ok := op.(Affected); ok {
		return &countedWrite{counted: c, writes: w}
	}
	return &c
}

// countedWrite is a counted operator that writes.
type countedWrite struct {
	counted
	writes Affected
}

func (c *countedWrite) Affected() int64 { return c.writes.Affected() }

func (c *counted) Open(ctx context.Context) error {
	began := time.Now()
	err := c.op.Open(ctx)
	c.count.Time += time.Since(began)
	c.count.Loops++
	return err
}

func (c *counted) Next(ctx context.Context) (*types.Batch, error) {
	began := time.Now()
	b, err := c.op.Next(ctx)
	c.count.Time += time.Since(began)
	if c.count.Startup == 0 {
		c.count.Startup = c.count.Time
	}
	if b != nil {
		c.count.Rows += int64(b.Rows())
	}
	if f, ok := c.op.(filtering); ok {
		removed, early := f.removedRows()
		c.count.Removed += removed - c.removed
		c.count.RemovedEarly += early - c.early
		c.removed, c.early = removed, early
	}
	return b, err
}

func (c *counted) Close() { c.op.Close() }

func (c *counted) pace(wanted *int64) {
	if p, ok := c.op.(paced); ok {
		p.pace(wanted)
	}
}

// Analyze runs a plan to its end and tells what its nodes did.
func Analyze(ctx context.Context, env *Env, n plan.Node) (plan.Counts, error) {
	env.counts = plan.Counts{}
	defer func() { env.counts = nil }()
	op, err := Build(env, n)
	if err != nil {
		return nil, err
	}
	defer op.Close()
	if err := op.Open(ctx); err != nil {
		return nil, err
	}
	for {
		if batch, err := op.Next(ctx); batch == nil || err != nil {
			return env.counts, err
		}
	}
}

// AnalyzeTableAs runs CREATE TABLE AS and tells what the nodes of its query did. The plan is nil if there was nothing to do.
func AnalyzeTableAs(ctx context.Context, env *Env, st *parse.CreateTableStmt) (*plan.Plan, plan.Counts, error) {
	env.counts = plan.Counts{}
	defer func() { env.counts, env.filled = nil, nil }()
	_, err := DDL(ctx, env, st)
	return env.filled, env.counts, err
}

// TableAsIsThere reports whether CREATE TABLE IF NOT EXISTS … AS has nothing to do; without IF NOT EXISTS a table that is there is an
// error. Nothing is known of temporary tables.
func TableAsIsThere(ctx context.Context, env *Env, st *parse.CreateTableStmt) (bool, error) {
	if st.Persistence == parse.Temporary {
		return false, nil
	}
	d := &ddl{env: env}
	schema, err := d.schema(ctx, st.Name)
	if err != nil {
		return false, err
	}
	if st.IfNotExists {
		return d.exists(ctx, schema.ID, st.Name.Name)
	}
	found, err := env.View.HasRelation(ctx, schema.ID, st.Name.Name)
	if found && err == nil {
		err = sqlerr.New(sqlerr.DuplicateTable, "relation \"%s\" already exists", st.Name.Name)
	}
	return false, err
}
