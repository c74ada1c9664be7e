package catalog

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"minidb/kv"
	"minidb/sql/types"
)

// FirstOID is the first OID that is handed out; lower ones are built in, with PostgreSQL's numbers.
const FirstOID types.OID = 16384

// ErrNotFound says that there is nothing of the name, id or OID. The caller knows how to word it.
var ErrNotFound = errors.New("not found")

// formatVersion is that of the catalog's keys and values.
const formatVersion = 1

// rowIDBlock is how many row ids are taken from their counter at once. What is left of a block is lost at a stop.
const rowIDBlock = 4096

// Store is the catalog of a server. All methods may be called concurrently. What is in it is read and changed through a
// View of a transaction.
type Store struct {
	db         *kv.DB
	generation atomic.Uint64
	roles      atomic.Pointer[cachedRoles]
	functions  atomic.Pointer[cachedFunctions]

	mu         sync.Mutex
	tables     map[ID]cachedTable
	statistics map[ID]cachedStatistics
	rows       map[ID]*rowBlock
	seqs       map[sequenceKey]*sequenceState
	used       map[types.OID]usedSequence // by nextval and its kin
}

// cachedTable is a decoded descriptor with the bytes it was decoded from.
type cachedTable struct {
	raw   []byte
	table *Table
}

// rowBlock is what is left of a table's last block of row ids.
type rowBlock struct {
	mu        sync.Mutex
	next, end int64
}

// Open finds the catalog in db and makes it on the first start: databases postgres, template1 and template0, each with
// a schema public, and a superuser of the given name.
func Open(ctx context.Context, db *kv.DB, superuser string) (*Store, error) {
	s := &Store{
		db: db, tables: map[ID]cachedTable{}, statistics: map[ID]cachedStatistics{}, rows: map[ID]*rowBlock{},
		seqs: map[sequenceKey]*sequenceState{}, used: map[types.OID]usedSequence{},
	}
	txn, err := db.Begin(kv.TxnOptions{})
	if err != nil {
		return nil, fmt.Errorf("open catalog: %w", err)
	}
	defer txn.Rollback()
	raw, ok, err := txn.GetLatest(ctx, metaKey("format"))
	if err != nil {
		return nil, fmt.Errorf("open catalog: %w", err)
	}
	if ok {
		var m formatMeta
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, corrupt("its format is not JSON: %v", err)
		}
		if m.Format != formatVersion {
			return nil, fmt.Errorf("open catalog: format %d is not known to this version of minidb", m.Format)
		}
		return s, nil
	}
	if err := bootstrap(txn, superuser); err != nil {
		return nil, fmt.Errorf("make catalog: %w", err)
	}
	if err := txn.Commit(ctx); err != nil {
		return nil, fmt.Errorf("make catalog: %w", err)
	}
	return s, nil
}

// formatMeta is the value of the meta key "format".
type formatMeta struct {
	Format int `json:"format"`
}

// Ids of what the bootstrap makes.
const (
	idPostgres, idTemplate1, idTemplate0            ID        = 1, 2, 3
	idPublic, idTemplate1Public, idTemplate0Public  ID        = 4, 5, 6
	idSuperuser                                     ID        = 7
	superuserOID, publicOID                         types.OID = 10, 2200
	databaseOwnerOID                                types.OID = 6171 // role pg_database_owner, which is built in
	databasePostgresOID, template1OID, template0OID types.OID = 5, 1, 4
)

// PublicSchema is the id of schema public of database postgres.
const PublicSchema = idPublic

func bootstrap(txn *kv.Txn, superuser string) error {
	var d [7]descriptor
	for i, db := range []Database{
		{ID: idPostgres, OID: databasePostgresOID, Name: "postgres", AllowConns: true},
		{ID: idTemplate1, OID: template1OID, Name: "template1", AllowConns: true, Template: true},
		{ID: idTemplate0, OID: template0OID, Name: "template0", Template: true},
	} {
		db.Owner = superuserOID
		d[i].Database = &db
		d[3+i].Schema = &Schema{ID: idPublic + ID(i), OID: publicOID, Database: db.ID, Name: "public", Owner: databaseOwnerOID}
	}
	d[6].Role = &Role{
		ID: idSuperuser, OID: superuserOID, Name: superuser, Superuser: true, Login: true, CreateRole: true, CreateDB: true, Replication: true, BypassRLS: true,
	}
	for i := range d {
		id, name := d[i].naming()
		if err := errors.Join(txn.Put(descriptorKey(id), d[i].encode()), txn.Put(name, nameEntry{id: id}.encode())); err != nil {
			return err
		}
	}
	format, err := json.Marshal(formatMeta{formatVersion})
	if err != nil {
		return err
	}
	return txn.Put(metaKey("format"), format)
}

// naming is the id and the name's key of a descriptor.
func (d descriptor) naming() (ID, []byte) {
	switch {
	case d.Database != nil:
		return d.Database.ID, nameKey(nameDatabase, 0, d.Database.Name)
	case d.Schema != nil:
		return d.Schema.ID, nameKey(nameSchema, d.Schema.Database, d.Schema.Name)
	case d.Role != nil:
		return d.Role.ID, nameKey(nameRole, 0, d.Role.Name)
	case d.Defaults != nil:
		return d.Defaults.ID, nameKey(nameDefault, d.Defaults.In, d.Defaults.name())
	case d.Enum != nil:
		return d.Enum.ID, nameKey(nameType, d.Enum.Schema, d.Enum.Name)
	case d.Function != nil:
		return d.Function.ID, nameKey(nameFunction, d.Function.Schema, d.Function.signature())
	default:
		return d.Table.ID, nameKey(nameRelation, d.Table.Schema, d.Table.Name)
	}
}

// Generation is a number that grows with every change of a table: when the change is made, while the lock that excludes
// others is held, and again when it was committed. A cached plan is fresh if, after its tables are locked, the generation
// is still the one that was read before it was planned.
func (s *Store) Generation() uint64 { return s.generation.Load() }

func (s *Store) bump() { s.generation.Add(1) }

// AllocateOIDs hands out n OIDs.
func (s *Store) AllocateOIDs(ctx context.Context, n int) (first types.OID, err error) {
	v, err := s.db.Allocate(ctx, counterOID, uint64(n))
	if err != nil {
		return 0, fmt.Errorf("allocate OIDs: %w", err)
	}
	if v+uint64(n) > math.MaxUint32-uint64(FirstOID) {
		return 0, fmt.Errorf("allocate OIDs: none left")
	}
	return FirstOID - 1 + types.OID(v), nil
}

func (s *Store) allocateTableID(ctx context.Context) (ID, error) {
	v, err := s.db.Allocate(ctx, counterID, 1)
	if err != nil {
		return 0, fmt.Errorf("allocate table id: %w", err)
	}
	if v > math.MaxUint32-uint64(FirstTableID) {
		return 0, fmt.Errorf("allocate table id: none left")
	}
	return FirstTableID - 1 + ID(v), nil
}

// AllocateIndexIDs hands out n index ids of a table.
func (s *Store) AllocateIndexIDs(ctx context.Context, table ID, n int) (first IndexID, err error) {
	v, err := s.db.Allocate(ctx, counterIndex(table), uint64(n))
	if err != nil {
		return 0, fmt.Errorf("allocate index ids: %w", err)
	}
	if v+uint64(n) > math.MaxUint32 {
		return 0, fmt.Errorf("allocate index ids: none left")
	}
	return IndexID(v), nil
}

// AllocateRowIDs hands out n values [first, first+n) of the hidden row id of a table, ascending over time. It takes them from
// a block in memory, so that it rarely costs a write.
func (s *Store) AllocateRowIDs(ctx context.Context, table ID, n int) (first int64, err error) {
	s.mu.Lock()
	b := s.rows[table]
	if b == nil {
		b = &rowBlock{}
		s.rows[table] = b
	}
	s.mu.Unlock()

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.end-b.next < int64(n) {
		size := max(n, rowIDBlock)
		v, err := s.db.Allocate(ctx, counterRow(table), uint64(size))
		if err != nil {
			return 0, fmt.Errorf("allocate row ids: %w", err)
		}
		b.next, b.end = int64(v), int64(v)+int64(size)
	}
	first = b.next
	b.next += int64(n)
	return first, nil
}

// decodeTable decodes a table's descriptor, or takes it from the cache if its bytes are those of the cached one. Cached
// tables are therefore right whatever happened since they were cached; only the decoding is saved.
func (s *Store) decodeTable(id ID, raw []byte, keep bool) (*Table, error) {
	s.mu.Lock()
	c, ok := s.tables[id]
	s.mu.Unlock()
	if ok && bytes.Equal(c.raw, raw) {
		return c.table, nil
	}
	d, err := decodeDescriptor(raw)
	if err != nil {
		return nil, err
	}
	if d.Table == nil || d.Table.ID != id {
		return nil, corrupt("descriptor %d is not that of a table", id)
	}
	if keep {
		s.keepTable(raw, d.Table)
	}
	return d.Table, nil
}

// keepTable puts a decoded table into the cache. It keeps raw.
func (s *Store) keepTable(raw []byte, t *Table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[t.ID] = cachedTable{raw, t}
}

// cachedTable gives the table that a key and value are the descriptor of, if it was decoded before; else nil.
func (s *Store) cachedTable(key, raw []byte) *Table {
	if len(key) != 5 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.tables[ID(binary.BigEndian.Uint32(key[1:]))]; ok && bytes.Equal(c.raw, raw) {
		return c.table
	}
	return nil
}

func (s *Store) forget(id ID) {
	s.mu.Lock()
	delete(s.tables, id)
	delete(s.statistics, id)
	delete(s.rows, id)
	s.forgetSequence(id)
	s.mu.Unlock()
}
