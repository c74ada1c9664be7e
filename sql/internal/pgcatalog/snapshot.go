package pgcatalog

import (
	"slices"
	"sync"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// OIDs of what is built in and named in many places.
const (
	namespaceCatalog     types.OID = 11
	namespaceToast       types.OID = 99
	namespaceInformation types.OID = 13207
	publicOID            types.OID = 2200
	superuserOID         types.OID = 10
	databaseOwnerOID     types.OID = 6171 // role pg_database_owner
	defaultTablespace    types.OID = 1663

	classType        types.OID = 1247 // of pg_type in pg_class, and so on
	classRelation    types.OID = 1259
	classAuthID      types.OID = 1260
	classDatabase    types.OID = 1262
	classNamespace   types.OID = 2615
	classConstraint  types.OID = 2606
	classAttrDefault types.OID = 2604
)

// Snapshot is the descriptors of one database at one moment and the rows made from them, which are made when they are first
// asked for. It never changes and may be used by several sessions at the same time.
type Snapshot struct {
	generation uint64
	database   *catalog.Database
	all        catalog.Contents // with those of other databases
	schemas    []*catalog.Schema
	tables     []*catalog.Table
	schemaByID map[catalog.ID]*catalog.Schema
	tableByID  map[catalog.ID]*catalog.Table
	relations  map[types.OID]catalog.Relation // tables and indexes
	enumByOID  map[types.OID]*types.Enum      // of this database
	rowArrays  map[types.OID]rowArray         // the types of arrays of tables' rows

	said         []catalog.CommentEntry
	commentsOnce sync.Once
	commentMap   map[comment]string

	mu      sync.Mutex
	rows    map[*Relation][]row
	lookups map[lookup]map[string][]row
}

// lookup names the rows of a relation by the values of a column.
type lookup struct {
	relation *Relation
	column   int
}

func newSnapshot(generation uint64, database *catalog.Database, all catalog.Contents, comments []catalog.CommentEntry) *Snapshot {
	s := &Snapshot{
		generation: generation, database: database, all: all, said: comments,
		schemaByID: map[catalog.ID]*catalog.Schema{}, tableByID: map[catalog.ID]*catalog.Table{},
		relations: map[types.OID]catalog.Relation{}, enumByOID: map[types.OID]*types.Enum{}, rows: map[*Relation][]row{}, lookups: map[lookup]map[string][]row{},
	}
	for _, schema := range all.Schemas {
		if schema.Database == database.ID {
			s.schemas = append(s.schemas, schema)
			s.schemaByID[schema.ID] = schema
		}
	}
	for _, e := range s.enums() {
		s.enumByOID[e.OID] = e.Values()
	}
	for _, t := range all.Tables {
		if s.schemaByID[t.Schema] == nil {
			continue
		}
		s.tables = append(s.tables, t)
		s.tableByID[t.ID] = t
		s.relations[t.OID] = catalog.Relation{Table: t}
		for _, x := range namedIndexes(t) {
			s.relations[x.OID] = catalog.Relation{Table: t, Index: x}
		}
	}
	s.nameRowArrays()
	return s
}

// rowArray is the type of arrays of a table's rows.
type rowArray struct {
	table *catalog.Table
	name  string
}

// nameRowArrays names those types: the table's name after as many underscores as make it unlike the name of another type.
func (s *Snapshot) nameRowArrays() {
	s.rowArrays = map[types.OID]rowArray{}
	type typeName struct {
		schema catalog.ID
		name   string
	}
	taken := map[typeName]bool{}
	for _, t := range s.tables {
		taken[typeName{t.Schema, t.Name}] = t.ArrayOID != 0
	}
	for _, e := range s.enums() {
		taken[typeName{e.Schema, e.Name}] = true
		taken[typeName{e.Schema, arrayName(e)}] = true
	}
	for _, t := range s.tables {
		if t.ArrayOID == 0 {
			continue
		}
		n := typeName{t.Schema, catalog.TruncateName("_" + t.Name)}
		for taken[n] {
			n.name = catalog.TruncateName("_" + n.name)
		}
		taken[n] = true
		s.rowArrays[t.ArrayOID] = rowArray{t, n.name}
	}
}

// namedIndexes are the indexes that clients see: not the primary index of a table without a primary key.
func namedIndexes(t *catalog.Table) []*catalog.Index {
	return slices.DeleteFunc(t.AllIndexes(), func(x *catalog.Index) bool { return x.Name == "" })
}

// namespace is the OID of a table's schema.
func (s *Snapshot) namespace(t *catalog.Table) types.OID { return s.schemaByID[t.Schema].OID }

// rowsOf gives the rows of a relation that depends on nothing but the descriptors.
func (s *Snapshot) rowsOf(rel *Relation, make func(*Snapshot) []row) []row {
	s.mu.Lock()
	rows, ok := s.rows[rel]
	s.mu.Unlock()
	if ok {
		return rows
	}
	// Made without the lock, since rows of one table may be made from those of another. Twice is harmless.
	rows = make(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[rel] = rows
	return rows
}

// lookupRows gives the rows that have one of the values in a column.
func (s *Snapshot) lookupRows(k lookup, rows []row, values []types.Datum) []row {
	t := k.relation.Columns[k.column].Type
	s.mu.Lock()
	index := s.lookups[k]
	if index == nil {
		index = make(map[string][]row, len(rows))
		var key []byte
		for _, r := range rows {
			if d := r[k.column]; !d.Null {
				key = types.AppendKey(key[:0], t, d)
				index[string(key)] = append(index[string(key)], r)
			}
		}
		s.lookups[k] = index
	}
	s.mu.Unlock()
	if len(values) == 1 {
		return index[string(types.AppendKey(nil, t, values[0]))]
	}
	var out []row
	seen := map[string]bool{}
	for _, v := range values {
		key := string(types.AppendKey(nil, t, v))
		if !seen[key] {
			seen[key] = true
			out = append(out, index[key]...)
		}
	}
	return out
}
