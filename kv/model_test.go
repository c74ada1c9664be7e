package kv

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// txnModel is what a transaction should see: the committed rows of its snapshot,
// and its writes.
type txnModel struct {
	committed map[string]string
	writes    []modelWrite
}

// view merges the committed rows with the writes of statements below limit.
func (m *txnModel) view(limit uint32) []string {
	rows := maps.Clone(m.committed)
	for k, v := range modelView(m.writes, limit) {
		if rows[k] = v; v == "" {
			delete(rows, k)
		}
	}
	var out []string
	for k, v := range rows {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out
}

// within returns the rows of sorted with keys in [from, to).
func within(sorted []string, from, to string) []string {
	var out []string
	for _, r := range sorted {
		if k, _, _ := strings.Cut(r, "="); k >= from && k < to {
			out = append(out, r)
		}
	}
	return out
}

// Random transactions one after the other, each with statements, savepoints and
// reads of all kinds, on an engine that flushes and collects between.
func TestReadYourWritesEqualsModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	db := openWith(t, Options{DisableAutoCompactions: true})
	committed := map[string]string{}
	for round := range 60 {
		m := &txnModel{committed: maps.Clone(committed)}
		txn := begin(t, db, TxnOptions{Isolation: Isolation(rng.IntN(2))})
		stmt := uint32(1)
		for range 40 {
			stmt = m.step(t, rng, txn, stmt)
		}
		if rng.IntN(4) == 0 {
			txn.Rollback()
		} else {
			if err := txn.Commit(bg); err != nil {
				t.Fatal(err)
			}
			committed = map[string]string{}
			for _, r := range m.view(allStatements) {
				k, v, _ := strings.Cut(r, "=")
				committed[k] = v
			}
		}
		switch round % 10 {
		case 3:
			if err := db.eng.Flush(); err != nil {
				t.Fatal(err)
			}
		case 7:
			collect(t, db)
		}
	}
}

func modelKey(rng *rand.Rand) string { return fmt.Sprintf("k%02d", rng.IntN(30)) }

// step does one thing and returns the statement's number.
func (m *txnModel) step(t *testing.T, rng *rand.Rand, txn *Txn, stmt uint32) uint32 {
	t.Helper()
	switch op := rng.IntN(20); {
	case op < 8:
		w := modelWrite{key: modelKey(rng), value: fmt.Sprint(rng.IntN(1000)), stmt: stmt}
		if rng.IntN(4) == 0 {
			w.value = ""
			_ = txn.Del([]byte(w.key))
		} else {
			_ = txn.Put([]byte(w.key), []byte(w.value))
		}
		m.writes = append(m.writes, w)
	case op < 11:
		txn.NextStatement()
		return stmt + 1
	case op < 12:
		s, n := txn.Savepoint(), len(m.writes)
		for range rng.IntN(5) {
			stmt = m.step(t, rng, txn, stmt)
		}
		txn.RollbackTo(s)
		m.writes = m.writes[:n]
	case op < 14:
		m.checkGet(t, rng, txn, stmt)
	default:
		m.checkScan(t, rng, txn, stmt)
	}
	return stmt
}

func (m *txnModel) checkGet(t *testing.T, rng *rand.Rand, txn *Txn, stmt uint32) {
	t.Helper()
	key := modelKey(rng)
	limit, get := stmt, txn.Get
	if rng.IntN(2) == 0 {
		limit, get = allStatements, txn.GetLatest
	}
	value, ok, err := get(bg, []byte(key))
	got := ""
	if ok {
		got = key + "=" + string(value)
	}
	if want := strings.Join(within(m.view(limit), key, key+"!"), ""); err != nil || got != want {
		t.Fatalf("get %s: %q, want %q, %v", key, got, want, err)
	}
}

// checkScan walks a span, while it writes: a Latest iterator must see what is
// written ahead of it, another one must not.
func (m *txnModel) checkScan(t *testing.T, rng *rand.Rand, txn *Txn, stmt uint32) {
	t.Helper()
	o := IterOptions{Latest: rng.IntN(2) == 0, Reverse: rng.IntN(2) == 0}
	limit := stmt
	if o.Latest {
		limit = allStatements
	}
	from, to := modelKey(rng), modelKey(rng)
	if from > to {
		from, to = to, from
	}
	start := from
	it, err := txn.NewIter(bg, Span{[]byte(from), []byte(to)}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	want := func(from, to string) string {
		rows := within(m.view(limit), from, to)
		switch {
		case len(rows) == 0:
			return ""
		case o.Reverse:
			return rows[len(rows)-1]
		}
		return rows[0]
	}
	var trace []string
	for range 40 {
		ok := false
		if !o.Reverse && rng.IntN(5) == 0 {
			from = max(modelKey(rng), start)
			ok = it.SeekGE([]byte(from))
			trace = append(trace, "seek "+from)
		} else {
			ok = it.Next()
			trace = append(trace, "next")
		}
		got := ""
		if ok {
			got = fmt.Sprintf("%s=%s", it.Key(), it.Value())
		}
		trace = append(trace, "= "+got)
		if w := want(from, to); got != w {
			t.Fatalf("%+v [%s,%s) %v: got %q, want %q", o, from, to, trace, got, w)
		}
		if !ok {
			break
		}
		if key := string(it.Key()); o.Reverse {
			to = key
		} else {
			from = key + "!"
		}
		if rng.IntN(3) == 0 {
			w := modelWrite{key: modelKey(rng), value: fmt.Sprint(rng.IntN(1000)), stmt: stmt}
			_ = txn.Put([]byte(w.key), []byte(w.value))
			m.writes = append(m.writes, w)
			trace = append(trace, "put "+w.key)
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
}
