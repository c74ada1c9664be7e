package sql_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"minidb/storage/vfs"
)

// TestPowerCutRepeatsNoSequenceNumber cuts the power while numbers are given out, opens the store on what is left, and
// wants every number that comes then to be new. A table that is rewritten in between comes out as it was or as it was to be.
func TestPowerCutRepeatsNoSequenceNumber(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewMem()
	e := openOn(t, fs)
	mustRun(t, e, `CREATE SEQUENCE s; CREATE TABLE r (id int, v text)`)
	mustRun(t, e, `INSERT INTO r SELECT g, 'v' FROM generate_series(1, 300) AS g`)
	var last int64
	for cut := range 12 {
		s := e.open(t)
		for range rng.IntN(60) {
			got := s.mustInt(t, `SELECT nextval('s')`)
			if got <= last {
				t.Fatalf("cut %d: %d came after %d", cut, got, last)
			}
			last = got
		}
		alter := []string{`ALTER TABLE r ADD COLUMN x int DEFAULT 5`, `ALTER TABLE r DROP COLUMN x`, `ALTER TABLE r ADD PRIMARY KEY (id)`, `ALTER TABLE r DROP CONSTRAINT r_pkey`}[cut%4]
		done := make(chan error, 1)
		go func() { done <- s.run(alter) }()
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
		left := fs.CrashClone(vfs.CrashOptions{Seed: rng.Uint64(), KeepUnsynced: rng.Float64(), TearBytes: 64})
		if err := <-done; err != nil {
			t.Fatalf("%s: %v", alter, err)
		}
		s.Close()
		e.close(t)
		fs, e = left, openOn(t, left)
		if _, err := e.engine.Check(background); err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		s = e.open(t)
		if n := s.mustInt(t, `SELECT count(*) FROM r WHERE v = 'v' AND id > 0`); n != 300 {
			t.Fatalf("cut %d: %d rows", cut, n)
		}
		// What the statement did not get to do is done now, so that the next round finds its turn.
		if err := s.run(alter); err != nil {
			t.Logf("cut %d, again: %v", cut, fmt.Sprint(err))
		}
		s.Close()
	}
	e.close(t)
}
