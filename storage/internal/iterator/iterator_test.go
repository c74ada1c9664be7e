package iterator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// slice is a source over sorted keys that counts its moves.
type slice struct {
	keys     []string
	at       int
	placed   bool
	moves    int
	failAt   int // the move that fails; 0: none
	err      error
	isClosed bool
}

var errSource = errors.New("source failed")

func (s *slice) move(at int) bool {
	s.moves++
	if s.moves == s.failAt {
		s.err = errSource
	}
	s.at, s.placed = max(-1, min(at, len(s.keys))), true
	return s.Valid()
}

func (s *slice) First() bool { return s.move(0) }
func (s *slice) Last() bool  { return s.move(len(s.keys) - 1) }
func (s *slice) Next() bool  { return s.move(s.at + 1) }
func (s *slice) Prev() bool  { return s.move(s.at - 1) }
func (s *slice) SeekGE(key []byte) bool {
	return s.move(sort.SearchStrings(s.keys, string(key)))
}

func (s *slice) SeekLT(key []byte) bool {
	return s.move(sort.SearchStrings(s.keys, string(key)) - 1)
}

func (s *slice) NextPrefix() bool {
	at := s.at
	for p := s.keys[at][:len(s.keys[at])-8]; at < len(s.keys) && s.keys[at][:len(s.keys[at])-8] == p; {
		at++
	}
	return s.move(at)
}

func (s *slice) Valid() bool {
	return s.err == nil && s.placed && s.at >= 0 && s.at < len(s.keys)
}
func (s *slice) Key() []byte   { return []byte(s.keys[s.at]) }
func (s *slice) Value() []byte { return []byte("v" + s.keys[s.at]) }
func (s *slice) Err() error    { return s.err }
func (s *slice) Close() error  { s.isClosed = true; return s.err }

func key(prefix, version int) string { return fmt.Sprintf("k%03d%08d", prefix, version) }

// someKeys returns n different keys in order.
func someKeys(rng *rand.Rand, n int) []string {
	seen := map[string]bool{}
	for range n {
		seen[key(rng.IntN(40), rng.IntN(10))] = true
	}
	var keys []string
	for k := range seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// levelOf cuts the keys into files between prefixes and returns a Level over them.
func levelOf(rng *rand.Rand, keys []string) *Level {
	var files [][]string
	for i, k := range keys {
		if i == 0 || k[:4] != keys[i-1][:4] && rng.IntN(3) == 0 {
			files = append(files, nil)
		}
		files[len(files)-1] = append(files[len(files)-1], k)
	}
	return NewLevel(&sliceFiles{files: files})
}

// sliceFiles are files that are slices; those opened are listed.
type sliceFiles struct {
	files  [][]string
	opened []int
	fail   int // the file that cannot be opened; 0: none
}

func (f *sliceFiles) Len() int              { return len(f.files) }
func (f *sliceFiles) Smallest(i int) []byte { return []byte(f.files[i][0]) }
func (f *sliceFiles) Largest(i int) []byte  { return []byte(f.files[i][len(f.files[i])-1]) }
func (f *sliceFiles) Open(i int) (Iterator, error) {
	f.opened = append(f.opened, i)
	if i == f.fail && i > 0 {
		return nil, errSource
	}
	return &slice{keys: f.files[i]}, nil
}

// walk moves the iterator at random and compares with the sorted keys.
func walk(t *testing.T, rng *rand.Rand, it Iterator, keys []string) {
	t.Helper()
	at := -2 // nowhere
	for step := range 400 {
		target := key(rng.IntN(42), rng.IntN(10))
		if rng.IntN(3) == 0 && at >= 0 && at+3 < len(keys) {
			target = keys[at+rng.IntN(3)] // a short way ahead
		}
		ge := sort.SearchStrings(keys, target)
		var ok bool
		op := rng.IntN(8)
		switch {
		case op == 0:
			ok, at = it.First(), 0
		case op == 1:
			ok, at = it.Last(), len(keys)-1
		case op <= 3:
			ok, at = it.SeekGE([]byte(target)), ge
		case op == 4:
			ok, at = it.SeekLT([]byte(target)), ge-1
		case at < 0 || at >= len(keys):
			continue
		case op == 5:
			ok, at = it.Next(), at+1
		case op == 6:
			ok, at = it.Prev(), at-1
		default:
			ok = it.NextPrefix()
			for p := keys[at][:4]; at < len(keys) && keys[at][:4] == p; {
				at++
			}
		}
		if want := at >= 0 && at < len(keys); ok != want || it.Valid() != want {
			t.Fatalf("step %d op %d: %v, want %v", step, op, ok, want)
		}
		if ok && (string(it.Key()) != keys[at] || string(it.Value()) != "v"+keys[at]) {
			t.Fatalf("step %d op %d: at %s, want %s", step, op, it.Key(), keys[at])
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMergeAgreesWithASortedSlice(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var sources []Iterator
		var all []string
		for range rng.IntN(6) {
			keys := someKeys(rng, rng.IntN(60))
			all = append(all, keys...)
			if rng.IntN(2) == 0 && len(keys) > 0 {
				sources = append(sources, levelOf(rng, keys))
			} else {
				sources = append(sources, &slice{keys: keys})
			}
		}
		slices.Sort(all)
		walk(t, rng, NewMerge(sources...), slices.Compact(all))
	}
}

func TestLevelAgreesWithASortedSlice(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		keys := someKeys(rng, 1+rng.IntN(100))
		walk(t, rng, levelOf(rng, keys), keys)
	}
}

// TestSeekAheadLeavesSourcesAtOrPastTheTargetAlone, in both directions.
func TestSeekAheadLeavesSourcesAtOrPastTheTargetAlone(t *testing.T) {
	near := &slice{keys: []string{key(1, 0), key(2, 0), key(3, 0)}}
	at := &slice{keys: []string{key(2, 5)}}
	far := &slice{keys: []string{key(1, 1), key(9, 0)}}
	m := NewMerge(near, at, far)
	m.First()
	m.SeekGE([]byte(key(1, 5)))
	nearMoves, atMoves, farMoves := near.moves, at.moves, far.moves
	if !m.SeekGE([]byte(key(2, 5))) || string(m.Key()) != key(2, 5) {
		t.Fatalf("at %s", m.Key())
	}
	if near.moves != nearMoves+1 || at.moves != atMoves || far.moves != farMoves {
		t.Fatalf("moves: near %d, at the target %d, past it %d", near.moves-nearMoves, at.moves-atMoves, far.moves-farMoves)
	}
	m.Last()
	m.SeekLT([]byte(key(9, 0)))
	nearMoves, atMoves, farMoves = near.moves, at.moves, far.moves
	if !m.SeekLT([]byte(key(3, 0))) || string(m.Key()) != key(2, 5) {
		t.Fatalf("backward at %s", m.Key())
	}
	if near.moves != nearMoves+1 || at.moves != atMoves || far.moves != farMoves {
		t.Fatalf("backward moves: near %d, at the target %d, past it %d", near.moves-nearMoves, at.moves-atMoves, far.moves-farMoves)
	}
}

// TestSeekAheadOpensOnlyTheTargetsFile of a level.
func TestSeekAheadOpensOnlyTheTargetsFile(t *testing.T) {
	files := &sliceFiles{}
	for i := range 10 {
		files.files = append(files.files, []string{key(i*10, 0), key(i*10+5, 0)})
	}
	l := NewLevel(files)
	l.SeekGE([]byte(key(21, 0)))
	l.SeekGE([]byte(key(25, 0)))
	l.SeekGE([]byte(key(78, 0)))
	if string(l.Key()) != key(80, 0) || !slices.Equal(files.opened, []int{2, 8}) {
		t.Fatalf("at %s, opened %v", l.Key(), files.opened)
	}
}

// TestASourcesErrorEndsTheMerge at whichever move it comes, and is not taken for
// the end.
func TestASourcesErrorEndsTheMerge(t *testing.T) {
	for failAt := 1; failAt < 8; failAt++ {
		bad := &slice{keys: []string{key(1, 0), key(2, 0), key(3, 0), key(4, 0), key(5, 0), key(6, 0)}, failAt: failAt}
		good := &slice{keys: []string{key(1, 5), key(9, 0)}}
		m := NewMerge(good, bad)
		for ok := m.First(); ok; {
			ok = m.Next()
		}
		if !errors.Is(m.Err(), errSource) || m.Valid() || m.Next() {
			t.Fatalf("failing move %d: err %v", failAt, m.Err())
		}
		if err := m.Close(); !errors.Is(err, errSource) || !good.isClosed || !bad.isClosed {
			t.Fatalf("close: %v", err)
		}
	}
	l := NewLevel(&sliceFiles{files: [][]string{{key(1, 0)}, {key(2, 0)}}, fail: 1})
	if !l.First() || l.Next() || !errors.Is(l.Err(), errSource) {
		t.Fatalf("level: %v", l.Err())
	}
}
