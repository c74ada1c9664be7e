package exec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// writer buffers the KVs of a batch of rows and then writes them to the transaction: first what goes, then, in key order, what must be
// unique (locked, then found absent, then written), then the rest. So within a batch a row may take a key that another one gives up.
type writer struct {
	env     *Env
	table   *catalog.Table
	encoder *rowenc.Encoder
	arena   []byte
	deletes []span
	puts    []put
	uniques []put
	row     int // the row at hand
	emit    func(*rowenc.Entry) error
	virtual computer
}

// span is a piece of the arena.
type span struct{ from, to int }

// put is a KV to be written.
type put struct {
	key, value span
	rowLen     int // of the key
	row        int // in the batch
	index      *catalog.Index
}

func newWriter(env *Env, t *catalog.Table) *writer {
	w := &writer{env: env, table: t, encoder: rowenc.NewEncoder(t), virtual: computer{env: env, table: t}}
	w.emit = w.add
	return w
}

// trim gives back what a large statement needed and the next one probably does not.
func (w *writer) trim() {
	if cap(w.arena) > maxKeptBytes {
		w.arena, w.deletes, w.puts, w.uniques = nil, nil, nil, nil
	}
}

// reset begins a batch.
func (w *writer) reset() {
	w.arena, w.deletes, w.puts, w.uniques = w.arena[:0], w.deletes[:0], w.puts[:0], w.uniques[:0]
}

func (w *writer) keep(b []byte) span {
	from := len(w.arena)
	w.arena = append(w.arena, b...)
	return span{from, len(w.arena)}
}

func (w *writer) bytes(s span) []byte { return w.arena[s.from:s.to] }

// add notes a KV of the row at hand.
func (w *writer) add(e *rowenc.Entry) error {
	if e.Value == nil {
		w.deletes = append(w.deletes, w.keep(e.Key))
		return nil
	}
	p := put{key: w.keep(e.Key), value: w.keep(e.Value), rowLen: e.RowLen, row: w.row, index: e.Index}
	// A hidden row id is fresh: nobody else can have it.
	if e.Unique && !(e.Index.Primary && w.table.HasRowID()) {
		w.uniques = append(w.uniques, p)
	} else {
		w.puts = append(w.puts, p)
	}
	return nil
}

func (w *writer) insert(row int, d []types.Datum) error {
	w.row = row
	if err := w.virtual.setVirtual(d); err != nil {
		return err
	}
	return w.encoder.Insert(d, w.emit)
}

func (w *writer) update(row int, old, d []types.Datum) error {
	w.row = row
	if err := w.virtual.setVirtual(old); err != nil {
		return err
	}
	if err := w.virtual.setVirtual(d); err != nil {
		return err
	}
	return w.encoder.Update(old, d, w.emit)
}

func (w *writer) delete(old []types.Datum) error {
	if err := w.virtual.setVirtual(old); err != nil {
		return err
	}
	return w.encoder.Delete(old, w.emit)
}

// conflict is a unique key that is taken.
type conflict struct {
	row   int
	index *catalog.Index
	key   []byte // valid until the writer's next reset
}

// flush writes the batch. It returns the first row, in the order of the batch, whose unique key is taken; nil if there is none. With a
// conflict the statement has to fail.
func (w *writer) flush(ctx context.Context) (*conflict, error) {
	txn := w.env.Txn
	for _, d := range w.deletes {
		if err := txn.Del(w.bytes(d)); err != nil {
			return nil, err
		}
	}
	c, err := w.putUniques(ctx)
	if c != nil || err != nil {
		return c, err
	}
	// Ascending keys are cheap to buffer.
	slices.SortFunc(w.puts, func(a, b put) int {
		return cmp.Or(bytes.Compare(w.bytes(a.key), w.bytes(b.key)), cmp.Compare(a.key.from, b.key.from))
	})
	for i := range w.puts {
		if err := txn.Put(w.bytes(w.puts[i].key), w.bytes(w.puts[i].value)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// putUniques locks the unique keys, then writes those that are absent.
func (w *writer) putUniques(ctx context.Context) (*conflict, error) {
	switch {
	case len(w.uniques) == 0:
		return nil, nil
	case len(w.uniques) == 1 && !w.env.General:
		return w.putUnique(ctx, &w.uniques[0])
	}
	slices.SortStableFunc(w.uniques, func(a, b put) int { return bytes.Compare(w.bytes(a.key), w.bytes(b.key)) })
	for i := range w.uniques {
		p := &w.uniques[i]
		if err := w.env.Txn.LockKey(ctx, w.bytes(p.key)[:p.rowLen], kv.Update, kv.Block); err != nil {
			return nil, err
		}
	}
	// All keys are locked: from here on nobody else changes them, so that one look at the newest commits serves all.
	last := w.bytes(w.uniques[len(w.uniques)-1].key)
	it, err := w.env.Txn.NewIter(ctx, kv.Span{Start: w.bytes(w.uniques[0].key), End: kv.PrefixSpan(last).End}, kv.IterOptions{Latest: true})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var first *conflict
	for i := range w.uniques {
		p := &w.uniques[i]
		err := w.env.Txn.CPut(it, w.bytes(p.key), w.bytes(p.value), nil)
		var failed *kv.ConditionFailedError
		switch {
		case errors.As(err, &failed):
			if c := (&conflict{p.row, p.index, w.bytes(p.key)}); first == nil || c.before(w.table, first) {
				first = c
			}
		case err != nil:
			return nil, err
		}
	}
	return first, it.Close()
}

// putUnique is putUniques of a single key.
func (w *writer) putUnique(ctx context.Context, p *put) (*conflict, error) {
	if err := w.env.Txn.LockKey(ctx, w.bytes(p.key)[:p.rowLen], kv.Update, kv.Block); err != nil {
		return nil, err
	}
	ok, err := w.env.Txn.PutAbsent(ctx, w.bytes(p.key), w.bytes(p.value))
	if err != nil || ok {
		return nil, err
	}
	return &conflict{p.row, p.index, w.bytes(p.key)}, nil
}

// before is the order in which PostgreSQL would find conflicts: row by row, each in the order of its indexes.
func (c *conflict) before(t *catalog.Table, d *conflict) bool {
	if c.row != d.row {
		return c.row < d.row
	}
	all := t.AllIndexes()
	return slices.Index(all, c.index) < slices.Index(all, d.index)
}

// duplicateKey is the error for a row whose key in a unique index is taken.
func duplicateKey(env *Env, t *catalog.Table, x *catalog.Index, row []types.Datum) error {
	var names, values []byte
	for i, k := range x.Keys {
		if i > 0 {
			names, values = append(names, ", "...), append(values, ", "...)
		}
		o := t.Ordinal(k.Column)
		names = append(names, keyName(env.Eval.Types, t, &t.Columns[o])...)
		values = appendShown(env, values, t.Columns[o].Type, row[o])
	}
	err := sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", x.Name).
		WithTable(schemaName(env, t), t.Name).WithConstraint(x.Name)
	if mayShow(env, t) {
		err = err.WithDetail("Key (%s)=(%s) already exists.", names, values)
	}
	return err
}

// mayShow reports whether whom the statement acts for may see a table's rows, in errors too. PostgreSQL shows who may not the columns
// that he wrote himself.
func mayShow(env *Env, t *catalog.Table) bool {
	return env.View == nil || env.View.CheckTable(env.Eval.Ctx, t, catalog.Select) == nil
}

// appendShown appends a value as error details show it.
func appendShown(env *Env, dst []byte, t types.Type, d types.Datum) []byte {
	if d.Null {
		return append(dst, "null"...)
	}
	return types.AppendText(env.Eval.Types, dst, t, d)
}

// schemaName is the schema that errors name.
func schemaName(env *Env, t *catalog.Table) string {
	if env.schema != "" || env.View == nil {
		return env.schema
	}
	if s, err := env.View.SchemaByID(env.Eval.Ctx, t.Schema); err == nil {
		return s.Name
	}
	return ""
}

// constraints checks the rows that are about to be written.
type constraints struct {
	env    *Env
	table  *catalog.Table
	checks []plan.Check
	row    rowDatums
	stored computer
}

// check computes the generated columns of a row and tells what NOT NULL or CHECK constraint it violates, if any.
func (c *constraints) check(row []types.Datum) error {
	c.stored.env, c.stored.table = c.env, c.table
	if err := c.stored.setStored(row); err != nil {
		return err
	}
	for i := range c.table.Columns {
		col := &c.table.Columns[i]
		if col.NotNull && row[i].Null {
			return sqlerr.New(sqlerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", col.Name, c.table.Name).
				WithDetail("%s", failingRow(c.env, c.table, row)).WithTable(schemaName(c.env, c.table), c.table.Name).WithColumn(col.Name)
		}
	}
	c.row = row
	for i := range c.checks {
		d, err := c.checks[i].Expr.Eval(c.env.Eval, &c.row)
		if err != nil {
			return err
		}
		if !d.Null && !d.Bool() {
			return sqlerr.New(sqlerr.CheckViolation, "new row for relation \"%s\" violates check constraint \"%s\"", c.table.Name, c.checks[i].Name).
				WithDetail("%s", failingRow(c.env, c.table, row)).WithTable(schemaName(c.env, c.table), c.table.Name).WithConstraint(c.checks[i].Name)
		}
	}
	return nil
}

// maxShownBytes is how much of a value a failing row shows.
const maxShownBytes = 64

// failingRow is the detail of a violated constraint; none for who may not see rows.
func failingRow(env *Env, t *catalog.Table, row []types.Datum) string {
	if !mayShow(env, t) {
		return ""
	}
	out := []byte("Failing row contains (")
	for i := range t.Visible() {
		if i > 0 {
			out = append(out, ", "...)
		}
		start := len(out)
		out = appendShown(env, out, t.Columns[i].Type, row[i])
		if len(out)-start > maxShownBytes {
			out = append(clipUTF8(out[:start+maxShownBytes], start), "..."...)
		}
	}
	return string(append(out, ")."...))
}

// clipUTF8 takes the beginning of a character off the end of b, not going below start.
func clipUTF8(b []byte, start int) []byte {
	for n := len(b); n > start; n-- {
		if c := b[n-1]; c < 0x80 {
			return b[:n]
		} else if c >= 0xc0 {
			if need := utf8Length(c); len(b)-n+1 >= need {
				return b
			}
			return b[:n-1]
		}
	}
	return b
}

// utf8Length is the length of a character by its first byte.
func utf8Length(c byte) int {
	switch {
	case c >= 0xf0:
		return 4
	case c >= 0xe0:
		return 3
	}
	return 2
}

// rowDatums is a row of datums as expressions read it.
type rowDatums []types.Datum

// Datum is the value of column i.
func (r *rowDatums) Datum(i int) types.Datum { return (*r)[i] }
