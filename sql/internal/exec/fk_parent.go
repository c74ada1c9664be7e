package exec

import (
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// parentKeys looks rows of a child table's foreign key up in the table that it references.
type parentKeys struct {
	env           *Env
	child, parent *catalog.Table
	fk            *catalog.ForeignKey
	index         *catalog.Index
	codec         *rowenc.KeyCodec
	// For each key column of index: the ordinals of the columns of child and parent, and their types.
	childColumns []int
	from, to     []types.Type
	values       []types.Datum
	key          []byte
	// seen are keys that were found or wait in pending, up to a number of them.
	seen    map[string]struct{}
	pending []pendingKey
	// lock: the row that is found is locked against its going.
	lock bool
}

// pendingKey is a key to look up, with the values it was made of in the order of the index.
type pendingKey struct {
	key    string
	values []types.Datum
}

// maxSeenKeys bounds parentKeys.seen.
const maxSeenKeys = 1 << 16

// newParentKeys finds the parent of a foreign key of table child, as it is now, and locks it as its readers do.
func newParentKeys(ctx context.Context, env *Env, child *catalog.Table, fk *catalog.ForeignKey) (*parentKeys, error) {
	p := &parentKeys{env: env, child: child, fk: fk, parent: child, seen: map[string]struct{}{}}
	if fk.References != child.ID {
		if err := env.View.LockTable(ctx, fk.References, kv.TableRowShare); err != nil {
			return nil, err
		}
		var err error
		if p.parent, err = env.View.TableByID(ctx, fk.References); err != nil {
			return nil, err
		}
	}
	if p.index = p.parent.Index(fk.RefIndex); p.index == nil {
		return nil, sqlerr.Internal("foreign key \"%s\" references an index that table \"%s\" lacks", fk.Name, p.parent.Name)
	}
	p.codec = rowenc.NewKeyCodec(p.parent, p.index)
	for _, k := range p.index.Keys {
		i := slices.Index(fk.RefColumns, k.Column)
		o := child.Ordinal(fk.Columns[i])
		p.childColumns = append(p.childColumns, o)
		p.from, p.to = append(p.from, child.Columns[o].Type), append(p.to, p.parent.Column(k.Column).Type)
	}
	p.values = make([]types.Datum, len(p.from))
	return p, nil
}

// nulls tells whether some or all of a row's columns of the foreign key are NULL.
func nulls(row []types.Datum, ordinals []int) (some, all bool) {
	all = true
	for _, o := range ordinals {
		if row[o].Null {
			some = true
		} else {
			all = false
		}
	}
	return some, all
}

// check looks the key of a row of the child up. Errors: 23503.
func (p *parentKeys) check(ctx context.Context, row []types.Datum) error {
	if err := p.note(row); err != nil {
		return err
	}
	return p.flush(ctx)
}

// note keeps the key of a row of the child to look it up later, unless it was seen already. Errors: 23503 where no look is
// needed.
func (p *parentKeys) note(row []types.Datum) error {
	some, all := nulls(row, p.childColumns)
	switch {
	case some && p.fk.MatchFull && !all:
		return p.violated("insert or update").WithDetail("MATCH FULL does not allow mixing of null and nonnull key values.")
	case some:
		return nil
	}
	values := make([]types.Datum, len(p.childColumns))
	for i, o := range p.childColumns {
		values[i] = row[o]
	}
	ok, err := p.makeKey(values)
	if err != nil {
		return err
	}
	if !ok {
		return p.missing(values)
	}
	if _, seen := p.seen[string(p.key)]; seen {
		return nil
	}
	k := pendingKey{string(p.key), values}
	for i := range values {
		values[i] = values[i].Clone()
	}
	p.seen[k.key] = struct{}{}
	p.pending = append(p.pending, k)
	return nil
}

// full reports whether the keys that wait should be looked up before more come, and may be: those of the table itself may
// come to be there until the statement's end.
func (p *parentKeys) full() bool { return len(p.pending) >= maxSeenKeys && p.parent != p.child }

// flush looks the keys that wait up.
func (p *parentKeys) flush(ctx context.Context) error {
	for _, k := range p.pending {
		p.key = append(p.key[:0], k.key...)
		ok, err := p.find(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return p.missing(k.values)
		}
	}
	p.pending = p.pending[:0]
	if len(p.seen) > maxSeenKeys {
		clear(p.seen)
	}
	return nil
}

// missing is the error of a key that the parent does not have.
func (p *parentKeys) missing(values []types.Datum) error {
	row := make([]types.Datum, len(p.child.Columns))
	ordinals := make([]int, len(p.fk.Columns))
	for i, o := range p.childColumns {
		row[o] = values[i]
	}
	for i, id := range p.fk.Columns {
		ordinals[i] = p.child.Ordinal(id)
	}
	names, shown := shownKey(p.env, p.child, ordinals, row)
	return p.violated("insert or update").WithDetail("Key (%s)=(%s) is not present in table \"%s\".", names, shown, p.parent.Name)
}

// makeKey makes the key of the index's entry of values of the child; false if the parent's columns cannot hold one.
func (p *parentKeys) makeKey(values []types.Datum) (bool, error) {
	for i, d := range values {
		if sameKeys(p.from[i], p.to[i]) {
			if _, inRange, _ := expr.KeyValue(d, p.from[i], p.to[i]); !inRange {
				return false, nil
			}
		} else {
			var err error
			if d, err = types.Cast(p.env.Eval.Types, d, p.from[i].Base(), p.to[i].Base(), types.CastImplicit); err != nil {
				if sqlerr.CodeOf(err) == sqlerr.NumericValueOutOfRange {
					return false, nil
				}
				return false, err
			}
		}
		p.values[i] = d
	}
	p.key = p.codec.AppendKey(p.key[:0], p.values)
	return true, nil
}

// find reports whether the parent has the key at hand, and locks its row if that is wanted.
func (p *parentKeys) find(ctx context.Context) (bool, error) {
	row, ok, err := p.lookup(ctx)
	if !ok || err != nil || !p.lock {
		return ok, err
	}
	if err := p.env.Txn.LockKey(ctx, row, kv.KeyShare, kv.Block); err != nil {
		return false, err
	}
	// It may have gone, or changed its key, before the lock was given.
	again, ok, err := p.lookup(ctx)
	if err != nil || !ok || slices.Equal(row, again) {
		return ok, err
	}
	return true, p.env.Txn.LockKey(ctx, again, kv.KeyShare, kv.Block)
}

// lookup gives the name of the parent's row that has the key.
func (p *parentKeys) lookup(ctx context.Context) (row []byte, ok bool, err error) {
	it, err := p.env.Txn.NewIter(ctx, kv.PrefixSpan(p.key), kv.IterOptions{Latest: true})
	if err != nil {
		return nil, false, err
	}
	if it.Next() {
		key := it.Key()
		row, err = p.codec.AppendRowKey(nil, key, it.Value())
		ok = err == nil
	}
	if closeErr := it.Close(); err == nil {
		err = closeErr
	}
	return row, ok, err
}

// violated is the error of the foreign key, without its detail.
func (p *parentKeys) violated(what string) *sqlerr.Error {
	return sqlerr.New(sqlerr.ForeignKeyViolation, "%s on table \"%s\" violates foreign key constraint \"%s\"", what, p.child.Name, p.fk.Name).
		WithTable(schemaName(p.env, p.child), p.child.Name).WithConstraint(p.fk.Name)
}

// shownKey is some columns of a row as the details of errors show them.
func shownKey(env *Env, t *catalog.Table, ordinals []int, row []types.Datum) (names, values string) {
	var n, v []byte
	for i, o := range ordinals {
		if i > 0 {
			n, v = append(n, ", "...), append(v, ", "...)
		}
		n = append(n, t.Columns[o].Name...)
		v = appendShown(env, v, t.Columns[o].Type, row[o])
	}
	return string(n), string(v)
}
