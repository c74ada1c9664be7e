package exec

import (
	"context"

	"minidb/sql/internal/copyfmt"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// CopyTo is a COPY … TO that was looked at.
type CopyTo struct {
	// Query gives the rows. It is to be planned.
	Query   parse.Stmt
	names   []string
	force   func(names []string) ([]bool, error)
	options *copyfmt.Options
}

// NewCopyTo looks at a COPY … TO: table, columns and options.
func NewCopyTo(ctx context.Context, env *Env, st *parse.CopyStmt) (*CopyTo, error) {
	c := &CopyTo{Query: st.Query}
	var written *copyOptions
	var err error
	if st.Query != nil {
		if written, c.options, err = parseCopyOptions(env, st); err != nil {
			return nil, err
		}
		c.force = func(names []string) ([]bool, error) {
			return forceColumns(nil, "FORCE_QUOTE", written.forceQuote, names)
		}
		return c, nil
	}
	t, err := copyTable(ctx, env, st)
	if err != nil {
		return nil, err
	}
	ordinals, err := copyColumns(t, st.Columns, "COPY")
	if err != nil {
		return nil, err
	}
	if written, c.options, err = parseCopyOptions(env, st); err != nil {
		return nil, err
	}
	c.force = func(names []string) ([]bool, error) { return forceColumns(t, "FORCE_QUOTE", written.forceQuote, names) }
	body := &parse.SelectClause{From: []parse.TableExpr{st.Table}}
	for _, name := range columnNames(t, ordinals) {
		body.Targets = append(body.Targets, parse.Target{Expr: &parse.ColumnRef{Parts: []string{name}}})
	}
	c.Query = &parse.SelectStmt{Body: body}
	return c, nil
}

// SetColumns tells the names of the query's columns.
func (c *CopyTo) SetColumns(names []string) (err error) {
	c.names = names
	c.options.ForceQuote, err = c.force(names)
	return err
}

// Binary reports whether the format is the binary one.
func (c *CopyTo) Binary() bool { return c.options.Format == copyfmt.Binary }

// Run hands the rows of an open operator to send, one message each, and gives their number. What send gets is valid during the call.
func (c *CopyTo) Run(ctx context.Context, env *Env, rows Operator, send func([]byte) error) (int64, error) {
	w := copyfmt.NewWriter(c.options, len(c.names))
	if h := w.Header(c.names); h != nil {
		if err := send(h); err != nil {
			return 0, err
		}
	}
	var n int64
	for {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		b, err := rows.Next(ctx)
		if err != nil {
			return 0, err
		}
		if b == nil {
			break
		}
		for r := range b.Rows() {
			c.row(env.Eval.Types, w, b, b.Row(r))
			if err := send(w.End()); err != nil {
				return 0, err
			}
		}
		n += int64(b.Rows())
	}
	if t := w.Trailer(); len(t) > 0 {
		return n, send(t)
	}
	return n, nil
}

// row formats a row. The batch may have more columns than the result.
func (c *CopyTo) row(ec *types.Context, w *copyfmt.Writer, b *types.Batch, row int) {
	w.Begin(len(c.names))
	for i := range c.names {
		col := &b.Cols[i]
		if col.IsNull(row) {
			w.Null()
			continue
		}
		w.BeginField()
		if c.Binary() {
			w.Buf = types.AppendBinary(ec, w.Buf, col.Type, col.Datum(row))
		} else {
			w.Buf = types.AppendText(ec, w.Buf, col.Type, col.Datum(row))
		}
		w.EndField(i)
	}
}
