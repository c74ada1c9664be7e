package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// ledger checks that no two owners hold what conflicts, without the manager's
// help: per row and mode the number of holders.
type ledger struct {
	mu   sync.Mutex
	held [16][4]int
}

func (l *ledger) add(t *testing.T, row int, mode Row, others [4]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[row][mode]++
	for m := range others {
		if rowConflicts[mode]&(1<<m) != 0 && l.held[row][m]-others[m] > 0 && (m != int(mode) || l.held[row][m]-others[m] > 1) {
			t.Errorf("row %d held in mode %d beside %d", row, mode, m)
		}
	}
}

func (l *ledger) drop(row int, mode Row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[row][mode]--
}

func TestDeadlockStormEndsWithEveryoneServed(t *testing.T) {
	const workers, rounds, rows = 12, 150, 16
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	m := NewManager()
	var l ledger
	var wg sync.WaitGroup
	var deadlocks atomic.Int64
	for w := range workers {
		rng := rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for range rounds {
				for !stormTxn(ctx, t, m, &l, rng, rows) {
					deadlocks.Add(1)
				}
				if ctx.Err() != nil {
					t.Error("someone waits forever")
					return
				}
			}
		})
	}
	wg.Wait()
	if s := m.Stats(); s != (Stats{}) {
		t.Errorf("left: %+v", s)
	}
	if deadlocks.Load() == 0 {
		t.Error("the storm met no deadlock")
	}
}

// stormTxn locks some rows, spans and tables and reports whether it was not
// refused.
func stormTxn(ctx context.Context, t *testing.T, m *Manager, l *ledger, rng *rand.Rand, rows int) bool {
	var o Owner
	o.Init(m)
	defer o.ReleaseAll()
	var mine [16][4]int
	defer func() {
		for row := range mine {
			for mode, n := range mine[row] {
				for range n {
					l.drop(row, Row(mode))
				}
			}
		}
	}()
	name := func(i int) []byte { return fmt.Appendf(nil, "%02d", i) }
	for range 1 + rng.IntN(4) {
		mode := Row(rng.IntN(4))
		from, to := rng.IntN(rows), 0
		var err error
		switch rng.IntN(8) {
		case 0:
			to = min(rows, from+1+rng.IntN(4))
			err = o.LockSpan(ctx, name(from), name(to), mode, Block, 0)
		case 1:
			err = o.LockTable(ctx, name(from%3), Table(rng.IntN(8)), Block, 0)
		default:
			to = from + 1
			err = o.LockRow(ctx, name(from), mode, Block, 0)
		}
		if errors.Is(err, ErrDeadlock) {
			return false
		}
		if err != nil {
			t.Errorf("lock: %v", err)
			return true
		}
		for row := from; row < to; row++ {
			l.add(t, row, mode, mine[row])
			mine[row][mode]++
		}
		if rng.IntN(3) == 0 {
			time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
		}
	}
	return true
}

func BenchmarkUncontendedRow(b *testing.B) {
	m := NewManager()
	var o Owner
	o.Init(m)
	ctx, name := context.Background(), []byte("a row's name")
	b.ReportAllocs()
	for b.Loop() {
		if err := o.LockRow(ctx, name, Update, Block, 0); err != nil {
			b.Fatal(err)
		}
		o.ReleaseAll()
	}
}
