package exec

import (
	"context"
	"errors"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// alteration is the change of one table by one statement: its descriptor first, then one pass over the rows that does
// whatever they need, be it new entries, all entries anew, or just a look.
type alteration struct {
	*ddl
	old *catalog.Table
	t   *catalog.Table // the Clone that is being changed
	// rewrite: the rows get new KVs, under new index ids.
	rewrite bool
	// values are new values of columns, over the row as it was, by the columns' ids.
	values map[catalog.ColumnID]expr.Expr
	// fill are the indexes that are new. Unless all rows are rewritten, only they get entries.
	fill []catalog.IndexID
	// What rows must fulfil: columns that are NOT NULL now, and the names of new checks and OIDs of new foreign keys.
	notNull     []catalog.ColumnID
	newChecks   []string
	foreignKeys []types.OID
	// sequences are to be stored with the columns that they belong to.
	sequences []columnSequence
}

func (d *ddl) alteration(t *catalog.Table) *alteration {
	return &alteration{ddl: d, old: t, t: t.Clone(), values: map[catalog.ColumnID]expr.Expr{}}
}

// finish stores the descriptor and passes over the rows.
func (a *alteration) finish(ctx context.Context) error {
	if a.rewrite {
		if err := a.renumber(ctx); err != nil {
			return err
		}
	}
	if err := a.env.View.UpdateTable(ctx, a.old, a.t); err != nil {
		return err
	}
	a.dropOldSpans()
	for _, s := range a.sequences {
		s.table.Sequence.Owner = catalog.Owner{Table: a.t.ID, Column: a.t.ColumnByName(s.column).ID}
		if err := a.env.View.CreateTable(ctx, s.table); err != nil {
			return err
		}
	}
	if !a.rewrite && len(a.fill)+len(a.notNull)+len(a.newChecks)+len(a.foreignKeys) == 0 {
		return nil
	}
	return a.pass(ctx)
}

// renumber gives all indexes new ids, for new spans.
func (a *alteration) renumber(ctx context.Context) error {
	all := a.t.AllIndexes()
	first, err := a.env.View.Store().AllocateIndexIDs(ctx, a.t.ID, len(all))
	if err != nil {
		return err
	}
	for i, x := range all {
		if err := a.renumberIndex(ctx, x, first+catalog.IndexID(i)); err != nil {
			return err
		}
	}
	return nil
}

// renumberIndex gives an index of the table a new id.
func (a *alteration) renumberIndex(ctx context.Context, x *catalog.Index, id catalog.IndexID) error {
	was := x.ID
	x.ID = id
	for k := range a.t.ForeignKeys {
		if fk := &a.t.ForeignKeys[k]; fk.References == a.t.ID && fk.RefIndex == was {
			fk.RefIndex = id
		}
	}
	return a.renumberInbound(ctx, was, id)
}

// renumberInbound tells the foreign keys of other tables the new id of the index that they reference.
func (a *alteration) renumberInbound(ctx context.Context, was, now catalog.IndexID) error {
	for _, k := range a.t.Inbound {
		if k.Table == a.t.ID {
			continue
		}
		child, err := a.env.View.TableForChange(ctx, k.Table)
		if err != nil {
			return err
		}
		fk := child.ForeignKey(k.OID)
		if fk == nil || fk.RefIndex != was {
			continue
		}
		changed := child.Clone()
		changed.ForeignKey(k.OID).RefIndex = now
		if err := a.env.View.UpdateTable(ctx, child, changed); err != nil {
			return err
		}
	}
	return nil
}

// dropOldSpans gives back the space of the indexes that are gone.
func (a *alteration) dropOldSpans() {
	for _, x := range a.old.AllIndexes() {
		if a.t.Index(x.ID) == nil {
			a.env.Txn.DropSpan(rowenc.IndexSpan(a.old.ID, x.ID))
		}
	}
}

// pass reads every row as it was, makes the new one, checks it and writes its new entries.
func (a *alteration) pass(ctx context.Context) error {
	p, err := a.newPass(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	if err := a.eachRow(ctx, func(old []types.Datum) error { return p.row(ctx, old) }); err != nil {
		return err
	}
	for _, w := range p.writers {
		if err := w.finish(ctx); err != nil {
			return err
		}
	}
	return a.checkSelfReferences(ctx)
}

// eachRow calls visit with every row of the table as it was before the statement.
func (a *alteration) eachRow(ctx context.Context, visit func(row []types.Datum) error) (err error) {
	return eachRow(ctx, a.env, a.old, visit)
}

// eachRow calls visit with every row of a table, the newest ones and those the transaction wrote. The row is valid during the
// call.
func eachRow(ctx context.Context, env *Env, t *catalog.Table, visit func(row []types.Datum) error) (err error) {
	it, err := env.Txn.NewIter(ctx, rowenc.IndexSpan(t.ID, t.Primary.ID), kv.IterOptions{Latest: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	ids, ts := make([]catalog.ColumnID, len(t.Columns)), make([]types.Type, len(t.Columns))
	for i := range t.Columns {
		ids[i], ts[i] = t.Columns[i].ID, t.Columns[i].Type
	}
	decoder, batch, row := rowenc.NewDecoder(t, &t.Primary, ids), types.NewBatch(ts), make([]types.Datum, len(ids))
	flush := func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		decoder.Finish()
		for i := range batch.N {
			viewRow(batch, i, row)
			if err := visit(row); err != nil {
				return err
			}
		}
		decoder.Reset(batch)
		return nil
	}
	decoder.Reset(batch)
	for it.Next() {
		full, err := decoder.Add(it.Key(), it.Value())
		if err != nil {
			return err
		}
		if !full {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if _, err := decoder.Add(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return flush()
}

// rowPass is what an alteration does with each row.
type rowPass struct {
	*alteration
	from     []int // by new ordinal: the old one, or -1
	exprs    []expr.Expr
	new      []types.Datum
	old      rowDatums
	fresh    rowDatums
	checks   []plan.Check
	parents  []*parentKeys
	encoder  *rowenc.Encoder // nil: no entries to write
	indexes  map[catalog.IndexID]*indexWriter
	writers  []*indexWriter
	nextID   int64 // of a hidden row id that the table did not have before
	endID    int64
	newRowID bool
	computed computer
}

func (a *alteration) newPass(ctx context.Context) (*rowPass, error) {
	p := &rowPass{alteration: a, new: make([]types.Datum, len(a.t.Columns)), indexes: map[catalog.IndexID]*indexWriter{}}
	p.computed = computer{env: a.env, table: a.t}
	p.newRowID = a.t.HasRowID() && !a.old.HasRowID()
	for i := range a.t.Columns {
		id := a.t.Columns[i].ID
		p.from = append(p.from, a.old.Ordinal(id))
		p.exprs = append(p.exprs, a.values[id])
	}
	all, err := plan.CompileChecks(a.t, a.env.Eval.Types)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if slices.Contains(a.newChecks, c.Name) {
			p.checks = append(p.checks, c)
		}
	}
	for _, oid := range a.foreignKeys {
		if fk := a.t.ForeignKey(oid); fk.References != a.t.ID {
			keys, err := newParentKeys(ctx, a.env, a.t, fk)
			if err != nil {
				return nil, err
			}
			p.parents = append(p.parents, keys)
		}
	}
	var write []*catalog.Index
	for _, x := range a.t.AllIndexes() {
		if a.rewrite || slices.Contains(a.fill, x.ID) {
			w := &indexWriter{ddl: a.ddl, table: a.t, index: x, buffered: a.selfReferences()}
			p.indexes[x.ID] = w
			p.writers, write = append(p.writers, w), append(write, x)
		}
	}
	if write != nil {
		p.encoder = rowenc.NewEncoderOf(a.t, write)
	}
	return p, nil
}

func (p *rowPass) close() {
	for _, w := range p.writers {
		w.close()
	}
}

// row handles one row.
func (p *rowPass) row(ctx context.Context, old []types.Datum) error {
	p.old = old
	for o := range p.new {
		switch {
		case p.exprs[o] != nil:
			d, err := p.exprs[o].Eval(p.env.Eval, &p.old)
			if err != nil {
				return err
			}
			p.new[o] = d
		case p.from[o] >= 0:
			p.new[o] = old[p.from[o]]
		case p.newRowID && o == len(p.new)-1:
			if err := p.setRowID(ctx); err != nil {
				return err
			}
		default:
			p.new[o] = types.NullDatum
		}
	}
	if p.rewrite {
		if err := p.computed.setStored(p.new); err != nil {
			return err
		}
	}
	if err := p.check(ctx); err != nil {
		return err
	}
	if p.encoder == nil {
		return nil
	}
	if err := p.computed.setVirtual(p.new); err != nil {
		return err
	}
	return p.encoder.Insert(p.new, func(e *rowenc.Entry) error { return p.indexes[e.Index.ID].add(ctx, e) })
}

func (p *rowPass) setRowID(ctx context.Context) error {
	if p.nextID == p.endID {
		first, err := p.env.View.Store().AllocateRowIDs(ctx, p.t.ID, rowIDBlock)
		if err != nil {
			return err
		}
		p.nextID, p.endID = first, first+rowIDBlock
	}
	p.new[len(p.new)-1] = types.NewInt(p.nextID)
	p.nextID++
	return nil
}

// check looks at the new row.
func (p *rowPass) check(ctx context.Context) error {
	for _, id := range p.notNull {
		if p.new[p.t.Ordinal(id)].Null {
			name := p.t.Column(id).Name
			return sqlerr.New(sqlerr.NotNullViolation, "column \"%s\" of relation \"%s\" contains null values", name, p.t.Name).
				WithTable(schemaName(p.env, p.t), p.t.Name).WithColumn(name)
		}
	}
	p.fresh = p.new
	for i := range p.checks {
		d, err := p.checks[i].Expr.Eval(p.env.Eval, &p.fresh)
		if err != nil {
			return err
		}
		if !d.Null && !d.Bool() {
			return sqlerr.New(sqlerr.CheckViolation, "check constraint \"%s\" of relation \"%s\" is violated by some row", p.checks[i].Name, p.t.Name).
				WithTable(schemaName(p.env, p.t), p.t.Name).WithConstraint(p.checks[i].Name)
		}
	}
	for _, k := range p.parents {
		if err := k.check(ctx, p.new); err != nil {
			return err
		}
	}
	return nil
}

// selfReferences reports whether a new foreign key references the table itself.
func (a *alteration) selfReferences() bool {
	return slices.ContainsFunc(a.foreignKeys, func(oid types.OID) bool { return a.t.ForeignKey(oid).References == a.t.ID })
}

// checkSelfReferences looks at new foreign keys that reference the table itself, once its entries are there.
func (a *alteration) checkSelfReferences(ctx context.Context) error {
	for _, oid := range a.foreignKeys {
		fk := a.t.ForeignKey(oid)
		if fk.References != a.t.ID {
			continue
		}
		keys, err := newParentKeys(ctx, a.env, a.t, fk)
		if err != nil {
			return err
		}
		if err := eachRow(ctx, a.env, a.t, func(row []types.Datum) error { return keys.check(ctx, row) }); err != nil {
			return err
		}
	}
	return nil
}
