package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/types"
)

// Function is a function that a user made, in language sql. A *Function that a View gave out is shared and never changes; to change
// one, change a Clone and give it to View.UpdateFunction. Functions of one name differ in the types of their arguments.
type Function struct {
	ID     ID         `json:"id"`
	OID    types.OID  `json:"oid"`
	Schema ID         `json:"schema"`
	Name   string     `json:"name"`
	Owner  types.OID  `json:"owner"`
	Args   []Argument `json:"args,omitempty"`
	// Result is what it returns, or each row of Set if it has one column: record for several columns, void for nothing.
	Result types.OID `json:"result"`
	Set    bool      `json:"set,omitempty"`
	// Table are the columns of RETURNS TABLE; nil for any other function.
	Table []Argument `json:"table,omitempty"`

	// Body is the text of the statements, or of the expression after RETURN if Returns.
	Body    string `json:"body"`
	Returns bool   `json:"returns,omitempty"`
	// SearchPath and Uses, of Returns, are what names in Body are looked up with and the relations and types that it mentions. The
	// names of another body are looked up when it runs.
	SearchPath []string `json:"searchPath,omitempty"`
	Uses       []Use    `json:"uses,omitempty"`

	Volatility string  `json:"volatility"`       // pg_proc.provolatile: i, s or v
	Parallel   string  `json:"parallel"`         // pg_proc.proparallel: s, r or u
	Strict     bool    `json:"strict,omitempty"` // NULL if an argument is
	Leakproof  bool    `json:"leakproof,omitempty"`
	Cost       float64 `json:"cost"`
	Rows       float64 `json:"rows,omitempty"`
}

// Argument is an argument of a function, or a column of its result.
type Argument struct {
	Name    string    `json:"name,omitempty"`
	Type    types.OID `json:"type"`
	Default string    `json:"default,omitempty"` // as text; "" for none
}

// Clone copies the function, to be changed.
func (f *Function) Clone() *Function {
	c := *f
	c.Args, c.Table, c.Uses = slices.Clone(f.Args), slices.Clone(f.Table), slices.Clone(f.Uses)
	return &c
}

// ArgTypes are the types of the arguments.
func (f *Function) ArgTypes() []types.OID {
	out := make([]types.OID, len(f.Args))
	for i, a := range f.Args {
		out[i] = a.Type
	}
	return out
}

// Defaults is how many arguments, the last ones, have a default.
func (f *Function) Defaults() int {
	n := 0
	for _, a := range f.Args {
		if a.Default != "" {
			n++
		}
	}
	return n
}

// signature is what no two functions of a schema share: the name and the types of the arguments.
func (f *Function) signature() string {
	list := make([]string, len(f.Args))
	for i, a := range f.Args {
		list[i] = strconv.Itoa(int(a.Type))
	}
	return f.Name + "(" + strings.Join(list, ",") + ")"
}

// CreateFunction numbers and stores a new function. Errors: taken if there is one of the name and argument types, and those of
// waiting for a lock.
func (v *View) CreateFunction(ctx context.Context, f *Function, taken error) error {
	var err error
	if f.ID, f.OID, err = v.numbers(ctx); err != nil {
		return err
	}
	return v.add(ctx, descriptor{Function: f}, taken)
}

// UpdateFunction stores a changed Clone of old, which is the newest descriptor. Requires LockFunction.
//
// Errors: taken if a new name is, and those of waiting for a lock.
func (v *View) UpdateFunction(ctx context.Context, old, f *Function, taken error) error {
	return v.replace(ctx, descriptor{Function: old}, descriptor{Function: f}, taken)
}

// DropFunction removes a function. Requires LockFunction.
func (v *View) DropFunction(ctx context.Context, f *Function) error {
	v.touch()
	return errors.Join(v.remove(descriptor{Function: f}), v.DropComments(ctx, f.OID))
}

// LockFunction locks a function for who changes it and gives it as of after the lock. Errors: ErrNotFound, and those of waiting for a
// lock.
func (v *View) LockFunction(ctx context.Context, id ID) (*Function, error) {
	if err := v.LockTable(ctx, id, kv.TableAccessExclusive); err != nil {
		return nil, err
	}
	d, err := v.byID(ctx, id)
	if err == nil && d.Function == nil {
		err = corrupt("descriptor %d is not that of a function", id)
	}
	return d.Function, err
}

// Functions are all functions of a name in a schema that users made, in the order of their OIDs.
func (v *View) Functions(ctx context.Context, schema ID, name string) ([]*Function, error) {
	all, err := v.allFunctions(ctx)
	if err != nil {
		return nil, err
	}
	return all[functionName{schema, name}], nil
}

// functionName is what overloaded functions share.
type functionName struct {
	schema ID
	name   string
}

// cachedFunctions are the functions as of a generation.
type cachedFunctions struct {
	generation uint64
	all        map[functionName][]*Function
}

func (v *View) allFunctions(ctx context.Context) (map[functionName][]*Function, error) {
	generation := v.store.Generation()
	if c := v.store.functions.Load(); c != nil && c.generation == generation && !v.changed {
		return c.all, nil
	}
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan([]byte{keyName, byte(nameFunction)}), kv.IterOptions{Latest: true})
	if err != nil {
		return nil, fmt.Errorf("read functions: %w", err)
	}
	var ids []ID
	for it.Next() {
		e, err := decodeNameEntry(it.Value())
		if err != nil {
			return nil, errors.Join(err, it.Close())
		}
		ids = append(ids, e.id)
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return nil, err
	}
	slices.Sort(ids)
	all := map[functionName][]*Function{}
	for _, id := range ids {
		d, err := v.byID(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
			continue // dropped in between
		case err != nil:
			return nil, err
		case d.Function == nil:
			return nil, corrupt("descriptor %d is not that of a function", id)
		}
		key := functionName{d.Function.Schema, d.Function.Name}
		all[key] = append(all[key], d.Function)
	}
	if !v.changed {
		v.store.functions.Store(&cachedFunctions{generation, all})
	}
	return all, nil
}
