package sql_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minidb/storage/vfs"
)

// ddlSteps are what a table goes through, each in one transaction with the number of the step.
var ddlSteps = []struct {
	text  string
	rows  int64 // after the step; -1: there is no table
	index bool
}{
	{"CREATE TABLE t (a int PRIMARY KEY, b int)", 0, false},
	{"INSERT INTO t SELECT g, g FROM generate_series(1, 200) g", 200, false},
	{"CREATE INDEX t_b ON t (b)", 200, true},
	{"TRUNCATE t", 0, true},
	{"INSERT INTO t SELECT g, g FROM generate_series(1, 50) g", 50, true},
	{"DROP INDEX t_b", 50, false},
	{"DROP TABLE t", -1, false},
}

// TestPowerCutLeavesDDLWholeOrUndone cuts the power among DDL: what is there afterwards is what the last committed step
// left, and its indexes fit its rows. Another session makes and drops an index from sorted files meanwhile.
func TestPowerCutLeavesDDLWholeOrUndone(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewMem()
	e := openOn(t, fs)
	mustRun(t, e, "CREATE TABLE progress (step int); INSERT INTO progress VALUES (-1)")
	mustRun(t, e, "CREATE TABLE large (a int PRIMARY KEY, b text)")
	mustRun(t, e, "INSERT INTO large SELECT g, repeat('some text ', 100) FROM generate_series(1, 1500) g")
	var acked atomic.Int64
	acked.Store(-1)
	var stop atomic.Bool
	var gate sync.RWMutex // held by the verifier: there is no point in more steps meanwhile
	var wg sync.WaitGroup
	loop := func(text func(i int) string, done func(i int)) {
		s := e.open(t)
		wg.Go(func() {
			defer s.Close()
			for i := 0; !stop.Load(); i++ {
				gate.RLock()
				err := s.run(text(i))
				gate.RUnlock()
				if err != nil {
					t.Errorf("%s: %v", text(i), err)
					return
				}
				done(i)
			}
		})
	}
	loop(func(i int) string {
		return fmt.Sprintf("BEGIN; %s; UPDATE progress SET step = %d; COMMIT", ddlSteps[i%len(ddlSteps)].text, i)
	}, func(i int) { acked.Store(int64(i)) })
	loop(func(i int) string {
		return []string{"CREATE INDEX large_b ON large (b)", "DROP INDEX large_b"}[i%2]
	}, func(int) {})
	for cut := range 15 {
		time.Sleep(time.Duration(rng.IntN(10_000)) * time.Microsecond)
		least := acked.Load()
		o := vfs.CrashOptions{Seed: rng.Uint64()}
		if cut%2 == 1 {
			o.KeepUnsynced, o.TearBytes = rng.Float64(), 1<<rng.IntN(13)
		}
		left := fs.CrashClone(o)
		gate.Lock()
		verifyDDL(t, left, least)
		gate.Unlock()
		if t.Failed() {
			t.Logf("cut %d with %+v", cut, o)
			break
		}
	}
	stop.Store(true)
	wg.Wait()
	e.close(t)
	t.Logf("%d steps", acked.Load())
}

// verifyDDL opens what a power cut left and compares it with the step it names, which is at least the last acknowledged one.
func verifyDDL(t *testing.T, fs *vfs.Mem, least int64) {
	t.Helper()
	e := openOn(t, fs)
	defer e.close(t)
	s := e.open(t)
	defer s.Close()
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
	if got := s.mustInt(t, "SELECT count(*) FROM large"); got != 1500 {
		t.Errorf("large has %d rows", got)
	}
	step := s.mustInt(t, "SELECT step + 1 FROM progress") - 1
	if step < least {
		t.Errorf("step %d was acknowledged, step %d is there", least, step)
	}
	if step < 0 {
		return
	}
	want := ddlSteps[step%int64(len(ddlSteps))]
	if want.rows < 0 {
		if err := s.run("CREATE TABLE t (a int)"); err != nil {
			t.Errorf("after %s: %v", want.text, err)
		}
		return
	}
	if got := s.mustInt(t, "SELECT count(*) FROM t"); got != want.rows {
		t.Errorf("after %s there are %d rows, want %d", want.text, got, want.rows)
	}
	if err := s.run("DROP INDEX t_b"); (err == nil) != want.index {
		t.Errorf("after %s: DROP INDEX gives %v", want.text, err)
	}
}
