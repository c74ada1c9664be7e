package pgcatalog

import (
	"errors"
	"slices"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// SearchOrder is a search path with pg_catalog, which comes first, but for temporary objects, where the path does not say where it comes.
func SearchOrder(path []string) []string {
	if slices.Contains(path, "pg_catalog") {
		return path
	}
	if len(path) > 0 && strings.HasPrefix(path[0], "pg_temp_") {
		return append([]string{path[0], "pg_catalog"}, path[1:]...)
	}
	return append([]string{"pg_catalog"}, path...)
}

// object is a named thing in a schema.
type object struct {
	schema, name string
}

func (o object) qualified() string {
	return parse.QuoteIdent(o.schema) + "." + parse.QuoteIdent(o.name)
}

// relationObject is the schema and name of a table or index.
func (s *Snapshot) relationObject(o types.OID) (object, bool) {
	if r, ok := s.relations[o]; ok {
		name := r.Table.Name
		if r.Index != nil {
			name = r.Index.Name
		}
		return object{s.schemaByID[r.Table.Schema].Name, name}, true
	}
	if rel := relations().byOID[o]; rel != nil {
		return object{rel.Schema, rel.Name}, true
	}
	if x, ok := systemIndexes()[o]; ok {
		return object{x.relation.Schema, x.relation.indexes[x.at].name}, true
	}
	return object{}, false
}

// findRelation finds a table or index by schema and name.
func (s *Snapshot) findRelation(schema, name string) (types.OID, bool) {
	if rel := Find(schema, name); rel != nil {
		return rel.OID, true
	}
	if schema == "pg_catalog" {
		for o, x := range systemIndexes() {
			if x.relation.indexes[x.at].name == name {
				return o, true
			}
		}
		return 0, false
	}
	for o, r := range s.relations {
		if s.schemaByID[r.Table.Schema].Name == schema && (r.Index == nil && r.Table.Name == name || r.Index != nil && r.Index.Name == name) {
			return o, true
		}
	}
	return 0, false
}

// findVisibleRelation finds a table or index by name along a search path.
func (s *Snapshot) findVisibleRelation(path []string, name string) (types.OID, bool) {
	for _, schema := range SearchOrder(path) {
		if o, ok := s.findRelation(schema, name); ok {
			return o, true
		}
	}
	return 0, false
}

// relationName is a table or index as it is written under a search path: with its schema only where its name alone stands for
// something else, or nothing.
func (s *Snapshot) relationName(path []string, o types.OID) (string, bool) {
	obj, ok := s.relationObject(o)
	if !ok {
		return "", false
	}
	if seen, ok := s.findVisibleRelation(path, obj.name); ok && seen == o {
		return parse.QuoteIdent(obj.name), true
	}
	return obj.qualified(), true
}

// schemaName is the name of a schema by OID.
func (s *Snapshot) schemaName(o types.OID) (string, bool) {
	switch o {
	case namespaceCatalog:
		return "pg_catalog", true
	case namespaceInformation:
		return "information_schema", true
	case namespaceToast:
		return "pg_toast", true
	}
	for _, schema := range s.schemas {
		if schema.OID == o {
			return schema.Name, true
		}
	}
	return "", false
}

func (s *Snapshot) findSchema(name string) (types.OID, bool) {
	for _, o := range []types.OID{namespaceCatalog, namespaceInformation, namespaceToast} {
		if n, _ := s.schemaName(o); n == name {
			return o, true
		}
	}
	for _, schema := range s.schemas {
		if schema.Name == name {
			return schema.OID, true
		}
	}
	return 0, false
}

// NameOf is the name of the object that a value of a reg type stands for; see types.Names.
func (r *Reader) NameOf(t types.Type, o types.OID) (string, bool) {
	s, err := r.snapshot()
	if err != nil {
		return "", false
	}
	path := r.env.SearchPath()
	switch t.OID {
	case types.RegClassOID:
		return s.relationName(path, o)
	case types.RegTypeOID:
		return s.typeName(path, o)
	case types.RegNamespaceOID:
		name, ok := s.schemaName(o)
		return parse.QuoteIdent(name), ok
	case types.RegRoleOID:
		name := s.roleName(o)
		return parse.QuoteIdent(name), name != ""
	case types.RegProcOID:
		return s.procName(path, o)
	case types.RegProcedureOID:
		return s.signature(path, o)
	case types.RegOperOID:
		return builtinName("pg_operator", "oprname", o)
	case types.RegCollationOID:
		name, ok := builtinName("pg_collation", "collname", o)
		return parse.QuoteIdent(name), ok
	case types.RegConfigOID:
		return builtinName("pg_ts_config", "cfgname", o)
	case types.RegDictionaryOID:
		return builtinName("pg_ts_dict", "dictname", o)
	}
	return "", false
}

// Find gives the OID of the object that a text names; see types.Names.
func (r *Reader) Find(t types.Type, written string) (types.OID, error) {
	s, err := r.snapshot()
	if err != nil {
		return 0, err
	}
	switch t.OID {
	case types.RegClassOID:
		return r.findClass(s, written)
	case types.RegTypeOID:
		return r.findType(s, written)
	case types.RegProcedureOID:
		return s.findSignature(r.env.SearchPath(), written)
	}
	parts, err := types.SplitName(written)
	if err != nil {
		return 0, err
	}
	name := parts[len(parts)-1]
	switch t.OID {
	case types.RegNamespaceOID:
		if o, ok := s.findSchema(name); ok && len(parts) == 1 {
			return o, nil
		}
		return 0, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", strings.Join(parts, "."))
	case types.RegRoleOID:
		for _, role := range s.roles() {
			if role.Name == name && len(parts) == 1 {
				return role.OID, nil
			}
		}
		return 0, sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", strings.Join(parts, "."))
	}
	if t.OID == types.RegProcOID {
		if found := s.functionsNamed(r.env.SearchPath(), parts); len(found) == 1 {
			return found[0], nil
		}
	}
	return findBuiltin(t, parts)
}

// findBuiltin finds a built-in object by name.
func findBuiltin(t types.Type, parts []string) (types.OID, error) {
	var table, column, what string
	undefined, ambiguous := sqlerr.UndefinedObject, sqlerr.AmbiguousFunction
	switch t.OID {
	case types.RegProcOID:
		table, column, what, undefined = "pg_proc", "proname", "function", sqlerr.UndefinedFunction
	case types.RegOperOID:
		table, column, what, undefined = "pg_operator", "oprname", "operator", sqlerr.UndefinedFunction
	case types.RegCollationOID:
		table, column, what = "pg_collation", "collname", "collation"
	case types.RegConfigOID:
		table, column, what = "pg_ts_config", "cfgname", "text search configuration"
	case types.RegDictionaryOID:
		table, column, what = "pg_ts_dict", "dictname", "text search dictionary"
	default:
		return 0, sqlerr.Unsupported("input of type " + t.Format())
	}
	shown := strings.Join(parts, ".")
	var found []types.OID
	if len(parts) == 1 || len(parts) == 2 && parts[0] == "pg_catalog" {
		found = builtinsNamed(table, column, parts[len(parts)-1])
	}
	switch {
	case len(found) == 0 && what == "collation":
		return 0, sqlerr.New(undefined, "collation \"%s\" for encoding \"UTF8\" does not exist", shown)
	case len(found) == 0 && undefined == sqlerr.UndefinedFunction && what == "operator":
		return 0, sqlerr.New(undefined, "operator does not exist: %s", shown)
	case len(found) == 0:
		return 0, sqlerr.New(undefined, "%s \"%s\" does not exist", what, shown)
	case len(found) > 1:
		return 0, sqlerr.New(ambiguous, "more than one %s named %s", what, quotedFunction(what, shown))
	}
	return found[0], nil
}

func quotedFunction(what, name string) string {
	if what == "operator" {
		return name
	}
	return `"` + name + `"`
}

// findClass finds the table or index that a text names.
func (r *Reader) findClass(s *Snapshot, written string) (types.OID, error) {
	parts, err := types.SplitName(written)
	if err != nil {
		return 0, err
	}
	o, ok := r.lookUpClass(s, parts)
	switch {
	case ok:
		return o, nil
	case len(parts) > 3:
		return 0, sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(parts, "."))
	case len(parts) == 3 && parts[0] != s.database.Name:
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s\"", strings.Join(parts, "."))
	}
	return 0, sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(parts[max(0, len(parts)-2):], "."))
}

func (r *Reader) lookUpClass(s *Snapshot, parts []string) (types.OID, bool) {
	switch {
	case len(parts) == 1:
		return s.findVisibleRelation(r.env.SearchPath(), parts[0])
	case len(parts) == 2 || len(parts) == 3 && parts[0] == s.database.Name:
		if i := len(parts) - 2; parts[i] == "pg_temp" {
			for _, name := range r.env.SearchPath() {
				if strings.HasPrefix(name, "pg_temp_") {
					parts[i] = name
				}
			}
		}
		return s.findRelation(parts[len(parts)-2], parts[len(parts)-1])
	}
	return 0, false
}

// schemasInPath are the schemas of the search path that exist, pg_catalog among them if implicit.
func (r *Reader) schemasInPath(implicit bool) ([]string, error) {
	s, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	path := r.env.SearchPath()
	if implicit {
		path = SearchOrder(path)
	} else if len(path) > 0 && strings.HasPrefix(path[0], "pg_temp_") {
		path = path[1:]
	}
	var out []string
	for _, name := range path {
		if _, ok := s.findSchema(name); ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// isNotFound reports whether an error says that a name stands for nothing.
func isNotFound(err error) bool {
	if errors.Is(err, catalog.ErrNotFound) {
		return true
	}
	switch sqlerr.CodeOf(err) {
	case sqlerr.UndefinedTable, sqlerr.UndefinedObject, sqlerr.UndefinedFunction, sqlerr.InvalidSchemaName:
		return true
	}
	return false
}
