package pgcatalog

import (
	"slices"
	"strconv"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

const (
	languageSQL types.OID = 14
	classProc   types.OID = 1255
)

// functions are those of this database that users made.
func (s *Snapshot) functions() []*catalog.Function {
	var out []*catalog.Function
	for _, f := range s.all.Functions {
		if s.schemaByID[f.Schema] != nil {
			out = append(out, f)
		}
	}
	return out
}

// userFunction finds a function that a user made; nil if there is none.
func (s *Snapshot) userFunction(o types.OID) *catalog.Function {
	for _, f := range s.all.Functions {
		if f.OID == o && s.schemaByID[f.Schema] != nil {
			return f
		}
	}
	return nil
}

func functionRows(s *Snapshot) []row {
	builtin := builtinRows("pg_proc")
	rows := builtin[:len(builtin):len(builtin)]
	for _, f := range s.functions() {
		rows = append(rows, s.functionRow(f))
	}
	return rows
}

// functionRow is the row of pg_proc of a function that a user made.
func (s *Snapshot) functionRow(f *catalog.Function) row {
	rel := Find("pg_catalog", "pg_proc")
	r := make(row, len(rel.Columns))
	for i := range r {
		r[i] = null
	}
	source := f.Body
	if f.Returns {
		source = ""
		r[rel.Column("prosqlbody")] = text(f.Body)
	}
	for name, d := range map[string]datum{
		"oid": oid(f.OID), "proname": text(f.Name), "pronamespace": oid(s.schemaByID[f.Schema].OID), "proowner": oid(f.Owner),
		"prolang": oid(languageSQL), "procost": float(f.Cost), "prorows": float(f.Rows), "provariadic": oid(0), "prosupport": oid(0),
		"prokind": char('f'), "prosecdef": flag(false), "proleakproof": flag(f.Leakproof), "proisstrict": flag(f.Strict), "proretset": flag(f.Set),
		"provolatile": char(f.Volatility[0]), "proparallel": char(f.Parallel[0]), "pronargs": num(len(f.Args)), "pronargdefaults": num(f.Defaults()),
		"prorettype": oid(f.Result), "proargtypes": vector(types.Oid, f.ArgTypes()), "prosrc": text(source),
	} {
		r[rel.Column(name)] = d
	}
	var names, defaults []string
	named := false
	var modes []datum
	all := f.ArgTypes()
	for _, a := range f.Args {
		names, named = append(names, a.Name), named || a.Name != ""
		modes = append(modes, char('i'))
		if a.Default != "" {
			defaults = append(defaults, argumentDefault(a))
		}
	}
	for _, c := range f.Table {
		names, named = append(names, c.Name), true
		modes, all = append(modes, char('t')), append(all, c.Type)
	}
	if f.Table != nil {
		r[rel.Column("proallargtypes")] = array(types.Oid, all)
		r[rel.Column("proargmodes")] = types.ArrayOf(types.Char, modes)
	}
	if named {
		r[rel.Column("proargnames")] = textArray(names...)
	}
	if defaults != nil {
		r[rel.Column("proargdefaults")] = text(strings.Join(defaults, ", "))
	}
	return r
}

// argumentDefault is the default of an argument as PostgreSQL writes it.
func argumentDefault(a catalog.Argument) string {
	return deparse(a.Default, false, func(b *expr.Builder, x parse.Expr) (expr.Expr, error) {
		return b.BuildDefault(x, a.Name, types.Type{OID: a.Type, Mod: -1})
	})
}

// functionByOID finds a function.
func (s *Snapshot) functionByOID(o types.OID) (*function, bool) {
	if r, ok := builtinIndexes("pg_proc", "proname").byOID[o]; ok {
		return functionOf(o, r), true
	}
	if f := s.userFunction(o); f != nil {
		return functionOf(o, s.functionRow(f)), true
	}
	return nil, false
}

// visibleFunction reports whether a call without a schema may mean a function: none that takes the same is nearer.
func (s *Snapshot) visibleFunction(path []string, f *catalog.Function) bool {
	for _, o := range builtinsNamed("pg_proc", "proname", f.Name) {
		if b, ok := s.functionByOID(o); ok && slices.Equal(b.args, f.ArgTypes()) {
			return false
		}
	}
	for _, name := range path {
		for _, o := range s.functions() {
			if o.Name == f.Name && s.schemaByID[o.Schema].Name == name && slices.Equal(o.ArgTypes(), f.ArgTypes()) {
				return o == f
			}
		}
	}
	return false
}

// functionName is a function's name, with its schema if it is needed.
func (s *Snapshot) functionName(path []string, f *catalog.Function) string {
	name := parse.QuoteIdent(f.Name)
	if s.visibleFunction(path, f) {
		return name
	}
	return parse.QuoteIdent(s.schemaByID[f.Schema].Name) + "." + name
}

// procName is a function's name without its arguments, as regproc shows it: with its schema unless it is the only one of its name.
func (s *Snapshot) procName(path []string, o types.OID) (string, bool) {
	if name, ok := builtinName("pg_proc", "proname", o); ok {
		return parse.QuoteIdent(name), true
	}
	f := s.userFunction(o)
	if f == nil {
		return "", false
	}
	if found := s.functionsNamed(path, []string{f.Name}); len(found) == 1 && found[0] == o {
		return parse.QuoteIdent(f.Name), true
	}
	return parse.QuoteIdent(s.schemaByID[f.Schema].Name) + "." + parse.QuoteIdent(f.Name), true
}

// functionsNamed are the functions of a name, with a schema or that of the search path.
func (s *Snapshot) functionsNamed(path, parts []string) []types.OID {
	var out []types.OID
	name := parts[len(parts)-1]
	if len(parts) == 1 || len(parts) == 2 && parts[0] == "pg_catalog" {
		out = append(out, builtinsNamed("pg_proc", "proname", name)...)
	}
	for _, f := range s.functions() {
		switch schema := s.schemaByID[f.Schema].Name; {
		case f.Name != name:
		case len(parts) == 1 && s.visibleFunction(path, f), len(parts) == 2 && parts[0] == schema:
			out = append(out, f.OID)
		}
	}
	return out
}

func functionIsVisible(r *Reader, s *Snapshot, args []datum) (datum, error) {
	if f := s.userFunction(oidOf(args[0])); f != nil {
		return flag(s.visibleFunction(r.env.SearchPath(), f)), nil
	}
	if _, ok := builtinName("pg_proc", "proname", oidOf(args[0])); !ok {
		return null, nil
	}
	return flag(true), nil
}

// functionDef is the statement that makes a function, of those that users made.
func functionDef(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	f := s.userFunction(oidOf(args[0]))
	if f == nil {
		return null, nil
	}
	known := functionOf(f.OID, s.functionRow(f))
	var b strings.Builder
	b.WriteString("CREATE OR REPLACE FUNCTION " + parse.QuoteIdent(s.schemaByID[f.Schema].Name) + "." + parse.QuoteIdent(f.Name) + "(" + known.arguments(true) + ")\n")
	b.WriteString(" RETURNS " + known.result() + "\n LANGUAGE sql\n")
	var options []string
	add := func(is bool, word string) {
		if is {
			options = append(options, " "+word)
		}
	}
	add(f.Volatility == "i", "IMMUTABLE")
	add(f.Volatility == "s", "STABLE")
	add(f.Parallel == "s", "PARALLEL SAFE")
	add(f.Parallel == "r", "PARALLEL RESTRICTED")
	add(f.Strict, "STRICT")
	add(f.Leakproof, "LEAKPROOF")
	add(f.Cost != 100, "COST "+strconv.FormatFloat(f.Cost, 'g', -1, 32))
	add(f.Set && f.Rows != 1000, "ROWS "+strconv.FormatFloat(f.Rows, 'g', -1, 32))
	if options != nil {
		b.WriteString(strings.Join(options, "") + "\n")
	}
	if f.Returns {
		b.WriteString("RETURN " + f.Body + "\n")
		return text(b.String()), nil
	}
	tag := "$function"
	for strings.Contains(f.Body, tag+"$") {
		tag += "x"
	}
	b.WriteString("AS " + tag + "$" + f.Body + tag + "$\n")
	return text(b.String()), nil
}

// functionBody is what follows the options of a function that has no text: RETURN.
func functionBody(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	if f := s.userFunction(oidOf(args[0])); f != nil && f.Returns {
		return text("RETURN " + f.Body), nil
	}
	return null, nil
}
