package lock

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTableHoldsShowsHoldersAndWaiters(t *testing.T) {
	m := NewManager()
	var a, b Owner
	a.Init(m)
	b.Init(m)
	a.Tag, b.Tag = 1, 2
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, mode := range []Table{RowExclusive, AccessShare, ShareTable} {
		if err := a.LockTable(ctx, []byte("t"), mode, Block, 0); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() { done <- b.LockTable(ctx, []byte("t"), AccessExclusive, Block, 0) }()
	for m.Stats().Waiters == 0 {
		time.Sleep(time.Millisecond)
	}
	var got []string
	for _, h := range m.TableHolds() {
		got = append(got, fmt.Sprint(h.Name, h.Tag, h.Mode, h.Granted))
	}
	slices.Sort(got)
	want := fmt.Sprint("t", 1, RowExclusive, true) + " " + fmt.Sprint("t", 1, ShareTable, true) + " " + fmt.Sprint("t", 2, AccessExclusive, false)
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %v", got, want)
	}
	a.ReleaseTo(0)
	if err := <-done; err != nil {
		t.Error(err)
	}
	b.ReleaseTo(0)
	if holds := m.TableHolds(); len(holds) != 0 {
		t.Errorf("left are %v", holds)
	}
}
