package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// View is the catalog as one transaction sees it: the newest committed descriptors and the transaction's own changes, of
// all its statements, whatever its snapshot. It is as safe for concurrent use as its transaction: not.
//
// A statement that reads a table's rows must begin its snapshot (kv.Txn.NextStatement) after it looked the table up:
// an index that a transaction made in between would be empty at an older one.
type View struct {
	store   *Store
	txn     *kv.Txn
	changed bool
	dropped []ID
	// sequences are those whose lock the transaction has for nextval, by OID.
	sequences map[types.OID]*Table

	// role is who the statements act for, in a database; acting, if not nil, is the same with its memberships, as of a generation.
	role       types.OID
	inDatabase ID
	acting     *Acting
	actingAs   uint64
}

// View makes the view of a transaction. A transaction has one, from its beginning to its end.
func (s *Store) View(txn *kv.Txn) *View { return &View{store: s, txn: txn} }

// Store is the store of the view.
func (v *View) Store() *Store { return v.store }

// Txn is the transaction of the view.
func (v *View) Txn() *kv.Txn { return v.txn }

// Changed reports whether the transaction has changed the catalog: its plans are its own then.
func (v *View) Changed() bool { return v.changed }

// Committed is called after the transaction committed. It makes other sessions' cached plans see what became possible.
func (v *View) Committed() {
	if !v.changed {
		return
	}
	for _, id := range v.dropped {
		v.store.forget(id)
	}
	v.store.bump()
}

// touch is called at each change, while the locks that exclude others are held.
func (v *View) touch() {
	v.changed, v.sequences = true, nil
	v.store.bump()
}

// Relation is what a name in a schema stands for.
type Relation struct {
	Table *Table
	Index *Index // nil, or the index of Table that has the name
}

// Relation finds a table or index by name, locks its table in the given mode and returns it as of after the lock: nobody
// changes it against that lock before the transaction ends.
//
// Errors: ErrNotFound, and those of waiting for a lock.
func (v *View) Relation(ctx context.Context, schema ID, name string, mode kv.TableLock) (Relation, error) {
	e, err := v.lookup(ctx, nameRelation, schema, name)
	if err != nil {
		return Relation{}, err
	}
	for {
		if err := v.LockTable(ctx, e.id, mode); err != nil {
			return Relation{}, err
		}
		t, err := v.TableByID(ctx, e.id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return Relation{}, err
		}
		if r, ok := t.relation(schema, name); ok {
			return r, nil
		}
		// While this transaction waited for the lock the table went, or the name came to stand for another one. The lock
		// stays, as nothing gives it back.
		again, err := v.lookup(ctx, nameRelation, schema, name)
		if err != nil {
			return Relation{}, err
		}
		if again == e {
			return Relation{}, corrupt("the name %q stands for table %d, which knows nothing of it", name, e.id)
		}
		e = again
	}
}

// relation is what a name stands for if it is that of t or of an index of t. T may be nil.
func (t *Table) relation(schema ID, name string) (Relation, bool) {
	switch {
	case t == nil || t.Schema != schema:
		return Relation{}, false
	case t.Name == name:
		return Relation{Table: t}, true
	}
	x := t.IndexByName(name)
	return Relation{t, x}, x != nil
}

// HasRelation reports whether a name is taken by a table or index.
func (v *View) HasRelation(ctx context.Context, schema ID, name string) (bool, error) {
	_, err := v.lookup(ctx, nameRelation, schema, name)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// LockTable locks a table by its id.
func (v *View) LockTable(ctx context.Context, id ID, mode kv.TableLock) error {
	return v.txn.LockTable(ctx, LockKey(id), mode, kv.Block)
}

// TableByID gives the newest descriptor of a table. Who relies on it holds a lock on the table.
//
// Errors: ErrNotFound.
func (v *View) TableByID(ctx context.Context, id ID) (*Table, error) {
	raw, ok, err := v.txn.GetLatest(ctx, descriptorKey(id))
	if err != nil {
		return nil, fmt.Errorf("read table descriptor: %w", err)
	}
	if !ok {
		return nil, ErrNotFound
	}
	return v.store.decodeTable(id, raw, !v.changed)
}

// TableForChange gives the newest descriptor of a table to who is about to change it under a lock that others may hold too,
// as CREATE INDEX does under SHARE: others who change it wait to the end of the transaction. Under AccessExclusive it is
// not needed. PostgreSQL, which has a row for each index, lets them go on side by side.
//
// Errors: ErrNotFound, and those of waiting for a lock.
func (v *View) TableForChange(ctx context.Context, id ID) (*Table, error) {
	if err := v.txn.LockKey(ctx, descriptorKey(id), kv.Update, kv.Block); err != nil {
		return nil, err
	}
	return v.TableByID(ctx, id)
}

// TableAtSnapshot gives the descriptor of a table as the transaction's snapshot has it, its own changes of earlier statements included: a
// transaction that reads an old snapshot must not use an index that is not in there.
//
// Errors: ErrNotFound.
func (v *View) TableAtSnapshot(ctx context.Context, id ID) (*Table, error) {
	raw, ok, err := v.txn.Get(ctx, descriptorKey(id))
	if err != nil {
		return nil, fmt.Errorf("read table descriptor: %w", err)
	}
	if !ok {
		return nil, ErrNotFound
	}
	return v.store.decodeTable(id, raw, false)
}

// TableByOID gives the newest descriptor of the table that has an OID or an index with it.
//
// Errors: ErrNotFound.
func (v *View) TableByOID(ctx context.Context, oid types.OID) (*Table, error) {
	raw, ok, err := v.txn.GetLatest(ctx, oidKey(uint32(oid)))
	if err != nil {
		return nil, fmt.Errorf("read OID: %w", err)
	}
	if !ok {
		return nil, ErrNotFound
	}
	e, err := decodeNameEntry(raw)
	if err != nil {
		return nil, err
	}
	return v.TableByID(ctx, e.id)
}

// lookup reads the newest entry of a name.
func (v *View) lookup(ctx context.Context, kind nameKind, parent ID, name string) (nameEntry, error) {
	raw, ok, err := v.txn.GetLatest(ctx, nameKey(kind, parent, name))
	if err != nil {
		return nameEntry{}, fmt.Errorf("read name: %w", err)
	}
	if !ok {
		return nameEntry{}, ErrNotFound
	}
	return decodeNameEntry(raw)
}

// descriptor reads what a name stands for.
func (v *View) descriptor(ctx context.Context, kind nameKind, parent ID, name string) (descriptor, error) {
	e, err := v.lookup(ctx, kind, parent, name)
	if err != nil {
		return descriptor{}, err
	}
	raw, ok, err := v.txn.GetLatest(ctx, descriptorKey(e.id))
	if err != nil {
		return descriptor{}, fmt.Errorf("read descriptor: %w", err)
	}
	if !ok {
		return descriptor{}, corrupt("the name %q stands for nothing", name)
	}
	return decodeDescriptor(raw)
}

// Database finds a database by name. Errors: ErrNotFound.
func (v *View) Database(ctx context.Context, name string) (*Database, error) {
	d, err := v.descriptor(ctx, nameDatabase, 0, name)
	if err == nil && d.Database == nil {
		err = corrupt("%q is not a database", name)
	}
	return d.Database, err
}

// Schema finds a schema of a database by name. Errors: ErrNotFound.
func (v *View) Schema(ctx context.Context, database ID, name string) (*Schema, error) {
	d, err := v.descriptor(ctx, nameSchema, database, name)
	if err == nil && d.Schema == nil {
		err = corrupt("%q is not a schema", name)
	}
	return d.Schema, err
}

// Role finds a role by name. Errors: ErrNotFound.
func (v *View) Role(ctx context.Context, name string) (*Role, error) {
	d, err := v.descriptor(ctx, nameRole, 0, name)
	if err == nil && d.Role == nil {
		err = corrupt("%q is not a role", name)
	}
	return d.Role, err
}

// Contents is everything in the catalog, each kind in the order of ids.
type Contents struct {
	Databases  []*Database
	Schemas    []*Schema // of all databases
	Roles      []*Role
	Tables     []*Table // views and sequences too
	Enums      []*Enum
	Functions  []*Function
	Defaults   []*DefaultPrivileges
	Statistics map[ID]*Statistics // of the tables that were analyzed
}

// Contents reads the whole catalog, without locks: tables may change or go right after.
func (v *View) Contents(ctx context.Context) (Contents, error) {
	var c Contents
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan([]byte{keyDescriptor}), kv.IterOptions{Latest: true})
	if err != nil {
		return c, fmt.Errorf("read catalog: %w", err)
	}
	defer it.Close()
	for it.Next() {
		if t := v.store.cachedTable(it.Key(), it.Value()); t != nil {
			c.Tables = append(c.Tables, t)
			continue
		}
		d, err := decodeDescriptor(it.Value())
		if err != nil {
			return c, err
		}
		if d.Table != nil && !v.changed {
			v.store.keepTable(bytes.Clone(it.Value()), d.Table)
		}
		switch {
		case d.Database != nil:
			c.Databases = append(c.Databases, d.Database)
		case d.Schema != nil:
			c.Schemas = append(c.Schemas, d.Schema)
		case d.Role != nil:
			c.Roles = append(c.Roles, d.Role)
		case d.Table != nil:
			c.Tables = append(c.Tables, d.Table)
		case d.Enum != nil:
			c.Enums = append(c.Enums, d.Enum)
		case d.Function != nil:
			c.Functions = append(c.Functions, d.Function)
		case d.Defaults != nil:
			c.Defaults = append(c.Defaults, d.Defaults)
		default:
			return c, corrupt("a descriptor of an unknown kind")
		}
	}
	if err := it.Err(); err != nil {
		return c, err
	}
	c.Statistics, err = v.allStatistics(ctx)
	return c, err
}

// reserve takes a name in a schema for this transaction. Errors: 42P07 if it is taken.
func (v *View) reserve(ctx context.Context, schema ID, name string, e nameEntry) error {
	if err := v.reserveFree(ctx, schema, name); err != nil {
		return err
	}
	return v.txn.Put(nameKey(nameRelation, schema, name), e.encode())
}

// hasConstraint reports whether any table of a schema has a constraint of that name.
func (v *View) hasConstraint(ctx context.Context, schema ID, name string) (bool, error) {
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan(constraintPrefix(schema, name)), kv.IterOptions{Latest: true})
	if err != nil {
		return false, fmt.Errorf("read constraint name: %w", err)
	}
	found := it.Next()
	return found, it.Close()
}

// CreateTable stores a new table, as a Builder makes it, with its names, and locks it.
//
// Errors: 42P07 if its name or that of an index is taken, and those of waiting for a lock.
func (v *View) CreateTable(ctx context.Context, t *Table) error {
	if err := t.validate(); err != nil {
		return sqlerr.Internal("invalid table: %v", err)
	}
	if err := v.LockTable(ctx, t.ID, kv.TableAccessExclusive); err != nil {
		return err
	}
	if err := v.refuseType(ctx, t); err != nil {
		return err
	}
	if err := v.initialACL(ctx, t); err != nil {
		return err
	}
	v.touch()
	if err := v.reserve(ctx, t.Schema, t.Name, nameEntry{id: t.ID}); err != nil {
		return err
	}
	for _, x := range t.AllIndexes() {
		if err := v.addIndexName(ctx, t, x); err != nil {
			return err
		}
	}
	for _, name := range t.constraintNames() {
		if err := v.txn.Put(constraintKey(t.Schema, name, t.ID), []byte{1}); err != nil {
			return err
		}
	}
	return errors.Join(
		v.txn.Put(oidKey(uint32(t.OID)), nameEntry{id: t.ID}.encode()),
		v.txn.Put(descriptorKey(t.ID), descriptor{Table: t}.encode()))
}

// UpdateTable stores a changed Clone of old, which is the newest descriptor, and keeps the names of indexes and
// constraints in step. It sets the new version. Requires a lock that excludes others who rely on what changes, and
// AccessExclusive or TableForChange; for a new name or schema AccessExclusive.
//
// Errors: 42P07 if the name of a new index is taken, and those of waiting for a lock.
func (v *View) UpdateTable(ctx context.Context, old, t *Table) error {
	t.DropUnusedVirtual()
	t.Version = old.Version + 1
	if err := t.validate(); err != nil {
		return sqlerr.Internal("invalid table: %v", err)
	}
	v.touch()
	moved := old.Schema != t.Schema
	if moved || old.Name != t.Name {
		if err := v.txn.Del(nameKey(nameRelation, old.Schema, old.Name)); err != nil {
			return err
		}
		if err := v.reserve(ctx, t.Schema, t.Name, nameEntry{id: t.ID}); err != nil {
			return err
		}
	}
	for _, x := range old.AllIndexes() {
		if now := t.IndexByName(x.Name); moved || now == nil || now.ID != x.ID {
			if err := v.removeIndexName(old, x); err != nil {
				return err
			}
		}
	}
	for _, x := range t.AllIndexes() {
		if was := old.IndexByName(x.Name); moved || was == nil || was.ID != x.ID {
			if err := v.addIndexName(ctx, t, x); err != nil {
				return err
			}
		}
	}
	before, after := old.constraintNames(), t.constraintNames()
	for _, name := range before {
		if moved || !contains(after, name) {
			if err := v.txn.Del(constraintKey(old.Schema, name, t.ID)); err != nil {
				return err
			}
		}
	}
	for _, name := range after {
		if moved || !contains(before, name) {
			if err := v.txn.Put(constraintKey(t.Schema, name, t.ID), []byte{1}); err != nil {
				return err
			}
		}
	}
	return v.txn.Put(descriptorKey(t.ID), descriptor{Table: t}.encode())
}

// DropTable removes a table and its names; its rows are the caller's to drop. Requires an AccessExclusive lock.
func (v *View) DropTable(t *Table) error {
	v.touch()
	v.dropped = append(v.dropped, t.ID)
	keys := [][]byte{nameKey(nameRelation, t.Schema, t.Name), oidKey(uint32(t.OID)), descriptorKey(t.ID), statisticsKey(t.ID)}
	if t.Kind == KindSequence {
		keys = append(keys, sequenceStateKey(t))
	}
	for _, name := range t.constraintNames() {
		keys = append(keys, constraintKey(t.Schema, name, t.ID))
	}
	for _, k := range keys {
		if err := v.txn.Del(k); err != nil {
			return err
		}
	}
	for _, x := range t.AllIndexes() {
		if err := v.removeIndexName(t, x); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) addIndexName(ctx context.Context, t *Table, x *Index) error {
	if x.Name == "" {
		return nil
	}
	e := nameEntry{t.ID, x.ID}
	if err := v.reserve(ctx, t.Schema, x.Name, e); err != nil {
		return err
	}
	return v.txn.Put(oidKey(uint32(x.OID)), e.encode())
}

func (v *View) removeIndexName(t *Table, x *Index) error {
	if x.Name == "" {
		return nil
	}
	return errors.Join(v.txn.Del(nameKey(nameRelation, t.Schema, x.Name)), v.txn.Del(oidKey(uint32(x.OID))))
}

// constraintNames is the names of the table's constraints.
func (t *Table) constraintNames() []string {
	var names []string
	for i := range t.Checks {
		names = append(names, t.Checks[i].Name)
	}
	for i := range t.ForeignKeys {
		names = append(names, t.ForeignKeys[i].Name)
	}
	for _, x := range t.AllIndexes() {
		if x.ConstraintOID != 0 {
			names = append(names, x.Name)
		}
	}
	return names
}

// SchemaByID gives the newest descriptor of a schema. Errors: ErrNotFound.
func (v *View) SchemaByID(ctx context.Context, id ID) (*Schema, error) {
	d, err := v.byID(ctx, id)
	if err == nil && d.Schema == nil {
		err = corrupt("descriptor %d is not that of a schema", id)
	}
	return d.Schema, err
}

// byID gives the newest descriptor of an id. Errors: ErrNotFound.
func (v *View) byID(ctx context.Context, id ID) (descriptor, error) {
	raw, ok, err := v.txn.GetLatest(ctx, descriptorKey(id))
	if err != nil {
		return descriptor{}, fmt.Errorf("read descriptor: %w", err)
	}
	if !ok {
		return descriptor{}, ErrNotFound
	}
	return decodeDescriptor(raw)
}
