package sql

import (
	"context"
	"math"
	"slices"
	"strconv"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// cursor is a query that DECLARE began and FETCH and MOVE read from. It sees what was committed when it was declared, and the writes of
// its transaction's earlier statements: statements that follow make it read its rest into memory first, as they do with any portal that
// is not at its end.
//
//	position   0           1 … n    n+1
//	           before the  on a     after the last row; n is known
//	           first row   row      once the portal is at its end
type cursor struct {
	columns []Column
	types   []types.Type // of the columns and, if rows is not nil, of what the plan's rows have beyond them
	rows    *plan.CursorRows
	last    []types.Datum // the last row read, if rows is not nil
	portal  *Portal       // nil: back has the rest
	read    int64         // how many rows the portal has given
	// back are the rows that were read, after the first base ones, so that the cursor can go back; nil: they are not kept.
	back     *exec.Scrollback
	base     int64
	mustKeep bool // SCROLL was said, or the rows outlive the transaction: that there are too many is an error
	noScroll bool // the cursor goes only forward
	failed   bool // a FETCH of it has failed, which is its end
	position int64
	hold     bool
	// held tells that the transaction of a WITH HOLD cursor has committed.
	held bool
	// savepoints is how many savepoints there were when it was declared.
	savepoints int
}

// fetchAll is the count of FETCH ALL.
const fetchAll = math.MaxInt64

func (s *Session) runDeclare(ctx context.Context, q *statement, st *parse.DeclareCursorStmt) error {
	if err := checkCursorOptions(st); err != nil {
		return err
	}
	if !st.Hold && !s.tx.block && !q.severalInMessage {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "DECLARE CURSOR can only be used in transaction blocks")
	}
	if s.cursors[st.Name] != nil || s.opts.Portals != nil && s.opts.Portals.Portal(st.Name) != nil {
		return sqlerr.New(sqlerr.DuplicateCursor, "cursor \"%s\" already exists", st.Name)
	}
	inner := &statement{
		Statement: &parse.Statement{AST: st.Query, Text: q.Text, Start: q.Start, Params: q.Params},
		text:      q.text, simple: true, severalInMessage: q.severalInMessage, cursor: true,
	}
	run, err := s.startPlan(ctx, inner, nil, nil)
	if err != nil {
		return err
	}
	c := &cursor{columns: inner.columns, hold: st.Hold, savepoints: len(s.tx.savepoints), rows: inner.cached.plan.Cursor}
	for _, col := range c.columns {
		c.types = append(c.types, col.Type)
	}
	wide := c.columns
	if c.rows != nil {
		c.types = inner.cached.plan.Root.Types()
		wide = append(slices.Clip(wide), make([]Column, len(c.types)-len(wide))...)
	}
	c.portal = &Portal{session: s, columns: wide, state: portalRunning, run: run}
	s.portals[c.portal] = struct{}{}
	c.noScroll = st.Scroll != nil && !*st.Scroll || len(st.Query.Locking) > 0
	c.mustKeep = st.Scroll != nil && *st.Scroll
	if !c.noScroll {
		c.back = s.newScrollback(c)
	}
	if s.cursors == nil {
		s.cursors = map[string]*cursor{}
	}
	s.cursors[st.Name] = c
	return nil
}

// checkCursorOptions refuses what does not go together.
func checkCursorOptions(st *parse.DeclareCursorStmt) error {
	if st.Binary {
		return sqlerr.Unsupported("DECLARE BINARY CURSOR")
	}
	if st.Query.With != nil {
		for _, c := range st.Query.With.CTEs {
			if _, ok := c.Query.(*parse.SelectStmt); !ok {
				return sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE CURSOR must not contain data-modifying statements in WITH")
			}
		}
	}
	if len(st.Query.Locking) == 0 {
		return nil
	}
	word := [...]string{"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}[st.Query.Locking[0].Strength]
	switch {
	case st.Hold:
		return sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE CURSOR WITH HOLD ... %s is not supported", word).WithDetail("Holdable cursors must be READ ONLY.")
	case st.Scroll != nil && *st.Scroll:
		return sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE SCROLL CURSOR ... %s is not supported", word).WithDetail("Scrollable cursors must be READ ONLY.")
	case st.Insensitive != nil && *st.Insensitive:
		return sqlerr.New(sqlerr.InvalidCursorDefinition, "DECLARE INSENSITIVE CURSOR ... %s is not valid", word).WithDetail("Insensitive cursors must be READ ONLY.")
	}
	return nil
}

func (s *Session) newScrollback(c *cursor) *exec.Scrollback {
	return exec.NewScrollback(c.types, exec.NewMemory(statementMemoryFactor*1024*s.derived.workMemKiB))
}

func (s *Session) findCursor(name string) (*cursor, error) {
	if c := s.cursors[name]; c != nil {
		return c, nil
	}
	if s.opts.Portals != nil {
		if p := s.opts.Portals.Portal(name); p != nil && p.columns != nil {
			return cursorOver(p), nil
		}
	}
	return nil, sqlerr.New(sqlerr.InvalidCursorName, "cursor \"%s\" does not exist", name)
}

// cursorOver reads on from where a portal of the protocol is. It goes only forward.
func cursorOver(p *Portal) *cursor {
	c := &cursor{columns: p.columns, portal: p, noScroll: true, read: p.rows, position: p.rows}
	for _, col := range p.columns {
		c.types = append(c.types, col.Type)
	}
	return c
}

// CursorPortal is a portal that gives the rows of a cursor from where it is, for the protocol's Execute; nil if there is no such cursor.
func (s *Session) CursorPortal(name string) *Portal {
	c := s.cursors[name]
	if c == nil {
		return nil
	}
	return &Portal{session: s, columns: c.columns, state: portalRunning, run: &cursorRun{cursor: c, out: types.NewBatch(c.types[:len(c.columns)])}}
}

// DropCursor forgets a cursor if there is one of that name.
func (s *Session) DropCursor(name string) {
	if s.cursors[name] != nil {
		s.dropCursor(name)
	}
}

// cursorRun gives the rows of a cursor one by one, so that it is where its reader is.
type cursorRun struct {
	cursor *cursor
	out    *types.Batch
}

func (r *cursorRun) next(ctx context.Context) (*types.Batch, error) {
	ok, err := r.cursor.advance(ctx)
	if !ok || err != nil {
		return nil, err
	}
	r.out.Reset()
	r.cursor.give(r.out)
	return r.out, nil
}

func (r *cursorRun) tag(rows int64) string { return "SELECT " + strconv.FormatInt(rows, 10) }
func (r *cursorRun) close()                {}

// isOnRow reports whether the cursor stands on a row.
func (c *cursor) isOnRow() bool { return c.position > 0 && c.position <= c.read }

// checkBackward refuses to go back if the cursor cannot.
func (c *cursor) checkBackward() error {
	if !c.noScroll {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "cursor can only scan forward").
		WithHint("Declare it with SCROLL option to enable backward scan.")
}

// advance moves to the next row; false: there is none.
func (c *cursor) advance(ctx context.Context) (bool, error) {
	if c.position >= c.read {
		ok, err := c.readRow(ctx)
		if !ok || err != nil {
			c.position = c.read + 1
			return false, err
		}
	}
	c.position++
	return true, nil
}

// readRow reads a row of the portal.
func (c *cursor) readRow(ctx context.Context) (bool, error) {
	if c.portal == nil || c.position > c.read {
		return false, nil
	}
	b, err := c.portal.next(ctx, 1)
	if b == nil || err != nil {
		return false, err
	}
	c.read++
	if c.rows != nil {
		c.last = c.last[:0]
		for i := range c.types {
			c.last = append(c.last, b.Datum(i, 0).Clone())
		}
	}
	if c.back == nil {
		return true, nil
	}
	if err := c.back.Add(b); err != nil {
		if c.mustKeep {
			return false, err
		}
		// Too many rows to keep: from now on the cursor goes only forward.
		c.back.Release()
		c.back, c.noScroll = nil, true
	}
	return true, nil
}

// give copies the row that the cursor is on.
func (c *cursor) give(out *types.Batch) {
	if c.back != nil && c.position > c.base {
		c.back.AppendTo(out, c.position-1-c.base)
		return
	}
	row := make([]types.Datum, len(out.Cols))
	for i := range row {
		row[i] = c.portal.view.Datum(i, 0)
	}
	out.AppendRow(row)
}

// keepAll reads the rest of the rows, so that the cursor needs its portal no more.
func (s *Session) keepAll(ctx context.Context, c *cursor) error {
	if c.portal == nil {
		return nil
	}
	c.mustKeep = true
	if c.back == nil {
		c.back, c.base = s.newScrollback(c), c.read
	}
	at, last := c.position, slices.Clone(c.last)
	for {
		c.position = c.read
		ok, err := c.readRow(ctx)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
	}
	c.position, c.last = at, last
	c.portal.Close()
	c.portal = nil
	return nil
}

// keepCursors reads the rest of the cursors that outlive what is about to happen: all of them, or those WITH HOLD.
func (s *Session) keepCursors(ctx context.Context, all bool) error {
	for _, c := range s.cursors {
		if all || c.hold {
			if err := s.keepAll(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// endCursors is called when the transaction has ended: what it declared goes, but for cursors WITH HOLD if it has committed.
func (s *Session) endCursors(committed bool) {
	for name, c := range s.cursors {
		if c.hold && committed {
			c.held = true
		}
		if !c.held {
			s.dropCursor(name)
		}
	}
}

// dropCursor forgets a cursor.
func (s *Session) dropCursor(name string) {
	c := s.cursors[name]
	delete(s.cursors, name)
	if c.portal != nil {
		c.portal.Close()
	}
	if c.back != nil {
		c.back.Release()
	}
}

// dropCursorsSince forgets the cursors that were declared when there were more than n savepoints.
func (s *Session) dropCursorsSince(n int) {
	for name, c := range s.cursors {
		if !c.held && c.savepoints > n {
			s.dropCursor(name)
		}
	}
}

// releaseCursors makes the cursors that were declared when there were more than n savepoints belong to the n-th.
func (s *Session) releaseCursors(n int) {
	for _, c := range s.cursors {
		c.savepoints = min(c.savepoints, n)
	}
}

func (s *Session) runClose(st *parse.CloseStmt) (string, error) {
	if st.Name == "" {
		for name := range s.cursors {
			s.dropCursor(name)
		}
		return "CLOSE CURSOR ALL", nil
	}
	if _, err := s.findCursor(st.Name); err != nil {
		return "", err
	}
	if s.cursors[st.Name] == nil {
		s.opts.Portals.ClosePortal(st.Name)
	} else {
		s.dropCursor(st.Name)
	}
	return "CLOSE CURSOR", nil
}
