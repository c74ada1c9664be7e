package mvcc

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// fact is one engine entry.
type fact struct{ key, value []byte }

// fakeIter walks sorted facts. It counts moves, to show what a walk costs.
type fakeIter struct {
	facts []fact
	pos   int
	moves int
}

func newFake(facts []fact) *fakeIter { return &fakeIter{facts: facts, pos: -1} }

func (f *fakeIter) move(pos int) bool {
	f.moves++
	f.pos = pos
	return f.Valid()
}

func (f *fakeIter) find(key []byte) int {
	return sort.Search(len(f.facts), func(i int) bool { return bytes.Compare(f.facts[i].key, key) >= 0 })
}

func (f *fakeIter) SeekGE(key []byte) bool { return f.move(f.find(key)) }
func (f *fakeIter) SeekLT(key []byte) bool { return f.move(f.find(key) - 1) }
func (f *fakeIter) Last() bool             { return f.move(len(f.facts) - 1) }
func (f *fakeIter) Prev() bool             { return f.move(f.pos - 1) }
func (f *fakeIter) Valid() bool            { return f.pos >= 0 && f.pos < len(f.facts) }
func (f *fakeIter) Key() []byte            { return f.facts[f.pos].key }
func (f *fakeIter) Value() []byte          { return f.facts[f.pos].value }
func (f *fakeIter) Err() error             { return nil }
func (f *fakeIter) NextPrefix() bool {
	key, _ := Split(f.Key())
	return f.move(f.find(AppendSuffix(bytes.Clone(key), 0)) + btoi(f.has(AppendSuffix(bytes.Clone(key), 0))))
}

func (f *fakeIter) has(key []byte) bool {
	i := f.find(key)
	return i < len(f.facts) && bytes.Equal(f.facts[i].key, key)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// parseFacts reads "key@timestamp=value"; an empty value is a delete.
func parseFacts(t *testing.T, text string) []fact {
	var facts []fact
	for _, f := range strings.Fields(text) {
		key, rest, ok := strings.Cut(f, "@")
		at, value, ok2 := strings.Cut(rest, "=")
		n, err := strconv.ParseUint(at, 10, 64)
		if !ok || !ok2 || err != nil {
			t.Fatalf("not key@timestamp=value: %q", f)
		}
		facts = append(facts, fact{AppendKey(nil, []byte(key), Timestamp(n)), []byte(value)})
	}
	slices.SortFunc(facts, func(a, b fact) int { return bytes.Compare(a.key, b.key) })
	return facts
}

func formatFact(f fact) string {
	key, at := Split(f.key)
	return fmt.Sprintf("%s@%d=%s", key, at, f.value)
}

// outside answers from facts that the compaction does not see.
type outside []fact

func (o outside) OldestSuffix(prefix []byte) (suffix []byte, ok bool) {
	for _, f := range o {
		if key, _ := Split(f.key); bytes.Equal(key, prefix) {
			suffix = f.key[len(key):] // the last is the oldest
		}
	}
	return suffix, suffix != nil
}

// TestScripts runs testdata/*: "facts" sets the engine's contents; "scan at=N
// [reverse] [from=key]", "conflicts [after=N] [at=N]" with the table's facts as
// input, "filter threshold=N [drop=start,end,N]…" with the outside facts as input.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var engine []fact
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "facts":
				engine = parseFacts(t, d.Input)
				return ""
			case "scan":
				return runScan(t, d, engine)
			case "conflicts":
				return runConflicts(t, d, engine)
			case "filter":
				return runFilter(t, d, engine)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func scanTimestamp(t *testing.T, d *datadriven.TestData, name string, def Timestamp) Timestamp {
	n := uint64(def)
	d.MaybeScanArgs(t, name, &n)
	return Timestamp(n)
}

func runScan(t *testing.T, d *datadriven.TestData, engine []fact) string {
	var out []string
	var from string
	d.MaybeScanArgs(t, "from", &from)
	var it Iter
	it.Init(newFake(engine), scanTimestamp(t, d, "at", MaxTimestamp))
	first, next := func() bool { return it.SeekGE([]byte(from)) }, it.Next
	if d.HasArg("reverse") {
		first, next = it.Last, it.Prev
		if from != "" {
			first = func() bool { return it.SeekLT([]byte(from)) }
		}
	}
	for ok := first(); ok; ok = next() {
		out = append(out, fmt.Sprintf("%s@%d=%s", it.Key(), it.Timestamp(), it.Value()))
	}
	return orNone(out)
}

func orNone(out []string) string {
	if len(out) == 0 {
		return "none\n"
	}
	return strings.Join(out, " ") + "\n"
}

func runConflicts(t *testing.T, d *datadriven.TestData, engine []fact) string {
	table := newFake(parseFacts(t, d.Input))
	c, err := CheckConflicts(newFake(engine), table,
		scanTimestamp(t, d, "after", 0), scanTimestamp(t, d, "at", MaxTimestamp))
	if err != nil {
		return err.Error()
	}
	if c == nil {
		return "none\n"
	}
	return fmt.Sprintf("%s@%d=%s, table has %s\n", c.Key, c.At, c.Existing, c.Value)
}

func runFilter(t *testing.T, d *datadriven.TestData, engine []fact) string {
	var spans []DroppedSpan
	for _, a := range d.CmdArgs {
		if a.Key == "drop" {
			at, err := strconv.ParseUint(a.Vals[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			spans = append(spans, DroppedSpan{[]byte(a.Vals[0]), []byte(a.Vals[1]), Timestamp(at)})
		}
	}
	f := NewFilter(scanTimestamp(t, d, "threshold", 0), NewDroppedSpans(spans))
	others := outside(parseFacts(t, d.Input))
	var kept []string
	for _, e := range engine {
		if !f.Drop(e.key, e.value, others) {
			kept = append(kept, formatFact(e))
		}
	}
	return orNone(kept)
}
