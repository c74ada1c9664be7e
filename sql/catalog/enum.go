package catalog

import (
	"context"
	"errors"
	"math"
	"slices"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Enum is an enumerated type. An *Enum that a View gave out is shared and never changes; to change one, change a Clone and
// give it to View.UpdateEnum.
type Enum struct {
	ID     ID        `json:"id"`
	OID    types.OID `json:"oid"` // even; the next one is that of the arrays of it
	Schema ID        `json:"schema"`
	Name   string    `json:"name"`
	Owner  types.OID `json:"owner"`
	Labels []Label   `json:"labels"` // in their order
}

// Label is a value of an enumerated type.
type Label struct {
	OID  types.OID `json:"oid"`
	Name string    `json:"name"`
	// Place is the value's place in the type's order, and how it is stored. It never changes.
	Place int64 `json:"place"`
}

// labelGap is how far apart the places of neighbours are that were not put between others. A label that comes between two
// takes the middle, so that in the worst of orders there is room for the 32 powers of two in it.
const labelGap = 1 << 32

// SortOrder is pg_enum.enumsortorder.
func (l Label) SortOrder() float64 { return float64(l.Place)/labelGap + 1 }

// errNoPlace says that there is no room between two labels.
var errNoPlace = errors.New("no room between the neighbouring labels")

// AddLabel puts a label at place at of the order, with a place between those of its neighbours. Errors: no room is left there.
func (e *Enum) AddLabel(at int, oid types.OID, name string) error {
	l := Label{OID: oid, Name: name}
	n := len(e.Labels)
	switch {
	case n == 0:
	case at == n:
		if l.Place = e.Labels[n-1].Place; l.Place > math.MaxInt64-labelGap {
			return errNoPlace
		}
		l.Place += labelGap
	case at == 0:
		if l.Place = e.Labels[0].Place; l.Place < math.MinInt64+labelGap {
			return errNoPlace
		}
		l.Place -= labelGap
	default:
		before, after := e.Labels[at-1].Place, e.Labels[at].Place
		l.Place = before + (after-before)/2
		if l.Place == before {
			return errNoPlace
		}
	}
	e.Labels = slices.Insert(e.Labels, at, l)
	return nil
}

// Label is the place in Labels of a name, -1 if there is none.
func (e *Enum) Label(name string) int {
	return slices.IndexFunc(e.Labels, func(l Label) bool { return l.Name == name })
}

// Clone copies the type, to be changed.
func (e *Enum) Clone() *Enum {
	c := *e
	c.Labels = slices.Clone(e.Labels)
	return &c
}

// Values are the labels as values are made of them.
func (e *Enum) Values() *types.Enum {
	labels := make([]types.EnumLabel, len(e.Labels))
	for i, l := range e.Labels {
		labels[i] = types.EnumLabel{Place: l.Place, Name: l.Name}
	}
	return types.NewEnum(labels)
}

// CreateEnum numbers and stores a new type. Errors: taken if its name is, and those of waiting for a lock.
func (v *View) CreateEnum(ctx context.Context, e *Enum, taken error) error {
	var err error
	if e.ID, err = v.store.allocateTableID(ctx); err != nil {
		return err
	}
	// An even one and the next, among any three.
	if e.OID, err = v.store.AllocateOIDs(ctx, 3); err != nil {
		return err
	}
	e.OID += e.OID & 1
	if err := v.add(ctx, descriptor{Enum: e}, taken); err != nil {
		return err
	}
	return v.txn.Put(oidKey(uint32(e.OID)), nameEntry{id: e.ID}.encode())
}

// UpdateEnum stores a changed Clone of old, which is the newest descriptor. Requires LockEnum.
//
// Errors: taken if a new name is, and those of waiting for a lock.
func (v *View) UpdateEnum(ctx context.Context, old, e *Enum, taken error) error {
	if old.Schema == e.Schema && old.Name == e.Name {
		v.touch()
		return v.txn.Put(descriptorKey(e.ID), descriptor{Enum: e}.encode())
	}
	_, name := descriptor{Enum: old}.naming()
	if err := v.txn.Del(name); err != nil {
		return err
	}
	return v.add(ctx, descriptor{Enum: e}, taken)
}

// DropEnum removes a type. Requires LockEnum.
func (v *View) DropEnum(ctx context.Context, e *Enum) error {
	v.touch()
	return errors.Join(v.remove(descriptor{Enum: e}), v.txn.Del(oidKey(uint32(e.OID))), v.DropComments(ctx, e.OID))
}

// Enum finds a type by name. Errors: ErrNotFound.
func (v *View) Enum(ctx context.Context, schema ID, name string) (*Enum, error) {
	d, err := v.descriptor(ctx, nameType, schema, name)
	if err == nil && d.Enum == nil {
		err = corrupt("%q is not a type", name)
	}
	return d.Enum, err
}

// refuseType is the error of a table or view whose row type would have the name of another type; nil if there is none.
func (v *View) refuseType(ctx context.Context, t *Table) error {
	if t.Kind == KindSequence {
		return nil
	}
	_, err := v.lookup(ctx, nameType, t.Schema, t.Name)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists", t.Name).
		WithHint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.")
}

// HasRowType reports whether a table, view or sequence gives its name to a type.
func (v *View) HasRowType(ctx context.Context, schema ID, name string) (bool, error) {
	e, err := v.lookup(ctx, nameRelation, schema, name)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && e.index == 0, err
}

// LockEnum locks a type, which many may use and one change, and gives it as of after the lock.
//
// Errors: ErrNotFound, and those of waiting for a lock.
func (v *View) LockEnum(ctx context.Context, oid types.OID, mode kv.TableLock) (*Enum, error) {
	raw, ok, err := v.txn.GetLatest(ctx, oidKey(uint32(oid)))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNotFound
	}
	entry, err := decodeNameEntry(raw)
	if err != nil {
		return nil, err
	}
	if err := v.LockTable(ctx, entry.id, mode); err != nil {
		return nil, err
	}
	d, err := v.byID(ctx, entry.id)
	if err == nil && d.Enum == nil {
		err = corrupt("descriptor %d is not that of a type", entry.id)
	}
	return d.Enum, err
}
