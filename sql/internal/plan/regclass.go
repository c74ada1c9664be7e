package plan

import (
	"context"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// FindRelation finds the OID of the relation that a text names, as a value of type regclass does. It locks nothing: the
// relation may go at any time, as an OID may. Errors: 42602, 42P01, 0A000.
func FindRelation(ctx context.Context, view *catalog.View, db *catalog.Database, path []string, text string) (types.OID, error) {
	parts, err := types.SplitName(text)
	if err != nil {
		return 0, err
	}
	n := len(parts)
	switch {
	case n > 3:
		return 0, sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s", text)
	case n == 3 && parts[0] != db.Name:
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s\"", text)
	case n > 1:
		path = parts[n-2 : n-1]
	}
	for _, schemaName := range path {
		schema, err := view.Schema(ctx, db.ID, schemaName)
		if catalog.IsNotFound(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		oid, err := view.RelationOID(ctx, schema.ID, parts[n-1])
		if err == nil || !catalog.IsNotFound(err) {
			return oid, err
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(parts[max(0, n-2):], "."))
}
