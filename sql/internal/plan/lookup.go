package plan

import (
	"context"
	"errors"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/sqlerr"
)

// TempPrefix begins the names of the schemas of temporary objects. A search path has that of its session, once there is one.
const TempPrefix = "pg_temp_"

// TempSchema is the session's schema of temporary objects in a search path; "" if there is none.
func TempSchema(path []string) string {
	for _, name := range path {
		if strings.HasPrefix(name, TempPrefix) {
			return name
		}
	}
	return ""
}

// LookupRelation finds what a name stands for by the search path and locks its table.
//
// Errors: 42P01, 0A000 for another database, 42501 for system tables and for schemas that the current user may not use; without
// position.
func LookupRelation(ctx context.Context, view *catalog.View, db *catalog.Database, path []string, name parse.ObjectName, mode kv.TableLock) (catalog.Relation, *catalog.Schema, error) {
	if name.Catalog != "" && name.Catalog != db.Name {
		return catalog.Relation{}, nil, sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"", name.Catalog, name.Schema, name.Name)
	}
	shown := name.Name
	if name.Schema != "" {
		shown = name.Schema + "." + name.Name
		if rel := pgcatalog.Find(name.Schema, name.Name); rel != nil {
			return catalog.Relation{}, nil, systemTableDenied(rel)
		}
		schema, err := namedSchema(path, name.Schema)
		if err != nil {
			return catalog.Relation{}, nil, err
		}
		path = []string{schema}
	}
	for _, schemaName := range path {
		schema, err := view.Schema(ctx, db.ID, schemaName)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return catalog.Relation{}, nil, err
		}
		if name.Schema != "" {
			if err := view.CheckSchema(ctx, schema, catalog.Usage); err != nil {
				return catalog.Relation{}, nil, err
			}
		} else if ok, err := view.MayUse(ctx, schema); err != nil {
			return catalog.Relation{}, nil, err
		} else if !ok {
			continue
		}
		r, err := view.Relation(ctx, schema.ID, name.Name, mode)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		return r, schema, err
	}
	if rel := pgcatalog.Find("pg_catalog", name.Name); rel != nil && name.Schema == "" {
		return catalog.Relation{}, nil, systemTableDenied(rel)
	}
	return catalog.Relation{}, nil, sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" does not exist", shown)
}

// namedSchema is the schema that a qualified name means: pg_temp is the session's own.
func namedSchema(path []string, name string) (string, error) {
	if name == "pg_temp" {
		if own := TempSchema(path); own != "" {
			return own, nil
		}
		return name, nil
	}
	if strings.HasPrefix(name, TempPrefix) && !slices.Contains(path, name) {
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "cannot access temporary tables of other sessions")
	}
	return name, nil
}
