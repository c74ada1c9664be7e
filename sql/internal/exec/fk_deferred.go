package exec

import (
	"context"
	"errors"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Deferred is what the foreign keys of a transaction that are deferred have to look at when it commits. A nil one defers
// nothing.
type Deferred struct {
	events []deferredEvent
	// all and byKey are what SET CONSTRAINTS said: 'i' immediate, 'd' deferred, 0 nothing.
	all   byte
	byKey map[types.OID]byte
}

// deferredEvent is a row of the child, by its name, or keys of the parent that went.
type deferredEvent struct {
	table catalog.ID // that has the foreign key
	fk    types.OID
	row   []byte         // of the child; nil for:
	old   []types.Datum  // a row of the parent as it was
	of    *catalog.Table // the parent then
}

// Mark is how much there is to look at: for savepoints.
func (d *Deferred) Mark() int { return len(d.events) }

// RollbackTo forgets what came after a mark.
func (d *Deferred) RollbackTo(mark int) { d.events = d.events[:mark] }

// defers reports whether a foreign key is looked at when the transaction commits.
func (d *Deferred) defers(fk *catalog.ForeignKey) bool {
	if d == nil || !fk.Deferrable {
		return false
	}
	if said, ok := d.byKey[fk.OID]; ok {
		return said == 'd'
	}
	if d.all != 0 {
		return d.all == 'd'
	}
	return fk.Deferred
}

// addRow notes a row of the child.
func (d *Deferred) addRow(t *catalog.Table, fk *catalog.ForeignKey, row []types.Datum) {
	d.events = append(d.events, deferredEvent{table: t.ID, fk: fk.OID, row: rowenc.NewEncoder(t).AppendRowKey(nil, row)})
}

// addGone notes keys of the parent that went.
func (d *Deferred) addGone(parent, child *catalog.Table, fk *catalog.ForeignKey, keys []changedKey) {
	for _, k := range keys {
		d.events = append(d.events, deferredEvent{table: child.ID, fk: fk.OID, old: k.old, of: parent})
	}
}

// Run looks at everything that was deferred, or with only at those foreign keys. Errors: 23503.
func (d *Deferred) Run(ctx context.Context, env *Env, only func(fk types.OID) bool) error {
	events := d.events
	d.events = nil
	for _, e := range events {
		if only != nil && !only(e.fk) {
			d.events = append(d.events, e)
			continue
		}
		if err := e.run(ctx, env); err != nil {
			return err
		}
	}
	return nil
}

func (e *deferredEvent) run(ctx context.Context, env *Env) error {
	child, err := env.View.TableByID(ctx, e.table)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil // it went with its rows
	}
	if err != nil {
		return err
	}
	fk := child.ForeignKey(e.fk)
	if fk == nil {
		return nil
	}
	if e.row != nil {
		return e.checkRow(ctx, env, child, fk)
	}
	parent, err := env.View.TableByID(ctx, fk.References)
	if err != nil {
		return err
	}
	if parent.Version != e.of.Version && len(parent.Columns) != len(e.of.Columns) {
		parent = e.of // what was noted has the columns of then
	}
	c, err := newChildRows(ctx, env, parent, catalog.InboundKey{Table: child.ID, OID: fk.OID})
	if err != nil {
		return err
	}
	return c.refuseGone(ctx, []changedKey{{old: e.old}})
}

// checkRow looks the key of a row up if the row is still there.
func (e *deferredEvent) checkRow(ctx context.Context, env *Env, child *catalog.Table, fk *catalog.ForeignKey) error {
	row, ok, err := newNewest(env, child).read(ctx, e.row)
	if !ok || err != nil {
		return err
	}
	p, err := newParentKeys(ctx, env, child, fk)
	if err != nil {
		return err
	}
	p.lock = true
	return p.check(ctx, row)
}

// SetConstraints is SET CONSTRAINTS: keys nil is ALL. What becomes immediate is looked at now.
func (d *Deferred) SetConstraints(ctx context.Context, env *Env, keys []types.OID, deferred bool) error {
	said := byte('i')
	if deferred {
		said = 'd'
	}
	if keys == nil {
		d.all, d.byKey = said, nil
	} else {
		if d.byKey == nil {
			d.byKey = map[types.OID]byte{}
		}
		for _, k := range keys {
			d.byKey[k] = said
		}
	}
	if deferred {
		return nil
	}
	return d.Run(ctx, env, func(fk types.OID) bool { return keys == nil || slices.Contains(keys, fk) })
}

// DeferrableKeys finds the foreign keys of a name for SET CONSTRAINTS. Errors: 42704, 42809.
func DeferrableKeys(ctx context.Context, env *Env, name parse.ObjectName) ([]types.OID, error) {
	path := env.SearchPath
	if name.Schema != "" {
		path = []string{name.Schema}
	}
	contents, err := env.View.Contents(ctx)
	if err != nil {
		return nil, err
	}
	var found []types.OID
	for _, t := range contents.Tables {
		oid := constraintByName(t, name.Name)
		if oid == 0 {
			continue
		}
		schema, err := env.View.SchemaByID(ctx, t.Schema)
		if err != nil {
			return nil, err
		}
		if schema.Database != env.Database.ID || !slices.Contains(path, schema.Name) {
			continue
		}
		if fk := t.ForeignKey(oid); fk == nil || !fk.Deferrable {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "constraint \"%s\" is not deferrable", name.Name)
		}
		found = append(found, oid)
	}
	if found == nil {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" does not exist", name.Name)
	}
	return found, nil
}
