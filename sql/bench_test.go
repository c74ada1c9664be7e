package sql_test

import (
	"fmt"
	"log/slog"
	"testing"

	"minidb/kv"
	"minidb/sql"
	"minidb/sql/types"
	"minidb/storage/vfs"
)

// benchSession is a session on a table of 15 columns with two secondary indexes and 10,000 rows.
func benchSession(b *testing.B) *sql.Session {
	b.Helper()
	db, err := kv.Open(background, kv.Options{Dir: "data", FS: vfs.NewVolatile()})
	if err != nil {
		b.Fatal(err)
	}
	e, err := sql.Open(background, sql.Options{KV: db, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	s, err := e.NewSession(sql.SessionOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close(); e.Close(); db.Close() })
	benchRun(b, s, `CREATE TABLE t (id int8 PRIMARY KEY, a int, b text, c numeric(8,2), d timestamp, e int, f int, g text, h text, i int CHECK (i >= 0), j int, k int, l int, m text, n bool)`)
	benchRun(b, s, `CREATE INDEX ON t (a) STORING (b, c); CREATE INDEX ON t (b)`)
	benchRun(b, s, `INSERT INTO t SELECT g, g, 'text ' || g, g / 7.0, now(), g, g, 'x', 'y', g, g, g, g, 'z', true FROM generate_series(1, 10000) AS g`)
	return s
}

func benchRun(b *testing.B, s *sql.Session, text string) {
	if err := s.Query(background, text, func(*sql.Portal) error { return nil }); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkPointSelectSimple(b *testing.B) {
	s := benchSession(b)
	for i := 0; b.Loop(); i++ {
		benchRun(b, s, fmt.Sprintf(`SELECT a, b FROM t WHERE id = %d`, i%10000))
	}
}

func BenchmarkPointSelectPrepared(b *testing.B) {
	s := benchSession(b)
	p, err := s.Prepare(background, `SELECT a, b FROM t WHERE id = $1`, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		benchExecute(b, s, p, types.NewInt(int64(i%10000)))
	}
}

func benchExecute(b *testing.B, s *sql.Session, p *sql.Prepared, args ...types.Datum) {
	portal, err := s.Bind(background, p, args)
	if err != nil {
		b.Fatal(err)
	}
	for {
		batch, err := portal.Next(background, 0)
		if err != nil {
			b.Fatal(err)
		}
		if batch == nil {
			break
		}
	}
	if err := s.Sync(background); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkInsertPrepared(b *testing.B) {
	s := benchSession(b)
	benchRun(b, s, `CREATE TABLE u (id int8 PRIMARY KEY, k int, c text); CREATE INDEX ON u (k)`)
	p, err := s.Prepare(background, `INSERT INTO u VALUES ($1, $2, 'some text for the row')`, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		benchExecute(b, s, p, types.NewInt(int64(i)), types.NewInt(int64(i%100)))
	}
}

func BenchmarkUpdatePrepared(b *testing.B) {
	s := benchSession(b)
	p, err := s.Prepare(background, `UPDATE t SET e = e + 1 WHERE id = $1`, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		benchExecute(b, s, p, types.NewInt(int64(1+i%10000)))
	}
}

func BenchmarkScanAndSum(b *testing.B) {
	s := benchSession(b)
	for b.Loop() {
		benchRun(b, s, `SELECT count(*), sum(e), max(c) FROM t WHERE f % 3 = 0`)
	}
}
