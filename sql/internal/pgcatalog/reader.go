package pgcatalog

import (
	"context"
	"slices"
	"sync"
	"time"

	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Env is what the system catalogs take from the session that asks.
type Env interface {
	// View is the catalog as the session's transaction sees it.
	View() (*catalog.View, error)
	Database() *catalog.Database
	User() string
	// SearchPath is the names of the schemas in which names are looked up; not all need exist.
	SearchPath() []string
	// Context ends what takes long.
	Context() context.Context
	// Cache is the server's.
	Cache() *Cache
	// Started is when the server started.
	Started() time.Time
	// Signal cancels what a session runs, or ends the session; false if there is none of that number.
	Signal(pid int32, end bool) (bool, error)
	Notice(*sqlerr.Error)
	Settings() []Setting
	Activity() []Activity
	TableLocks() []TableLock
	// ViewText is the query of a view as it was understood; an error if it cannot be shown so.
	ViewText(view *catalog.Table, form ViewForm) (string, error)
	// IndexBytes is about how much room an index of a table takes; the rows lie in the primary one.
	IndexBytes(t *catalog.Table, x *catalog.Index) (int64, error)
}

// ViewForm says how the query of a view is written.
type ViewForm struct {
	Pretty bool // without needless parentheses
	// Width is that of lines that items of lists are put on; 0: each has its own; below 0: all are on one.
	Width int
	// Name names a relation, with its schema if qualified or if it would not be found without.
	Name     func(o types.OID, qualified bool) string
	TypeName func(o types.OID) string
}

// Setting is a row of pg_settings.
type Setting struct {
	Name, Value, Unit, Kind, Description string
	Initial, Reset                       string
	Fixed                                bool
	Values                               []string // of kind enum
}

// Activity is a session, for pg_stat_activity.
type Activity struct {
	Role                              types.OID
	PID                               int32
	Database                          *catalog.Database
	User, Application, Address, State string
	Query                             string
	Start, TxnStart, QueryStart       time.Time // zero: none
	StateChange                       time.Time
}

// TableLock is a lock on a table that a session holds or waits for.
type TableLock struct {
	Key     string // catalog.LockKey of the table
	PID     int32
	Mode    string // "AccessShareLock"
	Granted bool
}

// Cache holds the newest Snapshot of each database for all sessions. The zero Cache is ready to use.
type Cache struct {
	mu        sync.Mutex
	snapshots map[catalog.ID]*Snapshot
}

func (c *Cache) get(database catalog.ID) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.snapshots[database]
}

func (c *Cache) put(s *Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshots == nil {
		c.snapshots = map[catalog.ID]*Snapshot{}
	}
	c.snapshots[s.database.ID] = s
}

// Reader is a session's view of the system catalogs. It is for one goroutine.
type Reader struct {
	env  Env
	own  *Snapshot     // of a transaction that has changes of its own
	view *catalog.View // whose own is
}

// NewReader makes the reader of a session.
func NewReader(env Env) *Reader { return &Reader{env: env} }

// snapshot gives the descriptors as they are now: each change of a descriptor gives the catalog a new generation.
func (r *Reader) snapshot() (*Snapshot, error) {
	database := r.env.Database()
	view, err := r.env.View()
	if err != nil {
		return nil, err
	}
	generation := view.Store().Generation()
	s := r.own
	if !view.Changed() {
		s, r.own, r.view = r.env.Cache().get(database.ID), nil, nil
	} else if r.view != view {
		s = nil
	}
	if s != nil && s.generation == generation {
		return s, nil
	}
	all, err := view.Contents(r.env.Context())
	if err != nil {
		return nil, err
	}
	comments, err := view.Comments(r.env.Context())
	if err != nil {
		return nil, err
	}
	s = newSnapshot(generation, database, all, comments)
	if view.Changed() {
		r.own, r.view = s, view
	} else {
		r.env.Cache().put(s)
	}
	return s, nil
}

// Row is a row of a system table: a value for each column.
type Row = []types.Datum

// Rows gives the rows of a relation. They are shared and must not be changed.
func (r *Reader) Rows(rel *Relation) ([]Row, error) {
	g := generators[rel.Schema+"."+rel.Name]
	switch {
	case g.session != nil:
		return g.session(r)
	case g.snapshot != nil:
		s, err := r.snapshot()
		if err != nil {
			return nil, err
		}
		return s.rowsOf(rel, g.snapshot), nil
	case rel.Schema == "pg_catalog" && sectionTexts()[rel.Name] != "":
		return builtinRows(rel.Name), nil
	}
	return nil, nil
}

// Lookup gives the rows of a relation that have one of the values, none of them NULL, in a column.
func (r *Reader) Lookup(rel *Relation, column int, values []types.Datum) ([]Row, error) {
	rows, err := r.Rows(rel)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if g := generators[rel.Schema+"."+rel.Name]; g.session == nil {
		s, err := r.snapshot()
		if err != nil {
			return nil, err
		}
		return s.lookupRows(lookup{rel, column}, rows, values), nil
	}
	t := rel.Columns[column].Type
	var out []Row
	for _, row := range rows {
		d := row[column]
		if !d.Null && slices.ContainsFunc(values, func(v types.Datum) bool { return types.Compare(t, d, v) == 0 }) {
			out = append(out, row)
		}
	}
	return out, nil
}

// generator makes the rows of a relation: from the descriptors alone, or for a session.
type generator struct {
	snapshot func(*Snapshot) []row
	session  func(*Reader) ([]row, error)
}

// generators are by schema and name. Relations that are not here have their built-in rows, or none.
var generators = map[string]generator{}

func init() {
	for name, make := range snapshotTables {
		generators["pg_catalog."+name] = generator{snapshot: make}
	}
	generators["information_schema.views"] = generator{session: infoViews}
	for name, make := range informationTables {
		generators["information_schema."+name] = generator{snapshot: make}
	}
	for name, make := range sessionTables {
		generators["pg_catalog."+name] = generator{session: make}
	}
}
