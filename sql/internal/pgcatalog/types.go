package pgcatalog

import (
	"strconv"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// formatType is a built-in type as format_type shows it; "" if there is none of that number.
func formatType(o types.OID, mod int32) string {
	t := types.Type{OID: o, Mod: mod}
	if _, ok := types.ByOID(o); ok {
		return t.Format()
	}
	info := builtinTypes()[o]
	switch {
	case info == nil:
		return ""
	case info.category == 'A' && info.elem != 0 && info.len == -1:
		return formatType(info.elem, mod) + "[]"
	case info.namespace == namespaceInformation:
		return "information_schema." + info.name
	}
	name := parse.QuoteIdent(info.name)
	switch info.name {
	case "varbit":
		name = "bit varying"
	case "bit":
		name = "bit" // though it is a keyword
	}
	if mod >= 0 && (info.name == "bit" || info.name == "varbit") {
		return name + "(" + strconv.Itoa(int(mod)) + ")"
	}
	return name
}

// userType is a type that somebody made.
type userType struct {
	oid types.OID
	object
}

// userTypes are the row types of tables and the enumerated types.
func (s *Snapshot) userTypes() []userType {
	var out []userType
	for _, t := range s.tables {
		if t.TypeOID != 0 && t.Kind != catalog.KindSequence {
			out = append(out, userType{t.TypeOID, object{s.schemaByID[t.Schema].Name, t.Name}})
			if a, ok := s.rowArrays[t.ArrayOID]; ok {
				out = append(out, userType{t.ArrayOID, object{s.schemaByID[t.Schema].Name, a.name}})
			}
		}
	}
	for _, e := range s.enums() {
		schema := s.schemaByID[e.Schema].Name
		out = append(out, userType{e.OID, object{schema, e.Name}}, userType{e.OID + 1, object{schema, arrayName(e)}})
	}
	return out
}

// arrayName is what the type of arrays of a type is called.
func arrayName(e *catalog.Enum) string { return catalog.TruncateName("_" + e.Name) }

// typeName is a type as regtype and format_type show it.
func (s *Snapshot) typeName(path []string, o types.OID) (string, bool) {
	if name := formatType(o, -1); name != "" {
		return name, true
	}
	if elem := o - 1; s.enumByOID[elem] != nil {
		name, ok := s.typeName(path, elem)
		return name + "[]", ok
	}
	if a, ok := s.rowArrays[o]; ok {
		name, ok := s.typeName(path, a.table.TypeOID)
		return name + "[]", ok
	}
	for _, t := range s.userTypes() {
		if t.oid == o {
			if seen, ok := s.findVisibleType(path, t.name); ok && seen == o {
				return parse.QuoteIdent(t.name), true
			}
			return t.qualified(), true
		}
	}
	return "", false
}

// findUserType finds a type by schema and name.
func (s *Snapshot) findNamedType(schema, name string) (types.OID, bool) {
	namespace, ok := s.findSchema(schema)
	if !ok {
		return 0, false
	}
	for _, o := range builtinsNamed("pg_type", "typname", name) {
		if builtinTypes()[o].namespace == namespace {
			return o, true
		}
	}
	for _, t := range s.userTypes() {
		if t.schema == schema && t.name == name {
			return t.oid, true
		}
	}
	return 0, false
}

func (s *Snapshot) findVisibleType(path []string, name string) (types.OID, bool) {
	for _, schema := range SearchOrder(path) {
		if o, ok := s.findNamedType(schema, name); ok {
			return o, true
		}
	}
	return 0, false
}

// findType finds the type that a text names, which types.ParseType does not know.
func (r *Reader) findType(s *Snapshot, written string) (types.OID, error) {
	_, unknown := types.ParseType(written)
	if sqlerr.CodeOf(unknown) == sqlerr.SyntaxError {
		return 0, unknown
	}
	name, array := written, false
	for strings.HasSuffix(strings.TrimSpace(name), "[]") {
		name, array = strings.TrimSuffix(strings.TrimSpace(name), "[]"), true
	}
	parts, err := types.SplitName(name)
	if err != nil {
		return 0, unknown
	}
	if len(parts) == 3 && parts[0] == s.database.Name {
		parts = parts[1:]
	}
	var o types.OID
	var ok bool
	switch len(parts) {
	case 1:
		o, ok = s.findVisibleType(r.env.SearchPath(), parts[0])
	case 2:
		o, ok = s.findNamedType(parts[0], parts[1])
	}
	if !ok {
		return 0, sqlerr.New(sqlerr.UndefinedObject, "type \"%s\" does not exist", name)
	}
	if !array {
		return o, nil
	}
	if s.enumByOID[o] != nil {
		return o + 1, nil
	}
	for of, a := range s.rowArrays {
		if a.table.TypeOID == o {
			return of, nil
		}
	}
	return o, nil
}
