package catalog

import (
	"context"
	"encoding/binary"
	"errors"

	"minidb/kv"
	"minidb/sql/types"
)

// Query is what makes a relation a view.
type Query struct {
	// Text is the query, with every * written out.
	Text string `json:"text"`
	// SearchPath is what names in Text are looked up with.
	SearchPath []string `json:"searchPath"`
	// Uses are the relations and types the query mentions, directly.
	Uses []Use `json:"uses,omitempty"`
}

// Use is something that a view depends on.
type Use struct {
	OID     types.OID  `json:"oid"`
	Columns []ColumnID `json:"columns,omitempty"` // of the relation
}

// DropSchema removes a schema, which is empty.
func (v *View) DropSchema(ctx context.Context, s *Schema) error {
	v.touch()
	return errors.Join(v.remove(descriptor{Schema: s}), v.DropComments(ctx, s.OID))
}

// remove takes an object and its name out of the catalog.
func (v *View) remove(d descriptor) error {
	id, name := d.naming()
	return errors.Join(v.txn.Del(name), v.txn.Del(descriptorKey(id)))
}

// add stores an object under a name that nobody has. Errors: taken, and those of waiting for a lock.
func (v *View) add(ctx context.Context, d descriptor, taken error) error {
	id, name := d.naming()
	if err := v.txn.LockKey(ctx, name, kv.Update, kv.Block); err != nil {
		return err
	}
	_, used, err := v.txn.GetLatest(ctx, name)
	switch {
	case err != nil:
		return err
	case used:
		return taken
	}
	v.touch()
	return errors.Join(v.txn.Put(name, nameEntry{id: id}.encode()), v.txn.Put(descriptorKey(id), d.encode()))
}

// commentPrefix begins the keys of the comments on an object and its parts.
func commentPrefix(oid types.OID) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyComment}, uint32(oid))
}

// SetComment sets the comment on an object, or on a column of it; "" removes it. The object is locked.
func (v *View) SetComment(oid types.OID, column ColumnID, text string) error {
	v.touch()
	k := binary.BigEndian.AppendUint16(commentPrefix(oid), uint16(column))
	if text == "" {
		return v.txn.Del(k)
	}
	return v.txn.Put(k, []byte(text))
}

// Comment is the comment on an object, or on a column of it; ok is false if there is none.
func (v *View) Comment(ctx context.Context, oid types.OID, column ColumnID) (text string, ok bool, err error) {
	raw, ok, err := v.txn.GetLatest(ctx, binary.BigEndian.AppendUint16(commentPrefix(oid), uint16(column)))
	return string(raw), ok, err
}

// CommentEntry is a comment.
type CommentEntry struct {
	OID    types.OID
	Column ColumnID
	Text   string
}

// Comments are all comments there are.
func (v *View) Comments(ctx context.Context) ([]CommentEntry, error) {
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan([]byte{keyComment}), kv.IterOptions{Latest: true})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var out []CommentEntry
	for it.Next() {
		k := it.Key()
		if len(k) != 7 {
			return nil, corrupt("a comment's key has %d bytes", len(k))
		}
		out = append(out, CommentEntry{types.OID(binary.BigEndian.Uint32(k[1:])), ColumnID(binary.BigEndian.Uint16(k[5:])), string(it.Value())})
	}
	return out, it.Err()
}

// DropComments removes the comments on an object and its parts.
func (v *View) DropComments(ctx context.Context, oid types.OID) error {
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan(commentPrefix(oid)), kv.IterOptions{Latest: true})
	if err != nil {
		return err
	}
	var keys [][]byte
	for it.Next() {
		keys = append(keys, append([]byte(nil), it.Key()...))
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return err
	}
	for _, k := range keys {
		if err := v.txn.Del(k); err != nil {
			return err
		}
	}
	return nil
}

// CreateSchema numbers and stores a new schema. Errors: taken if its name is, and those of waiting for a lock.
func (v *View) CreateSchema(ctx context.Context, s *Schema, taken error) error {
	var err error
	if s.ID, err = v.store.allocateTableID(ctx); err != nil {
		return err
	}
	if s.OID, err = v.store.AllocateOIDs(ctx, 1); err != nil {
		return err
	}
	if s.ACL, err = v.initial(ctx, ClassSchema, s.Owner, 0); err != nil {
		return err
	}
	return v.add(ctx, descriptor{Schema: s}, taken)
}

// CreateView numbers and stores a new view, of which the rest is set. Errors: as CreateTable.
func (v *View) CreateView(ctx context.Context, t *Table) error {
	t.Version = 1
	if err := v.number(ctx, t); err != nil {
		return err
	}
	return v.CreateTable(ctx, t)
}
