package lock

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// party is an owner that can ask for a lock in the background.
type party struct {
	Owner
	t *testing.T
	m *Manager
}

func newParty(t *testing.T, m *Manager) *party {
	p := &party{t: t, m: m}
	p.Init(m)
	t.Cleanup(p.ReleaseAll)
	return p
}

func (p *party) row(name string, mode Row, w Wait) error {
	return p.LockRow(context.Background(), []byte(name), mode, w, 0)
}

func (p *party) table(name string, mode Table, w Wait) error {
	return p.LockTable(context.Background(), []byte(name), mode, w, 0)
}

func (p *party) span(start, end string, mode Row, w Wait) error {
	return p.LockSpan(context.Background(), []byte(start), []byte(end), mode, w, 0)
}

func (p *party) mustRow(name string, mode Row) {
	p.t.Helper()
	if err := p.row(name, mode, NoWait); err != nil {
		p.t.Fatalf("row %s: %v", name, err)
	}
}

// later runs f, which must block, and returns the channel of its result.
func (p *party) later(f func() error) <-chan error {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	for range 2000 {
		p.m.mu.Lock()
		waits := p.waiting != nil
		p.m.mu.Unlock()
		if waits {
			return done
		}
		select {
		case err := <-done:
			p.t.Fatalf("did not wait: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	p.t.Fatal("neither waits nor returns")
	return nil
}

func (p *party) laterRow(name string, mode Row) <-chan error {
	p.t.Helper()
	return p.later(func() error { return p.row(name, mode, Block) })
}

func wantGrant(t *testing.T, c <-chan error) {
	t.Helper()
	wantErr(t, c, nil)
}

func wantErr(t *testing.T, c <-chan error, want error) {
	t.Helper()
	select {
	case err := <-c:
		if !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting")
	}
}

func wantWaiting(t *testing.T, c <-chan error) {
	t.Helper()
	select {
	case err := <-c:
		t.Fatalf("no longer waits: %v", err)
	case <-time.After(5 * time.Millisecond):
	}
}

func TestRowModesConflictAsInPostgres(t *testing.T) {
	// Rows and columns: KeyShare, Share, NoKeyUpdate, Update; X is a conflict.
	want := []string{
		"---X",
		"--XX",
		"-XXX",
		"XXXX",
	}
	for a, line := range want {
		for b, c := range line {
			m := NewManager()
			x, y := newParty(t, m), newParty(t, m)
			x.mustRow("r", Row(a))
			err := y.row("r", Row(b), NoWait)
			if (err != nil) != (c == 'X') {
				t.Errorf("%d beside %d: %v", b, a, err)
			}
		}
	}
}

func TestTableModesConflictAsInPostgres(t *testing.T) {
	want := []string{
		"-------X", // AccessShare
		"------XX", // RowShare
		"----XXXX", // RowExclusive
		"---XXXXX", // ShareUpdateExclusive
		"--XX-XXX", // Share
		"--XXXXXX", // ShareRowExclusive
		"-XXXXXXX", // Exclusive
		"XXXXXXXX", // AccessExclusive
	}
	for a, line := range want {
		for b, c := range line {
			m := NewManager()
			x, y := newParty(t, m), newParty(t, m)
			if err := x.table("t", Table(a), NoWait); err != nil {
				t.Fatal(err)
			}
			err := y.table("t", Table(b), NoWait)
			if (err != nil) != (c == 'X') {
				t.Errorf("%d beside %d: %v", b, a, err)
			}
		}
	}
}

func TestLocksOfOneOwnerNeverConflict(t *testing.T) {
	m := NewManager()
	x := newParty(t, m)
	for mode := KeyShare; mode <= Update; mode++ {
		x.mustRow("r", mode)
		x.mustRow("r", mode)
	}
	if err := x.span("a", "z", Update, NoWait); err != nil {
		t.Fatal(err)
	}
	x.mustRow("s", Share)
	x.ReleaseAll()
	if s := m.Stats(); s != (Stats{}) {
		t.Fatalf("left: %+v", s)
	}
}

func TestHeldTableModesTogetherCoverAThird(t *testing.T) {
	m := NewManager()
	x := newParty(t, m)
	_ = x.table("t", ShareTable, NoWait)
	_ = x.table("t", RowExclusive, NoWait)
	n := x.Mark()
	if err := x.table("t", RowShare, NoWait); err != nil || x.Mark() != n {
		t.Fatalf("RowShare was added: %v", err)
	}
	// Neither conflicts with itself alone in both directions: must be added.
	if err := x.table("t", AccessExclusive, NoWait); err != nil || x.Mark() != n+1 {
		t.Fatalf("AccessExclusive was not added: %v", err)
	}
}

func TestQueueIsServedInOrder(t *testing.T) {
	m := NewManager()
	h, a, b, c := newParty(t, m), newParty(t, m), newParty(t, m), newParty(t, m)
	h.mustRow("r", Share)
	wa := a.laterRow("r", Update)
	wb := b.laterRow("r", Share) // would fit beside h, but must not starve a
	if err := c.row("r", Share, NoWait); !errors.Is(err, ErrNotAvailable) {
		t.Fatalf("passed the queue: %v", err)
	}
	h.ReleaseAll()
	wantGrant(t, wa)
	wantWaiting(t, wb)
	a.ReleaseAll()
	wantGrant(t, wb)
}

func TestSharersAreGrantedTogether(t *testing.T) {
	m := NewManager()
	h, a, b := newParty(t, m), newParty(t, m), newParty(t, m)
	h.mustRow("r", Update)
	wa, wb := a.laterRow("r", Share), b.laterRow("r", KeyShare)
	h.ReleaseAll()
	wantGrant(t, wa)
	wantGrant(t, wb)
}

func TestUpgradePassesThoseWhoWaitForIt(t *testing.T) {
	m := NewManager()
	x, y := newParty(t, m), newParty(t, m)
	x.mustRow("r", Share)
	wy := y.laterRow("r", Update)
	x.mustRow("r", Update)
	x.ReleaseAll()
	wantGrant(t, wy)
}

func TestTwoUpgradesDeadlock(t *testing.T) {
	m := NewManager()
	x, y := newParty(t, m), newParty(t, m)
	x.mustRow("r", Share)
	y.mustRow("r", Share)
	wx := x.laterRow("r", Update)
	if err := y.row("r", Update, Block); !errors.Is(err, ErrDeadlock) {
		t.Fatalf("got %v", err)
	}
	y.ReleaseAll()
	wantGrant(t, wx)
}

func TestWaiterThatClosesACycleIsRefused(t *testing.T) {
	m := NewManager()
	x, y, z := newParty(t, m), newParty(t, m), newParty(t, m)
	x.mustRow("1", Update)
	y.mustRow("2", Update)
	if err := z.table("t", AccessExclusive, NoWait); err != nil {
		t.Fatal(err)
	}
	wx := x.laterRow("2", Update)
	wy := y.later(func() error { return y.table("t", AccessShare, Block) })
	if err := z.span("0", "1a", Share, Block); !errors.Is(err, ErrDeadlock) {
		t.Fatalf("got %v", err)
	}
	// The refused one keeps what it had and may go on.
	wantWaiting(t, wy)
	z.ReleaseAll()
	wantGrant(t, wy)
	y.ReleaseAll()
	wantGrant(t, wx)
}

func TestQueuePositionAloneIsNoDeadlock(t *testing.T) {
	// x waits behind w's earlier request for r; w comes to wait for x. Nothing x
	// needs is held by w, so x may pass.
	m := NewManager()
	h, w, x := newParty(t, m), newParty(t, m), newParty(t, m)
	h.mustRow("r", Share)
	x.mustRow("s", Update)
	ww := w.laterRow("r", Update)
	wx := x.laterRow("r", Share)
	wh := h.laterRow("s", Update) // w -> h -> x: x's wait for w is dropped
	wantGrant(t, wx)
	x.ReleaseAll()
	wantGrant(t, wh)
	h.ReleaseAll()
	wantGrant(t, ww)
}

func TestNoWaitAndSkipLocked(t *testing.T) {
	m := NewManager()
	x, y := newParty(t, m), newParty(t, m)
	x.mustRow("r", Update)
	if err := y.row("r", KeyShare, NoWait); !errors.Is(err, ErrNotAvailable) {
		t.Fatalf("got %v", err)
	}
	if err := y.row("r", KeyShare, SkipLocked); !errors.Is(err, ErrSkipped) {
		t.Fatalf("got %v", err)
	}
	if err := y.row("s", KeyShare, SkipLocked); err != nil {
		t.Fatalf("got %v", err)
	}
}

func TestTimeoutAndCancelLeaveNoTrace(t *testing.T) {
	m := NewManager()
	x, y, z := newParty(t, m), newParty(t, m), newParty(t, m)
	x.mustRow("r", Share)
	if err := y.LockRow(context.Background(), []byte("r"), Update, Block, time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Fatalf("got %v", err)
	}
	cause := errors.New("gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	wy := y.later(func() error { return y.LockRow(ctx, []byte("r"), Update, Block, 0) })
	wz := z.laterRow("r", Share) // behind y only
	cancel(cause)
	wantErr(t, wy, cause)
	wantGrant(t, wz)
	x.ReleaseAll()
	z.ReleaseAll()
	if s := m.Stats(); s != (Stats{}) {
		t.Fatalf("left: %+v", s)
	}
}

func TestSpanWaitsForItsRowsAndStopsNewOnes(t *testing.T) {
	m := NewManager()
	x, y, imp := newParty(t, m), newParty(t, m), newParty(t, m)
	x.mustRow("k5", Update)
	x.mustRow("z", Update) // outside
	wi := imp.later(func() error { return imp.span("k1", "k9", Update, Block) })
	if err := y.row("k3", Update, NoWait); !errors.Is(err, ErrNotAvailable) {
		t.Fatalf("a new row lock in the span: %v", err)
	}
	y.mustRow("k9", Update) // the end is not in it
	x.mustRow("k6", Update) // the import waits for x: x may go on
	x.ReleaseAll()
	wantGrant(t, wi)
	wy := y.laterRow("k3", Update)
	imp.ReleaseAll()
	wantGrant(t, wy)
}

func TestSpanThatBeginsInsideARowMeetsIt(t *testing.T) {
	m := NewManager()
	x, y := newParty(t, m), newParty(t, m)
	x.mustRow("row", Update) // covers row-a, row-b
	if err := y.span("row-a", "row-b", Share, NoWait); !errors.Is(err, ErrNotAvailable) {
		t.Fatalf("got %v", err)
	}
	if err := y.span("rox", "roy", Share, NoWait); err != nil {
		t.Fatalf("got %v", err)
	}
}

func TestOverlappingSpansConflictByMode(t *testing.T) {
	m := NewManager()
	x, y := newParty(t, m), newParty(t, m)
	for _, c := range []struct {
		start, end string
		mode       Row
		want       error
	}{
		{"c", "f", Share, nil},
		{"c", "f", Update, ErrNotAvailable},
		{"a", "d", Update, ErrNotAvailable},
		{"e", "g", Update, nil},
		{"a", "b", Update, nil},
	} {
		if x.Mark() == 0 {
			if err := x.span("b", "e", Share, NoWait); err != nil {
				t.Fatal(err)
			}
		}
		if err := y.span(c.start, c.end, c.mode, NoWait); !errors.Is(err, c.want) {
			t.Errorf("[%s,%s) %d: %v", c.start, c.end, c.mode, err)
		}
		y.ReleaseAll()
	}
}

func TestReleaseToGivesBackLaterLocksAndUpgrades(t *testing.T) {
	m := NewManager()
	x, y := newParty(t, m), newParty(t, m)
	x.mustRow("1", Share)
	mark := x.Mark()
	x.mustRow("1", Update)
	x.mustRow("2", Update)
	wy := y.laterRow("2", Update)
	x.ReleaseTo(mark)
	wantGrant(t, wy)
	y.mustRow("1", Share)
	if err := y.row("1", NoKeyUpdate, NoWait); !errors.Is(err, ErrNotAvailable) {
		t.Fatalf("the lock from before the mark is gone: %v", err)
	}
}

func TestUncontendedRowLockCostsOneAllocation(t *testing.T) {
	m := NewManager()
	x := newParty(t, m)
	ctx, name := context.Background(), []byte("row")
	got := testing.AllocsPerRun(100, func() {
		if err := x.LockRow(ctx, name, Update, Block, 0); err != nil {
			t.Fatal(err)
		}
		x.ReleaseAll()
	})
	if got > 1 {
		t.Fatalf("%v allocations", got)
	}
}
