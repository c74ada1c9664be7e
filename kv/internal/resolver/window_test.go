package resolver

import (
	"fmt"
	"testing"

	"minidb/kv/mvcc"
)

func keys(ks ...string) *Keys {
	var k Keys
	for _, s := range ks {
		k.Append([]byte(s))
	}
	return &k
}

func (w *Window) ask(start, end string, after mvcc.Timestamp) Answer {
	return w.Touched([]byte(start), []byte(end), after)
}

func TestTouchedLooksOnlyAboveTheTimestamp(t *testing.T) {
	w := NewWindow(10)
	w.Add(20, keys("b", "d", "f"), nil)
	w.Add(30, keys("c"), nil)
	for _, c := range []struct {
		start, end string
		after      mvcc.Timestamp
		want       Answer
	}{
		{"d", "e", 10, Yes},
		{"d", "e", 19, Yes},
		{"d", "e", 20, No},
		{"c", "d", 20, Yes},
		{"c", "d", 30, No},
		{"e", "f", 10, No}, // the end is not in the span
		{"a", "z", 29, Yes},
		{"e", "f", 9, Unknown}, // commits up to 10 are not known
		{"d", "e", 9, Yes},
	} {
		if got := w.ask(c.start, c.end, c.after); got != c.want {
			t.Errorf("[%s,%s) after %d: %d, want %d", c.start, c.end, c.after, got, c.want)
		}
	}
}

func TestSpansAndLargeCommitsAnswerUnknownWhereTheyOverlap(t *testing.T) {
	w := NewWindow(0)
	w.Add(10, keys("a"), []Span{{[]byte("m"), []byte("p")}})
	large := &Keys{}
	for i := range 2000 {
		large.Append(fmt.Appendf(nil, "q%05d", i))
	}
	w.Add(20, large, nil)
	for _, c := range []struct {
		start, end string
		want       Answer
	}{
		{"a", "b", Yes},
		{"l", "m", No},
		{"l", "n", Unknown},
		{"p", "q", No},
		{"q00700", "q00701", Unknown},
		{"r", "s", No},
		{"a", "z", Yes},
	} {
		if got := w.ask(c.start, c.end, 5); got != c.want {
			t.Errorf("[%s,%s): %d, want %d", c.start, c.end, got, c.want)
		}
	}
}

func TestForgottenCommitsAreNeverMissed(t *testing.T) {
	w := NewWindow(0)
	w.Add(1, keys("x"), nil)
	for i := range 3 * slots {
		w.Add(mvcc.Timestamp(2+i), keys("y"), nil)
		if got := w.ask("x", "y", 0); got == No {
			t.Fatalf("after %d more commits the write is missed", i+1)
		}
	}
	if got := w.ask("x", "y", mvcc.Timestamp(3*slots-10)); got != No {
		t.Fatalf("a recent question: %d", got)
	}
}

func TestAddReusesTheMemoryOfForgottenCommits(t *testing.T) {
	w := NewWindow(0)
	k := keys("some key", "some other key")
	at := mvcc.Timestamp(0)
	add := func() { at++; w.Add(at, k, nil) }
	for range slots {
		add()
	}
	if n := testing.AllocsPerRun(100, add); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
