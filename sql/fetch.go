package sql

import (
	"context"
	"strconv"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// fetchUtility is FETCH and MOVE.
func (s *Session) fetchUtility(st *parse.FetchStmt) utility {
	u := utility{run: func(ctx context.Context) (run, error) {
		c, err := s.findCursor(st.Name)
		if err != nil {
			return nil, err
		}
		if c.failed {
			return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "portal \"%s\" cannot be run", st.Name)
		}
		f := &fetchRun{cursor: c, move: st.Move, out: types.NewBatch(c.types[:len(c.columns)])}
		if err := f.start(ctx, st); err != nil {
			c.failed = true
			return nil, err
		}
		return f, nil
	}}
	if c, err := s.findCursor(st.Name); err == nil && !st.Move {
		u.columns = c.columns
	}
	return u
}

// fetchRun is a FETCH or MOVE at work.
type fetchRun struct {
	cursor *cursor
	move   bool
	left   int64 // rows to give yet
	step   int64 // 1: forward, -1: backward
	again  bool  // give the row that the cursor is on
	count  int64
	out    *types.Batch
}

// start goes to where the rows begin.
func (f *fetchRun) start(ctx context.Context, st *parse.FetchStmt) error {
	c, n := f.cursor, st.Count
	switch st.Direction {
	case parse.FetchAbsolute:
		return f.absolute(ctx, n)
	case parse.FetchRelative:
		switch {
		case n > 0:
			return f.skip(ctx, n-1, 1)
		case n < 0:
			return f.skip(ctx, -n-1, -1)
		}
	case parse.FetchBackward:
		n = -n
	}
	if st.All {
		n = fetchAll
		if st.Direction == parse.FetchBackward {
			n = -fetchAll
		}
	}
	switch {
	case n > 0:
		f.left, f.step = n, 1
	case n < 0:
		f.left, f.step = -n, -1
	default:
		if !f.move && c.isOnRow() {
			if err := c.checkBackward(); err != nil {
				return err
			}
		}
		f.again = c.isOnRow()
	}
	if f.step < 0 {
		return c.checkBackward()
	}
	return nil
}

// absolute prepares to give row n, counted from the end if n is negative.
func (f *fetchRun) absolute(ctx context.Context, n int64) error {
	c := f.cursor
	if n < 0 {
		for {
			if ok, err := c.advance(ctx); !ok || err != nil {
				if err != nil {
					return err
				}
				break
			}
		}
		return f.skip(ctx, -n-1, -1)
	}
	if n <= c.position && c.position > 0 {
		if err := c.checkBackward(); err != nil {
			return err
		}
		c.position = max(n-1, 0)
	}
	if n == 0 {
		return nil
	}
	return f.skip(ctx, n-1-c.position, 1)
}

// skip moves over n rows and prepares to give the next one.
func (f *fetchRun) skip(ctx context.Context, n, step int64) error {
	f.left, f.step = 1, step
	if step < 0 {
		if err := f.cursor.checkBackward(); err != nil {
			return err
		}
		f.cursor.position = max(f.cursor.position-n, 0)
		return nil
	}
	for ; n > 0; n-- {
		if ok, err := f.cursor.advance(ctx); !ok || err != nil {
			return err
		}
	}
	return nil
}

// next gives the rows, at most a batch at once; MOVE only counts them.
func (f *fetchRun) next(ctx context.Context) (*types.Batch, error) {
	b, err := f.batch(ctx)
	f.cursor.failed = err != nil
	return b, err
}

func (f *fetchRun) batch(ctx context.Context) (*types.Batch, error) {
	c := f.cursor
	f.out.Reset()
	if f.again {
		f.again = false
		f.count++
		if !f.move {
			c.give(f.out)
			return f.out, nil
		}
	}
	for f.left > 0 && (f.move || f.out.N < types.MaxBatchRows) {
		f.left--
		if f.step < 0 {
			if c.position = max(c.position-1, 0); c.position == 0 {
				f.left = 0
				break
			}
		} else if ok, err := c.advance(ctx); !ok || err != nil {
			if err != nil {
				return nil, err
			}
			f.left = 0
			break
		}
		f.count++
		if !f.move {
			c.give(f.out)
		}
	}
	if f.out.N == 0 {
		return nil, nil
	}
	return f.out, nil
}

func (f *fetchRun) tag(int64) string {
	word := "FETCH "
	if f.move {
		word = "MOVE "
	}
	return word + strconv.FormatInt(f.count, 10)
}

func (f *fetchRun) close() {}
