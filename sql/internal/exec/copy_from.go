package exec

import (
	"context"
	"io"
	"strconv"

	"minidb/sql/catalog"
	"minidb/sql/internal/copyfmt"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// CopyFrom is a COPY … FROM that was looked at and is ready to take rows.
type CopyFrom struct {
	table    *catalog.Table
	ordinals []int // of the columns that have a field, in the order of the fields
	names    []string
	where    expr.Expr // nil: none
	options  *copyfmt.Options
}

// NewCopyFrom looks at a COPY … FROM: table, columns, condition and options. The table is locked; the statement that reads and writes
// begins after it.
func NewCopyFrom(ctx context.Context, env *Env, p *plan.Planner, st *parse.CopyStmt) (*CopyFrom, error) {
	c := &CopyFrom{}
	var err error
	if c.table, err = copyTable(ctx, env, st); err != nil {
		return nil, err
	}
	if st.Where != nil {
		if c.where, err = p.CopyWhere(c.table, st.Where); err != nil {
			return nil, err
		}
	}
	if c.ordinals, err = copyColumns(c.table, st.Columns, "COPY"); err != nil {
		return nil, err
	}
	c.names = columnNames(c.table, c.ordinals)
	written, options, err := parseCopyOptions(env, st)
	if err != nil {
		return nil, err
	}
	if options.ForceNotNull, err = forceColumns(c.table, "FORCE_NOT_NULL", written.forceNotNull, c.names); err != nil {
		return nil, err
	}
	options.ForceNull, err = forceColumns(c.table, "FORCE_NULL", written.forceNull, c.names)
	c.options = options
	return c, err
}

// Binary reports whether the format is the binary one.
func (c *CopyFrom) Binary() bool { return c.options.Format == copyfmt.Binary }

// Columns is how many fields a row has.
func (c *CopyFrom) Columns() int { return len(c.names) }

// A batch ends at either number, as PostgreSQL's do: in it, a row that cannot be read is found before one whose key is taken.
const (
	copyBatchRows  = 1000
	copyBatchBytes = 65535
)

// Run inserts the rows of in and gives their number.
//
// Errors have the context that PostgreSQL gives them: relation, line, column and value.
func (c *CopyFrom) Run(ctx context.Context, env *Env, in io.Reader) (int64, error) {
	r := &copyIn{
		CopyFrom: c, env: env, src: copyfmt.NewSource(in, c.options, c.names), writer: newWriter(env, c.table),
		keys: newFKQueue(env, c.table), row: make(rowDatums, len(c.table.Columns)),
	}
	var err error
	if r.defaults, err = plan.CompileDefaults(c.table, env.Eval.Types); err != nil {
		return 0, err
	}
	for _, o := range c.ordinals {
		r.defaults[o] = nil
	}
	checks, err := plan.CompileChecks(c.table, env.Eval.Types)
	if err != nil {
		return 0, err
	}
	r.constraints = constraints{env: env, table: c.table, checks: checks}
	for o := range r.row {
		r.row[o] = types.NullDatum
	}
	r.writer.reset()
	for {
		more, err := r.next(ctx)
		if err != nil {
			return 0, err
		}
		if !more || len(r.lines) >= copyBatchRows || r.bytes >= copyBatchBytes {
			if err := r.flush(ctx); err != nil {
				return 0, err
			}
		}
		if !more {
			return r.rows, r.keys.finish(ctx)
		}
	}
}

// copyIn is a CopyFrom at work.
type copyIn struct {
	*CopyFrom
	env         *Env
	src         copyfmt.Source
	defaults    []expr.Expr // by ordinal, of the columns without a field
	constraints constraints
	writer      *writer
	keys        *fkQueue
	batch       [][]types.Datum // the rows, kept only for foreign keys
	row         rowDatums       // the row at hand
	nextID      int64           // of the hidden row id; there are left up to endID
	endID       int64
	lines       []int64 // of the rows of the batch
	bytes       int     // of the input of the batch
	rows        int64
}

// at gives an error its place in the input. The error itself may be shared and stays as it is.
func (r *copyIn) at(err error, where string) error {
	e, ok := sqlerr.As(err)
	if !ok || where == "" {
		return err
	}
	own := *e
	return own.WithWhere("COPY %s, %s", r.table.Name, where)
}

// next reads a row into the batch. more is false at the end of the input.
func (r *copyIn) next(ctx context.Context) (more bool, err error) {
	rec, err := r.src.Next()
	if err != nil {
		return false, r.at(err, r.src.Where())
	}
	if rec == nil {
		return false, nil
	}
	for i, o := range r.ordinals {
		if i >= len(rec.Fields) {
			return false, r.at(copyfmt.MissingField(r.names[i]), r.src.Where())
		}
		if rec.Null[i] {
			r.row[o] = types.NullDatum
			continue
		}
		if r.row[o], err = r.value(r.table.Columns[o].Type, rec.Fields[i]); err != nil {
			return false, r.at(err, r.src.WhereField(i))
		}
	}
	if err := r.insert(ctx); err != nil {
		return false, r.at(err, r.src.Where())
	}
	return true, nil
}

// value reads a field. The value may point into it.
func (r *copyIn) value(t types.Type, field []byte) (types.Datum, error) {
	if !r.Binary() {
		return types.InputShared(r.env.Eval.Types, t, field)
	}
	d, err := types.DecodeBinary(r.env.Eval.Types, t, field)
	if err == nil && t.Mod >= 0 {
		d, err = types.ApplyMod(d, t, false)
	}
	return d, err
}

// insert completes the row at hand, checks it and adds its KVs to the batch.
func (r *copyIn) insert(ctx context.Context) error {
	for o, e := range r.defaults {
		if e == nil {
			continue
		}
		var err error
		if r.row[o], err = e.Eval(r.env.Eval, noRow); err != nil {
			return err
		}
	}
	if r.where != nil {
		if ok, err := isTrue(r.env, r.where, &r.row); err != nil || !ok {
			return err
		}
	}
	if r.table.HasRowID() {
		if err := r.setRowID(ctx); err != nil {
			return err
		}
	}
	if err := r.constraints.check(r.row); err != nil {
		return err
	}
	r.lines = append(r.lines, r.src.Line())
	r.bytes += r.src.Size()
	if len(r.table.ForeignKeys) > 0 {
		row := make([]types.Datum, len(r.row))
		for i := range row {
			row[i] = r.row[i].Clone()
		}
		r.batch = append(r.batch, row)
	}
	return r.writer.insert(len(r.lines)-1, r.row)
}

// copyRowIDs is how many row ids are taken at once.
const copyRowIDs = 100

// setRowID gives the row at hand a fresh id.
func (r *copyIn) setRowID(ctx context.Context) error {
	if r.nextID == r.endID {
		first, err := r.env.View.Store().AllocateRowIDs(ctx, r.table.ID, copyRowIDs)
		if err != nil {
			return err
		}
		r.nextID, r.endID = first, first+copyRowIDs
	}
	r.row[len(r.row)-1] = types.NewInt(r.nextID)
	r.nextID++
	return nil
}

// flush writes the batch.
func (r *copyIn) flush(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c, err := r.writer.flush(ctx)
	if err != nil {
		return err
	}
	if c != nil {
		return r.at(duplicateOf(r.env, r.table, c.key), "line "+strconv.FormatInt(r.lines[c.row], 10))
	}
	if err := r.keys.insertedAll(ctx, r.batch); err != nil {
		return err
	}
	r.rows += int64(len(r.lines))
	r.batch = r.batch[:0]
	r.lines, r.bytes = r.lines[:0], 0
	r.writer.reset()
	return nil
}

// duplicateOf is the error for a key of a unique index that is taken.
func duplicateOf(env *Env, t *catalog.Table, key []byte) error {
	_, id, _, err := rowenc.DecodeIndexPrefix(key)
	if err != nil {
		return err
	}
	x := t.Index(id)
	if x == nil {
		return sqlerr.Internal("duplicate key of an index that table \"%s\" lacks", t.Name)
	}
	values, err := rowenc.NewKeyCodec(t, x).Decode(key)
	if err != nil {
		return err
	}
	names, shown := keyText(env.Eval.Types, t, x, values)
	return sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", x.Name).
		WithDetail("Key (%s)=(%s) already exists.", names, shown).WithTable(schemaName(env, t), t.Name).WithConstraint(x.Name)
}
