package exec

import (
	"context"
	"time"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// counted counts what an operator does, for EXPLAIN ANALYZE. Its times include those of its inputs.
type counted struct {
	op    Operator
	count *plan.Count
}

func newCounted(op Operator, n plan.Node, counts plan.Counts) *counted {
	c := &plan.Count{}
	counts[n] = c
	return &counted{op: op, count: c}
}

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
	return b, err
}

func (c *counted) Close() { c.op.Close() }

// Analyze runs a plan to its end and tells what its nodes did.
func Analyze(ctx context.Context, env *Env, n plan.Node) (plan.Counts, error) {
	b := &builder{env: env, counts: plan.Counts{}}
	op, err := b.build(n)
	if err != nil {
		return nil, err
	}
	defer op.Close()
	if err := op.Open(ctx); err != nil {
		return nil, err
	}
	for {
		if batch, err := op.Next(ctx); batch == nil || err != nil {
			return b.counts, err
		}
	}
}
