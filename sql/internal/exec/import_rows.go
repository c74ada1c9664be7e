package exec

import (
	"context"
	"sync"
	"time"

	"minidb/bulk"
	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/copyfmt"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// rowPlan turns the records of an import into the KVs of a table's indexes: fields are read as their columns' types, columns without a
// field get their defaults, and NOT NULL and CHECK are checked.
type rowPlan struct {
	store     *catalog.Store
	table     *catalog.Table
	ordinals  []int // of the columns that have a field, in the order of the fields
	defaults  []expr.Expr
	checks    []plan.Check
	env       Env
	encoder   *rowenc.Encoder
	sequences *importSequences
	enumNames map[types.OID]string // of the types of columns
	parents   []*parentKeys        // of the table's foreign keys; used under the mutex of sequences
}

func (i *Import) rowPlan(ctx context.Context, view *catalog.View, t *catalog.Table) (*rowPlan, error) {
	store := view.Store()
	p := &rowPlan{store: store, table: t, env: *i.env, encoder: rowenc.NewEncoder(t), sequences: &importSequences{view: view}}
	ec := *i.env.Eval.Types
	ec.Names = nil // which is the session's, and not for other goroutines
	var err error
	if ec.Enums, p.enumNames, err = enumsOf(ctx, view, t); err != nil {
		return nil, err
	}
	ec.TxnTime, ec.StmtTime = time.Now(), time.Now()
	p.env.Eval = &expr.EvalContext{Types: &ec, Session: i.env.Eval.Session, Sequences: p.sequences}
	if p.ordinals, err = copyColumns(t, i.st.Columns, "IMPORT INTO"); err != nil {
		return nil, err
	}
	if p.defaults, err = plan.CompileDefaults(t, &ec); err != nil {
		return nil, err
	}
	for _, o := range p.ordinals {
		p.defaults[o] = nil
	}
	if p.checks, err = plan.CompileChecks(t, &ec); err != nil {
		return nil, err
	}
	return p, p.lockParents(ctx, view)
}

// enumsOf gives the labels and names of the enumerated types of a table's columns, and locks the types.
func enumsOf(ctx context.Context, view *catalog.View, t *catalog.Table) (func(types.OID) *types.Enum, map[types.OID]string, error) {
	values, names := map[types.OID]*types.Enum{}, map[types.OID]string{}
	for i := range t.Columns {
		oid, ok := t.Columns[i].Type.EnumOf()
		if !ok || values[oid] != nil {
			continue
		}
		e, err := view.LockEnum(ctx, oid, kv.TableAccessShare)
		if err != nil {
			return nil, nil, err
		}
		values[oid], names[oid] = e.Values(), parse.QuoteIdent(e.Name)
	}
	return func(oid types.OID) *types.Enum { return values[oid] }, names, nil
}

// lockParents keeps the tables that the table references as they are, so that their keys can be looked up at any time.
func (p *rowPlan) lockParents(ctx context.Context, view *catalog.View) error {
	env := p.env
	env.Txn, env.View = view.Txn(), view
	for i := range p.table.ForeignKeys {
		fk := &p.table.ForeignKeys[i]
		if fk.References == p.table.ID {
			return sqlerr.Unsupported("IMPORT INTO a table that references itself")
		}
		if err := view.LockTable(ctx, fk.References, kv.TableShare); err != nil {
			return err
		}
		keys, err := newParentKeys(ctx, &env, p.table, fk)
		if err != nil {
			return err
		}
		p.parents = append(p.parents, keys)
	}
	return nil
}

// checkParents looks a row's foreign keys up.
func (p *rowPlan) checkParents(row []types.Datum) error {
	if p.parents == nil {
		return nil
	}
	p.sequences.mu.Lock()
	defer p.sequences.mu.Unlock()
	for _, k := range p.parents {
		if err := k.check(context.Background(), row); err != nil {
			return err
		}
	}
	return nil
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
	w.virtual = computer{env: &w.env, table: p.table}
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
	virtual     computer
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
				name := p.table.Columns[o].Name
				e.Message = types.NameTypes(w.env.Eval.Types.Enums, func(oid types.OID) (string, bool) { return p.enumNames[oid], true }, e.Message)
				e.WithTable(schemaName(&w.env, p.table), p.table.Name).WithColumn(name)
				e.WithWhere("column %s: \"%s\"", name, copyfmt.Shown(rec.Fields[i]))
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
	if err := p.checkParents(w.row); err != nil {
		return err
	}
	if err := w.virtual.setVirtual(w.row); err != nil {
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

// importSequences are the sequences that defaults of an import's rows use, from several goroutines. What they give leaves no
// trace in the session.
type importSequences struct {
	mu   sync.Mutex // of view
	view *catalog.View
}

// NextValue gives a sequence's next number.
func (s *importSequences) NextValue(ec *expr.EvalContext, oid types.OID) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.view.SequenceForUse(ec.Ctx, oid)
	if err != nil {
		return 0, err
	}
	return s.view.Store().NextValue(ec.Ctx, t)
}

// CurrentValue is refused.
func (s *importSequences) CurrentValue(*expr.EvalContext, types.OID) (int64, error) {
	return 0, sqlerr.Unsupported("currval in IMPORT INTO")
}

// LastValue is refused.
func (s *importSequences) LastValue(*expr.EvalContext) (int64, error) {
	return 0, sqlerr.Unsupported("lastval in IMPORT INTO")
}

// SetValue is refused.
func (s *importSequences) SetValue(*expr.EvalContext, types.OID, int64, bool) error {
	return sqlerr.Unsupported("setval in IMPORT INTO")
}
