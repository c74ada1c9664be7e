package sql

import (
	"context"
	"strconv"
	"time"

	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// run is a statement at work: what a portal pulls from.
type run interface {
	// next gives a batch of rows, valid until the next call, or nil at the end.
	next(ctx context.Context) (*types.Batch, error)
	// tag is the command tag after the end. Rows is how many rows the portal gave out.
	tag(rows int64) string
	close()
}

// portalState is how far a portal has come.
type portalState uint8

const (
	portalReady portalState = iota
	portalRunning
	portalDone
	portalClosed
)

// Portal is a statement that runs or is ready to.
type Portal struct {
	session *Session
	columns []Column
	// planned is the statement, with its arguments, if it has a plan; else begin starts it. The first Next does.
	planned *statement
	args    []types.Datum
	begin   func(ctx context.Context) (run, error)
	plan    *plan.Plan // of planned, if its tables are locked already
	// last tells that the portal is the end of a Query message, and of its transaction outside a block, which commits before Next says
	// that the statement is done.
	last  bool
	state portalState
	run   run
	rest  *types.Batch // of the last batch: what Next has not given out
	view  types.Batch  // what Next has given out: rows of rest
	sel   []int32      // of view, if it has not all of rest's rows
	given int          // rows of rest that were given out
	rows  int64
	tag   string
	// deadline is when statement_timeout ends the statement; zero: it has not begun, or there is none.
	deadline time.Time
}

// Columns are the result's columns; nil if the statement gives no rows.
func (p *Portal) Columns() []Column { return p.columns }

// Next runs the statement, or goes on, and gives at most maxRows rows (0: as many as a batch has). nil means that it is done; a
// statement without rows is done by its first Next. The batch is valid until the next call. Errors are *sqlerr.Error.
func (p *Portal) Next(ctx context.Context, maxRows int) (*types.Batch, error) {
	var out *types.Batch
	if p.session.work.running == nil {
		p.deadline = time.Time{} // an Execute message of its own has the whole time
	}
	err := p.session.call(ctx, func(ctx context.Context) error {
		if timer := p.timeout(); timer != nil {
			defer timer.Stop()
		}
		var err error
		if out, err = p.next(ctx, maxRows); err != nil {
			p.Close()
			return mapError(ctx, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// timeout ends the running call after what is left of statement_timeout. Nil: there is none.
func (p *Portal) timeout() *time.Timer {
	if d := p.session.derived.statementTimeout; p.deadline.IsZero() && d > 0 {
		p.deadline = time.Now().Add(d)
	}
	if p.deadline.IsZero() {
		return nil
	}
	return p.session.work.interruptAfter(time.Until(p.deadline), errStatementTimeout)
}

func (p *Portal) next(ctx context.Context, maxRows int) (*types.Batch, error) {
	switch p.state {
	case portalDone:
		return nil, nil
	case portalClosed:
		return nil, sqlerr.New(sqlerr.InvalidCursorName, "portal does not exist")
	case portalReady:
		run, err := p.start(ctx)
		if err != nil {
			return nil, err
		}
		p.run, p.state = run, portalRunning
		p.session.portals[p] = struct{}{}
	}
	for p.rest == nil || p.given == p.rest.Rows() {
		var err error
		if err = context.Cause(ctx); err != nil {
			return nil, err
		}
		if p.rest, err = p.run.next(ctx); err != nil {
			return nil, err
		}
		p.given = 0
		if p.rest == nil {
			return nil, p.end(ctx)
		}
	}
	return p.part(maxRows), nil
}

// start starts the statement.
func (p *Portal) start(ctx context.Context) (run, error) {
	if p.planned != nil {
		return p.session.startPlan(ctx, p.planned, p.plan, p.args)
	}
	return p.begin(ctx)
}

// part gives the next rows of rest.
func (p *Portal) part(maxRows int) *types.Batch {
	left := p.rest.Rows() - p.given
	if maxRows <= 0 || maxRows > left {
		maxRows = left
	}
	p.rows += int64(maxRows)
	// A plan's rows may go on after the result's columns, with what they were sorted by.
	p.view.Cols, p.view.N = p.rest.Cols[:len(p.columns)], p.rest.N
	if p.given == 0 && maxRows == left {
		p.given = left
		p.view.Sel = p.rest.Sel
		return &p.view
	}
	p.sel = p.sel[:0] // not nil after the first append: maxRows > 0
	for r := p.given; r < p.given+maxRows; r++ {
		p.sel = append(p.sel, int32(p.rest.Row(r)))
	}
	p.view.Sel = p.sel
	p.given += maxRows
	return &p.view
}

// end is called when there are no more rows.
func (p *Portal) end(ctx context.Context) error {
	p.tag = p.run.tag(p.rows)
	p.release()
	p.state = portalDone
	if p.last && !p.session.tx.block {
		return p.session.commit(ctx)
	}
	return nil
}

// Tag is the command tag, such as "SELECT 5", once Next gave nil.
func (p *Portal) Tag() string { return p.tag }

// Close frees what the portal holds. It may be called more than once.
func (p *Portal) Close() error {
	p.release()
	if p.state != portalDone {
		p.state = portalClosed
	}
	return nil
}

func (p *Portal) release() {
	if p.run != nil {
		p.run.close()
		p.run, p.rest = nil, nil
	}
	delete(p.session.portals, p)
}

// closePortals frees what holds iterators of the transaction.
func (s *Session) closePortals() {
	for p := range s.portals {
		p.Close()
	}
}

// done is a run that has nothing to give but a tag.
type done string

func (d done) next(context.Context) (*types.Batch, error) { return nil, nil }
func (d done) tag(int64) string                           { return string(d) }
func (d done) close()                                     {}

// rowsRun gives rows that are there already.
type rowsRun struct {
	batch *types.Batch
	name  string // the tag, without a count
	count bool   // whether the tag has one
}

func (r *rowsRun) next(context.Context) (*types.Batch, error) {
	b := r.batch
	r.batch = nil
	if b != nil && b.Rows() == 0 {
		return nil, nil
	}
	return b, nil
}

func (r *rowsRun) tag(rows int64) string {
	if r.count {
		return r.name + " " + strconv.FormatInt(rows, 10)
	}
	return r.name
}

func (r *rowsRun) close() {}

// textRows makes a run of text columns.
func textRows(tag string, rows [][]string) *rowsRun {
	if len(rows) == 0 {
		return &rowsRun{name: tag}
	}
	ts := make([]types.Type, len(rows[0]))
	for i := range ts {
		ts[i] = types.Text
	}
	b := types.NewBatch(ts)
	for _, row := range rows {
		for c, v := range row {
			b.Cols[c].Append(types.NewText(v))
		}
		b.N++
	}
	return &rowsRun{batch: b, name: tag}
}

// textColumns describes text columns.
func textColumns(names ...string) []Column {
	cols := make([]Column, len(names))
	for i, n := range names {
		cols[i] = Column{Name: n, Type: types.Text}
	}
	return cols
}
