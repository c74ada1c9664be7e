package expr

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"minidb/sql/types"
)

// factsText is what PostgreSQL 15 says about its types, casts, operators and functions; facts.sql prints it. Resolution runs
// over all of it, so that a choice among candidates, or the refusal to choose, is PostgreSQL's even where minidb has only
// some of the candidates: choosing one that it does not have is 0A000.
//
//go:embed facts.txt
var factsText string

// typeFact is a row of pg_type.
type typeFact struct {
	oid       types.OID
	name      string // pg_type.typname
	category  byte
	preferred bool
	elem      types.OID // of an array type, else 0
	kind      byte      // pg_type.typtype: b base, p pseudo, r range, m multirange
}

// castFact is a row of pg_cast.
type castFact struct {
	context    types.CastContext
	method     byte // f function, b binary coercible, i through text
	volatility Volatility
}

// proc is a row of pg_proc: a function or an aggregate.
type proc struct {
	oid        types.OID
	name       string
	args       []types.OID
	result     types.OID
	kind       byte // pg_proc.prokind: f function, a aggregate, w window function
	volatility Volatility
	strict     bool
	retset     bool
	variadic   types.OID // element type of the variadic last argument, 0 = none
	defaults   int
	argNames   []string    // that a call may use; as many as args, or none
	columns    []SetColumn // of the result, where PostgreSQL has names for them
	key        string      // names the implementation
	concat     bool        // it is text || text
	impl       impl        // zero: known to PostgreSQL, not here
	user       *Function   // that a user made it
}

// operator is a row of pg_operator.
type operator struct {
	name        string
	left, right types.OID // left is 0 for a prefix operator
	result      types.OID
	proc        *proc
	commutator  string // operator name, "" = none
	negator     string
}

// factTables is factsText as maps, with the implementations linked in.
type factTables struct {
	types     map[types.OID]*typeFact
	typeNames map[string]*typeFact
	arrays    map[types.OID]types.OID   // from the type of the elements
	elems     map[*typeFact]string      // while the text is read: the elements' types may come later
	casts     map[[2]types.OID]castFact // source, target
	procs     map[string][]*proc        // by name
	procByKey map[string]*proc
	operators map[string][]*operator // by name
}

// facts gives the tables; they are made on first use (about 3 ms) and never change.
var facts = sync.OnceValue(loadFacts)

func loadFacts() *factTables {
	f := &factTables{
		types:     make(map[types.OID]*typeFact, 320),
		typeNames: make(map[string]*typeFact, 320),
		arrays:    make(map[types.OID]types.OID, 160),
		elems:     make(map[*typeFact]string, 160),
		casts:     make(map[[2]types.OID]castFact, 256),
		procs:     make(map[string][]*proc, 2000),
		procByKey: make(map[string]*proc, 2600),
		operators: make(map[string][]*operator, 100),
	}
	var operatorLines [][]string // their functions come later in the text
	for line := range strings.Lines(factsText) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch c[0] {
		case "T":
			f.addType(c[1:])
		case "C":
			f.casts[[2]types.OID{f.oid(c[1]), f.oid(c[2])}] = castFact{castContextOf(c[3]), c[4][0], volatilityOf(c[5])}
		case "O":
			operatorLines = append(operatorLines, c[1:])
		case "P":
			f.addProc(c[1:])
		}
	}
	f.addInformationSchema()
	for t, elem := range f.elems {
		e := f.typeNames[elem]
		if e == nil {
			continue // an array of a catalog's rows
		}
		t.elem = e.oid
		if t.name == "_"+elem {
			f.arrays[t.elem] = t.oid
		}
	}
	f.elems = nil
	for _, c := range operatorLines {
		f.addOperator(c)
	}
	// PostgreSQL calls it immutable, but it counts months and days in the session's zone.
	f.procByKey["timestamptz_age"].volatility = Stable
	return f
}

// oid gives the OID of a type name in the facts; "-" is 0.
func (f *factTables) oid(name string) types.OID {
	if name == "-" {
		return 0
	}
	t := f.typeNames[name]
	if t == nil {
		panic("expr: facts name an unknown type " + name)
	}
	return t.oid
}

func (f *factTables) addType(c []string) {
	t := &typeFact{oid: mustOID(c[0]), name: c[1], category: c[2][0], preferred: c[3] == "1", kind: c[5][0]}
	if c[4] != "-" {
		f.elems[t] = c[4]
	}
	f.types[t.oid] = t
	f.typeNames[t.name] = t
}

func (f *factTables) addProc(c []string) {
	p := &proc{
		oid: mustOID(c[0]), name: c[1], args: f.oids(c[2]), result: f.oid(c[3]), kind: c[4][0],
		volatility: volatilityOf(c[5]), strict: c[6] == "1", retset: c[7] == "1", variadic: f.oid(c[8]), defaults: int(c[9][0] - '0'), key: c[10],
	}
	if c[11] != "-" {
		if names := strings.Split(c[11], ","); len(names) == len(p.args) {
			p.argNames = names
		}
	}
	if c[12] != "-" {
		for _, column := range strings.Split(c[12], ",") {
			name, typ, _ := strings.Cut(column, ":")
			p.columns = append(p.columns, SetColumn{name, types.Type{OID: f.oid(typ), Mod: -1}})
		}
	}
	if _, ok := provided[p.key]; ok {
		p.volatility = max(p.volatility, Stable) // it asks the catalog of a session
	}
	p.impl, p.concat = implementation(p.key), p.key == "textcat"
	f.procs[p.name] = append(f.procs[p.name], p)
	// Where two functions share a symbol they have the same body; operators only need one of them.
	if f.procByKey[p.key] == nil {
		f.procByKey[p.key] = p
	}
}

func (f *factTables) addOperator(c []string) {
	o := &operator{name: c[0], left: f.oid(c[1]), right: f.oid(c[2]), result: f.oid(c[3]), proc: f.procByKey[c[4]]}
	if o.proc == nil {
		panic("expr: facts name an unknown function " + c[4])
	}
	if c[5] != "-" {
		o.commutator = c[5]
	}
	if c[6] != "-" {
		o.negator = c[6]
	}
	f.operators[o.name] = append(f.operators[o.name], o)
}

func (f *factTables) oids(list string) []types.OID {
	if list == "-" {
		return nil
	}
	names := strings.Split(list, ",")
	oids := make([]types.OID, len(names))
	for i, n := range names {
		oids[i] = f.oid(n)
	}
	return oids
}

func volatilityOf(c string) Volatility {
	switch c {
	case "i":
		return Immutable
	case "s":
		return Stable
	default:
		return Volatile
	}
}

func castContextOf(c string) types.CastContext {
	switch c {
	case "i":
		return types.CastImplicit
	case "a":
		return types.CastAssignment
	default:
		return types.CastExplicit
	}
}

func mustOID(s string) types.OID {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		panic("expr: facts: " + err.Error())
	}
	return types.OID(n)
}

// category gives a type's category and whether it is the preferred type of it. Unknown types are a category of their own.
func (f *factTables) category(t types.OID) (category byte, preferred bool) {
	if tf := f.types[t]; tf != nil {
		return tf.category, tf.preferred
	}
	if typ := (types.Type{OID: t, Mod: -1}); typ.IsUser() {
		return typ.Category(), false
	}
	return categoryUserDefined, false
}
