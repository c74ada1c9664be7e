package pgcatalog

import (
	"slices"
	"strings"
	"sync"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// systemIndex is an index of a system table: relation.indexes[at].
type systemIndex struct {
	relation *Relation
	at       int
}

var systemIndexes = sync.OnceValue(func() map[types.OID]systemIndex {
	all := map[types.OID]systemIndex{}
	for _, rel := range relations().all {
		for i := range rel.indexes {
			all[rel.indexes[i].oid] = systemIndex{rel, i}
		}
	}
	return all
})

// builtinIndex finds built-in rows by OID and by name.
type builtinIndex struct {
	byOID  map[types.OID]row
	byName map[string][]types.OID
}

var builtinIndexes = func() func(table, column string) *builtinIndex {
	var mu sync.Mutex
	done := map[string]*builtinIndex{}
	return func(table, column string) *builtinIndex {
		mu.Lock()
		defer mu.Unlock()
		x := done[table]
		if x == nil {
			x = &builtinIndex{byOID: map[types.OID]row{}, byName: map[string][]types.OID{}}
			rel := Find("pg_catalog", table)
			at, name := rel.Column("oid"), rel.Column(column)
			for _, r := range builtinRows(table) {
				o := types.OID(r[at].I)
				x.byOID[o] = r
				x.byName[r[name].Text()] = append(x.byName[r[name].Text()], o)
			}
			done[table] = x
		}
		return x
	}
}()

// builtinName is the name of a built-in object.
func builtinName(table, column string, o types.OID) (string, bool) {
	r, ok := builtinIndexes(table, column).byOID[o]
	if !ok {
		return "", false
	}
	return r[Find("pg_catalog", table).Column(column)].Text(), true
}

// builtinsNamed are the built-in objects of a name.
func builtinsNamed(table, column, name string) []types.OID {
	return builtinIndexes(table, column).byName[name]
}

// function is what is asked about of a row of pg_proc.
type function struct {
	oid      types.OID
	name     string
	kind     byte
	returns  types.OID
	set      bool
	variadic types.OID
	args     []types.OID
	all      []types.OID // with those that are results, if there are such
	modes    []byte      // of all; nil: all are arguments
	names    []string    // of all; nil: none
	defaults []string    // of the last arguments
	source   string
	language types.OID
}

// functionOf reads a row of pg_proc.
func functionOf(o types.OID, r row) *function {
	rel := Find("pg_catalog", "pg_proc")
	get := func(name string) types.Datum { return r[rel.Column(name)] }
	f := &function{
		oid: o, name: get("proname").Text(), kind: get("prokind").B[0], returns: types.OID(get("prorettype").I), set: get("proretset").Bool(),
		variadic: types.OID(get("provariadic").I), source: get("prosrc").Text(), language: types.OID(get("prolang").I),
	}
	for _, d := range get("proargtypes").Array(types.Oid).Elems {
		f.args = append(f.args, types.OID(d.I))
	}
	if d := get("proallargtypes"); !d.Null {
		for _, t := range d.Array(types.Oid).Elems {
			f.all = append(f.all, types.OID(t.I))
		}
	}
	if d := get("proargmodes"); !d.Null {
		for _, m := range d.Array(types.Char).Elems {
			f.modes = append(f.modes, m.B[0])
		}
	}
	if d := get("proargnames"); !d.Null {
		for _, n := range d.Array(types.Text).Elems {
			f.names = append(f.names, n.Text())
		}
	}
	if d := get("proargdefaults"); !d.Null {
		f.defaults = splitTopLevel(d.Text())
	}
	if f.all == nil {
		f.all = f.args
	}
	return f
}

// splitTopLevel splits a list of expressions at the commas outside of parentheses and quotes.
func splitTopLevel(list string) []string {
	var out []string
	depth, start, quoted := 0, 0, false
	for i := range len(list) {
		switch c := list[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}

// signature is a function with its argument types, as regprocedure shows it.
func (s *Snapshot) signature(path []string, o types.OID) (string, bool) {
	f, ok := s.functionByOID(o)
	if !ok {
		return "", false
	}
	name := f.name
	if u := s.userFunction(o); u != nil {
		name = s.functionName(path, u)
	}
	names := make([]string, len(f.args))
	for i, t := range f.args {
		names[i] = formatType(t, -1)
	}
	return name + "(" + strings.Join(names, ",") + ")", true
}

// findSignature finds the function that name(types) stands for.
func (s *Snapshot) findSignature(path []string, written string) (types.OID, error) {
	name, list, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(written), ")"), "(")
	if !ok {
		return 0, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected a left parenthesis")
	}
	parts, err := types.SplitName(name)
	if err != nil {
		return 0, err
	}
	var args []types.OID
	if strings.TrimSpace(list) != "" {
		for _, a := range splitTopLevel(list) {
			t, ok := types.CatalogTypeByName(a)
			if !ok {
				if t, err = types.ParseType(a); err != nil {
					return 0, err
				}
			}
			args = append(args, t.OID)
		}
	}
	for _, o := range s.functionsNamed(path, parts) {
		if f, ok := s.functionByOID(o); ok && slices.Equal(f.args, args) {
			return o, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedFunction, "function \"%s\" does not exist", written)
}
