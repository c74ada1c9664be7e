package sql

import (
	"context"
	"errors"

	"minidb/sql/catalog"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// sessionNames finds the relations that values of type regclass name, for the goroutine that runs the session's call.
type sessionNames struct{ s *Session }

func (n sessionNames) context() context.Context {
	if n.s.work.running != nil {
		return n.s.work.running
	}
	return context.Background()
}

// Find gives the OID of a relation.
func (n sessionNames) Find(t types.Type, text string) (types.OID, error) {
	if t != types.RegClass {
		return 0, sqlerr.Unsupported("type " + t.Format())
	}
	view, err := n.s.needView()
	if err != nil {
		return 0, err
	}
	return plan.FindRelation(n.context(), view, n.s.database, n.s.searchPath(), text)
}

// NameOf gives the name of a relation, with its schema if the search path does not lead to it.
func (n sessionNames) NameOf(t types.Type, oid types.OID) (string, bool) {
	if t != types.RegClass || n.s.tx.view == nil {
		return "", false
	}
	ctx, view := n.context(), n.s.tx.view
	table, err := view.TableByOID(ctx, oid)
	if err != nil {
		return "", false
	}
	name := table.Name
	for _, x := range table.AllIndexes() {
		if x.OID == oid {
			name = x.Name
		}
	}
	shown := quoteIdentifier(name)
	if found, err := plan.FindRelation(ctx, view, n.s.database, n.s.searchPath(), shown); err == nil && found == oid {
		return shown, true
	}
	schema, err := view.SchemaByID(ctx, table.Schema)
	if errors.Is(err, catalog.ErrNotFound) {
		return shown, true
	}
	if err != nil {
		return "", false
	}
	return quoteIdentifier(schema.Name) + "." + shown, true
}
