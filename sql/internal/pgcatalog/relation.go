package pgcatalog

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"minidb/sql/types"
)

// Relation is a system table or view as planners and clients see it.
type Relation struct {
	OID, TypeOID types.OID
	Schema, Name string // Schema is pg_catalog or information_schema
	Kind         byte   // pg_class.relkind: r table, v view
	Shared       bool   // the same in all databases
	Columns      []Column
	indexes      []relationIndex
}

// Column is a column of a Relation.
type Column struct {
	Name string
	Type types.Type // of its values: of a domain, the type below it
	// declared is the type that pg_attribute shows, a domain perhaps.
	declared  types.OID
	notNull   bool
	collation types.OID // 0: the type's
}

// relationIndex is an index that PostgreSQL has on a system table. Here it is for show only.
type relationIndex struct {
	oid             types.OID
	name            string
	unique, primary bool
	columns         []int16 // attnums
	classes         []types.OID
	constraint      types.OID // 0: none
}

// Column finds a column by name; -1 if there is none.
func (r *Relation) Column(name string) int {
	for i := range r.Columns {
		if r.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

//go:embed relations.txt
var relationsText string

// relationTable is relationsText as maps.
type relationTable struct {
	all    []*Relation // by schema and name
	byName map[[2]string]*Relation
	byOID  map[types.OID]*Relation
}

var relations = sync.OnceValue(loadRelations)

// Find finds a system table by schema and name; nil if there is none.
func Find(schema, name string) *Relation { return relations().byName[[2]string{schema, name}] }

func loadRelations() *relationTable {
	t := &relationTable{byName: map[[2]string]*Relation{}, byOID: map[types.OID]*Relation{}}
	domains := loadDomains()
	var r *Relation
	for line := range strings.Lines(relationsText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[0] {
		case "R":
			r = &Relation{OID: mustOID(f[1]), TypeOID: mustOID(f[2]), Schema: f[3], Name: f[4], Kind: f[5][0], Shared: f[6] == "1"}
			t.all = append(t.all, r)
			t.byName[[2]string{r.Schema, r.Name}] = r
			t.byOID[r.OID] = r
		case "C":
			r.Columns = append(r.Columns, newColumn(f, domains))
		case "I":
			r.indexes = append(r.indexes, newRelationIndex(f))
		}
	}
	return t
}

func newColumn(f []string, domains map[string]domain) Column {
	c := Column{Name: f[1], notNull: f[4] == "1", collation: mustOID(f[5])}
	if d, ok := domains[f[2]]; ok {
		c.Type, c.declared = d.base, d.oid
		return c
	}
	t, ok := types.ByName(f[2])
	if !ok {
		// Arrays of row types in pg_stats_ext and the like: nothing here makes values of them.
		t = types.Text
	}
	mod, err := strconv.Atoi(f[3])
	if err != nil {
		panic("pgcatalog: relations: " + err.Error())
	}
	c.Type, c.declared = types.Type{OID: t.OID, Mod: int32(mod)}, t.OID
	return c
}

func newRelationIndex(f []string) relationIndex {
	x := relationIndex{oid: mustOID(f[1]), name: f[2], unique: f[3] == "1", primary: f[4] == "1", constraint: mustOID(f[7])}
	for _, n := range strings.Fields(f[5]) {
		x.columns = append(x.columns, int16(mustOID(n)))
	}
	for _, n := range strings.Fields(f[6]) {
		x.classes = append(x.classes, mustOID(n))
	}
	return x
}

// domain is a domain of information_schema, the only ones there are.
type domain struct {
	oid  types.OID
	base types.Type
}

func loadDomains() map[string]domain {
	domains := map[string]domain{}
	s := builtinSection("pg_type")
	name, kind, base, mod := s.column("typname"), s.column("typtype"), s.column("typbasetype"), s.column("typtypmod")
	for _, row := range s.rows {
		if row[kind] != "d" {
			continue
		}
		m, err := strconv.Atoi(row[mod])
		if err != nil {
			panic("pgcatalog: builtin: " + err.Error())
		}
		domains[row[name]] = domain{mustOID(row[s.column("oid")]), types.Type{OID: mustOID(row[base]), Mod: int32(m)}}
	}
	return domains
}

func mustOID(s string) types.OID {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		panic("pgcatalog: " + err.Error())
	}
	return types.OID(n)
}
