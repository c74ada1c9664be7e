package sql_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minidb/kv"
	"minidb/sql"
	"minidb/storage/vfs"
)

// TestPowerCutLosesNothingAcknowledged cuts the power again and again while
// sessions commit: what is not synced is dropped or torn, the store is opened
// on what remains, and every commit acknowledged before the cut must be there,
// whole, in the table and in its index.
//
// Seen failing: with the Sync after a group's log write left out (writeGroup of
// storage), the first cut misses the table itself; with the directory sync after
// a new log left out (createLog), 260 rows of 294 acknowledged were found.
func TestPowerCutLosesNothingAcknowledged(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewMem()
	e := openOn(t, fs)
	mustRun(t, e, `CREATE TABLE log (w int4, n int8, half int4, note text, PRIMARY KEY (w, n, half))`)
	mustRun(t, e, `CREATE INDEX ON log (note) STORING (half)`)

	const writers = 4
	cuts := 60
	if testing.Short() {
		cuts = 10
	}
	var acked [writers]atomic.Int64
	var stop atomic.Bool
	var gate sync.RWMutex // closed while a cut is looked at, so that the table stays small
	var wg sync.WaitGroup
	for w := range writers {
		s := e.open(t)
		wg.Go(func() {
			defer s.Close()
			for n := int64(1); !stop.Load(); n++ {
				// Two rows a transaction, by one statement or by two.
				text := fmt.Sprintf(`INSERT INTO log VALUES (%d, %d, 1, 'note %[2]d'), (%[1]d, %[2]d, 2, 'note %[2]d')`, w, n)
				if n%2 == 0 {
					text = fmt.Sprintf(`BEGIN; INSERT INTO log VALUES (%d, %d, 1, 'note %[2]d'); INSERT INTO log VALUES (%[1]d, %[2]d, 2, 'note %[2]d'); COMMIT`, w, n)
				}
				gate.RLock()
				err := s.run(text)
				gate.RUnlock()
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				acked[w].Store(n)
			}
		})
	}
	for cut := range cuts {
		time.Sleep(time.Duration(rng.IntN(8000)) * time.Microsecond)
		var want [writers]int64
		for w := range writers {
			want[w] = acked[w].Load()
		}
		o := vfs.CrashOptions{Seed: rng.Uint64()}
		if cut%2 == 1 {
			o.KeepUnsynced, o.TearBytes = rng.Float64(), 1<<rng.IntN(13)
		}
		left := fs.CrashClone(o)
		gate.Lock()
		verifyCut(t, left, want[:])
		gate.Unlock()
		if t.Failed() {
			t.Logf("cut %d with %+v", cut, o)
			break
		}
	}
	stop.Store(true)
	wg.Wait()
	e.close(t)
	t.Logf("%d cuts; last acknowledged: %d %d %d %d", cuts, acked[0].Load(), acked[1].Load(), acked[2].Load(), acked[3].Load())
}

// verifyCut opens the store that a power cut left and looks for the commits
// acknowledged before it.
func verifyCut(t *testing.T, fs *vfs.Mem, want []int64) {
	t.Helper()
	e := openOn(t, fs)
	defer e.close(t)
	s := e.open(t)
	defer s.Close()
	for w, n := range want {
		for what, query := range map[string]string{
			"by key":   fmt.Sprintf(`SELECT count(*) FROM log WHERE w = %d AND n <= %d`, w, n),
			"by index": fmt.Sprintf(`SELECT count(*) FROM log WHERE note >= 'note' AND w = %d AND n <= %d`, w, n),
		} {
			if got := s.mustInt(t, query); got != 2*n {
				t.Errorf("writer %d: %d transactions acknowledged, %d rows found %s, want %d", w, n, got, what, 2*n)
			}
		}
	}
	all := s.mustInt(t, `SELECT count(*) FROM log`)
	if pairs := s.mustInt(t, `SELECT count(*) FROM log WHERE half = 1`); all != 2*pairs {
		t.Errorf("%d rows, %d of them first halves", all, pairs)
	}
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

// engineOn is an engine on a file system that the test looks after.
type engineOn struct {
	db     *kv.DB
	engine *sql.Engine
}

func openOn(t *testing.T, fs *vfs.Mem) *engineOn {
	t.Helper()
	e := &engineOn{}
	var err error
	logger := slog.New(slog.DiscardHandler)
	// Small memtables, so that cuts meet flushes and compactions too.
	if e.db, err = kv.Open(background, kv.Options{Dir: "data", FS: fs, Logger: logger, MemtableBytes: 64 << 10}); err != nil {
		t.Fatal(err)
	}
	if e.engine, err = sql.Open(background, sql.Options{KV: e.db, Logger: logger, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *engineOn) close(t *testing.T) {
	t.Helper()
	if err := e.engine.Close(); err != nil {
		t.Error(err)
	}
	if err := e.db.Close(); err != nil {
		t.Error(err)
	}
}

func (e *engineOn) open(t *testing.T) sessionOn {
	t.Helper()
	s, err := e.engine.NewSession(sql.SessionOptions{User: "postgres"})
	if err != nil {
		t.Fatal(err)
	}
	return sessionOn{s}
}

func mustRun(t *testing.T, e *engineOn, text string) {
	t.Helper()
	s := e.open(t)
	defer s.Close()
	if err := s.run(text); err != nil {
		t.Fatal(err)
	}
}

type sessionOn struct{ *sql.Session }

// run runs the statements of text and drops their rows.
func (s sessionOn) run(text string) error {
	return s.Query(background, text, func(p *sql.Portal) error {
		for {
			if b, err := p.Next(background, 0); b == nil || err != nil {
				return err
			}
		}
	})
}

// mustInt gives the one number that a query answers.
func (s sessionOn) mustInt(t *testing.T, text string) int64 {
	t.Helper()
	n := int64(-1)
	err := s.Query(background, text, func(p *sql.Portal) error {
		for {
			b, err := p.Next(background, 0)
			if b == nil || err != nil {
				return err
			}
			n = b.Cols[0].Datum(0).I
		}
	})
	if err != nil || n < 0 {
		t.Fatalf("%s: %d, %v", text, n, err)
	}
	return n
}
