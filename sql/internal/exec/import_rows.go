package exec

import (
	"context"
	"time"

	"minidb/bulk"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// rowPlan turns the records of an import into the KVs of a table's indexes: fields are read as their columns' types, columns without a
// field get their defaults, and NOT NULL and CHECK are checked.
type rowPlan struct {
	store    *catalog.Store
	table    *catalog.Table
	ordinals []int // of the columns that have a field, in the order of the fields
	defaults []expr.Expr
	checks   []plan.Check
	env      Env
	encoder  *rowenc.Encoder
}

func (i *Import) rowPlan(store *catalog.Store, t *catalog.Table) (*rowPlan, error) {
	p := &rowPlan{store: store, table: t, env: *i.env, encoder: rowenc.NewEncoder(t)}
	ec := *i.env.Eval.Types
	ec.TxnTime, ec.StmtTime = time.Now(), time.Now()
	p.env.Eval = &expr.EvalContext{Types: &ec, Session: i.env.Eval.Session}
	var err error
	if p.ordinals, err = i.columns(t); err != nil {
		return nil, err
	}
	if p.defaults, err = plan.CompileDefaults(t, &ec); err != nil {
		return nil, err
	}
	for _, o := range p.ordinals {
		p.defaults[o] = nil
	}
	p.checks, err = plan.CompileChecks(t, &ec)
	return p, err
}

// names are the columns that have a field.
func (p *rowPlan) names() []string {
	out := make([]string, len(p.ordinals))
	for i, o := range p.ordinals {
		out[i] = p.table.Columns[o].Name
	}
	return out
}

// NewWorker makes what one goroutine encodes records with.
func (p *rowPlan) NewWorker() bulk.RowWorker {
	w := &rowWorker{plan: p, env: p.env, encoder: p.encoder.Clone(), row: make([]types.Datum, len(p.table.Columns))}
	eval := *p.env.Eval
	eval.Ctx = context.Background()
	w.env.Eval = &eval
	w.constraints = constraints{env: &w.env, table: p.table, checks: p.checks}
	for o := range w.row {
		w.row[o] = types.NullDatum
	}
	w.put = func(e *rowenc.Entry) error { return w.emit(e.Key, e.Value) }
	return w
}

// rowWorker encodes records in one goroutine.
type rowWorker struct {
	plan        *rowPlan
	env         Env
	encoder     *rowenc.Encoder
	constraints constraints
	row         []types.Datum
	nextID      int64 // of the hidden row id; there are left up to endID
	endID       int64
	emit        func(key, value []byte) error
	put         func(*rowenc.Entry) error
}

// rowIDBlock is how many row ids a worker takes at once.
const rowIDBlock = 4096

// Encode turns a record into KVs.
func (w *rowWorker) Encode(rec *bulk.Record, emit func(key, value []byte) error) error {
	p := w.plan
	for i, o := range p.ordinals {
		if rec.Null[i] {
			w.row[o] = types.NullDatum
			continue
		}
		d, err := types.Input(w.env.Eval.Types, p.table.Columns[o].Type, rec.Fields[i])
		if err != nil {
			if e, ok := sqlerr.As(err); ok {
				e.WithTable(schemaName(&w.env, p.table), p.table.Name).WithColumn(p.table.Columns[o].Name)
			}
			return err
		}
		w.row[o] = d
	}
	for o, e := range p.defaults {
		if e == nil {
			continue
		}
		d, err := e.Eval(w.env.Eval, noRow)
		if err != nil {
			return err
		}
		w.row[o] = d
	}
	if p.table.HasRowID() {
		if err := w.setRowID(); err != nil {
			return err
		}
	}
	if err := w.constraints.check(w.row); err != nil {
		return err
	}
	w.emit = emit
	return w.encoder.Insert(w.row, w.put)
}

// setRowID gives the row a fresh id.
func (w *rowWorker) setRowID() error {
	if w.nextID == w.endID {
		first, err := w.plan.store.AllocateRowIDs(w.env.Eval.Ctx, w.plan.table.ID, rowIDBlock)
		if err != nil {
			return err
		}
		w.nextID, w.endID = first, first+rowIDBlock
	}
	w.row[len(w.row)-1] = types.NewInt(w.nextID)
	w.nextID++
	return nil
}
