// Package sql is minidb's SQL engine: sessions that take PostgreSQL's SQL and answer rows.
//
// The types in reading order: an Engine holds what all sessions share (the store, the catalog, the import directory). A Session is one
// client's: its settings and its transaction. Session.Query runs one simple-protocol message; Prepare, Bind and Sync are the extended
// protocol. Both hand out Portals, from which the caller pulls batches of rows; nothing runs before the first Portal.Next.
//
// The package knows nothing of sockets and of wire formats. It is the one place that turns the errors of kv and bulk into SQLSTATEs.
package sql

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/jobs"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// ServerVersion is the PostgreSQL version that minidb reports: psql and drivers choose their catalog queries by it.
const ServerVersion = "15.0"

// Options say what an Engine works on. KV is required.
type Options struct {
	KV        *kv.DB
	ImportFS  vfs.FS // where IMPORT INTO reads; nil: IMPORT INTO is refused
	ImportDir string // the only directory of ImportFS that IMPORT INTO may read
	Logger    *slog.Logger
	Version   string           // minidb's own version, as version() shows it
	Now       func() time.Time // nil: time.Now
}

// superuser is the role that the first start makes.
const superuser = "postgres"

// Engine is what the sessions of one store share. Its methods may be called from several goroutines.
type Engine struct {
	options Options
	catalog *catalog.Store
	started time.Time
	// snapshots are those of the catalog that sessions share.
	snapshots pgcatalog.Cache
	jobs      *jobs.Registry
	hub       hub
	lastPID   atomic.Int32

	mu       sync.Mutex
	sessions map[int32]*Session  // by PID
	closing  map[catalog.ID]bool // databases that take no new sessions, as they are about to go

	// general tells sessions to run every statement by the general operators, made anew each time: tests compare with it.
	general bool
}

// Open makes an engine on an open store. The store stays the caller's to close, after the engine.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	store, err := catalog.Open(ctx, o.KV, superuser)
	if err != nil {
		return nil, err
	}
	registry, err := jobs.Open(ctx, jobs.Options{KV: o.KV, Logger: o.Logger, Now: o.Now, Describe: func(err error) *sqlerr.Error { return mapError(ctx, err) }})
	if err != nil {
		return nil, err
	}
	e := &Engine{options: o, catalog: store, jobs: registry, started: o.Now(), sessions: map[int32]*Session{}, closing: map[catalog.ID]bool{}}
	// What the sessions of a server that was killed left behind.
	if err := e.dropTemporary(ctx, ""); err != nil {
		registry.Close()
		return nil, err
	}
	return e, nil
}

// Close cancels the running jobs and waits for them. Sessions must be closed before.
func (e *Engine) Close() error {
	e.jobs.Close()
	return e.catalog.Close(context.Background())
}
