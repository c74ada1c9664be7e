package kv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"

	"minidb/storage/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openTest opens a store that only moves when told.
func openTest(t testing.TB, fs vfs.FS) *DB {
	t.Helper()
	return openWith(t, Options{FS: fs})
}

func openWith(t testing.TB, o Options) *DB {
	t.Helper()
	o.Dir = "db"
	if o.FS == nil {
		o.FS = vfs.NewMem()
	}
	if o.GCInterval == 0 {
		o.GCInterval = -1
	}
	if o.MemtableBytes == 0 {
		o.MemtableBytes = 1 << 20
	}
	o.CacheBytes = 1 << 20
	db, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// script runs the commands of one file against one store. Transactions are named;
// each has at most one call running. A call that waits for a lock prints
// "blocks", and its result appears with the command that lets it go on.
type script struct {
	t       *testing.T
	db      *DB
	txns    map[string]*scriptTxn
	order   []string
	savings map[string]Savepoint
}

type scriptTxn struct {
	*Txn
	result chan string // of the call that runs
	iter   *Iter       // CPut's
}

// TestScripts runs testdata/*. Lines of a "run" block are
//
//	NAME begin [rr] | stmt | commit | rollback
//	NAME put K V | del K | cput K V [EXPECTED] | get K | scan [latest] [reverse]
//	NAME lock K MODE [nowait | skip]
//	NAME update K V | add K N | update-where OLD V | delete-where OLD
//	NAME savepoint S | rollback-to S
//	committed K V …      a commit of its own
//
// update, add and the …-where forms do what SQL does: read by the statement's
// snapshot, lock the row, re-read and re-check it if it changed, write.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{t: t, db: openTest(t, nil), txns: map[string]*scriptTxn{}, savings: map[string]Savepoint{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				f := strings.Fields(line)
				fmt.Fprintf(&out, "%s: %s\n", strings.TrimSpace(line), s.line(f))
				out.WriteString(s.finished())
			}
			return out.String()
		})
		for _, name := range s.order {
			s.txns[name].Rollback()
		}
	})
}

func (s *script) line(f []string) string {
	ctx := context.Background()
	if f[0] == "committed" {
		t, _ := s.db.Begin(TxnOptions{})
		for i := 1; i < len(f); i += 2 {
			_ = t.Put([]byte(f[i]), []byte(f[i+1]))
		}
		return outcome(t.Commit(ctx))
	}
	name, op, args := f[0], f[1], f[2:]
	if op == "begin" {
		o := TxnOptions{}
		if slices.Contains(args, "rr") {
			o.Isolation = RepeatableRead
		}
		t, err := s.db.Begin(o)
		s.txns[name] = &scriptTxn{Txn: t}
		s.order = append(s.order, name)
		return outcome(err)
	}
	x := s.txns[name]
	switch op {
	case "savepoint":
		s.savings[args[0]] = x.Savepoint()
		return "ok"
	case "rollback-to":
		x.RollbackTo(s.savings[args[0]])
		return "ok"
	}
	x.result = make(chan string, 1)
	before := s.db.Metrics().Waiters
	go func() { x.result <- x.do(ctx, op, args) }()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		select {
		case r := <-x.result:
			x.result = nil
			return r
		case <-time.After(100 * time.Microsecond):
		}
		if s.db.Metrics().Waiters > before {
			return "blocks"
		}
	}
	s.t.Fatalf("%v neither ends nor waits", f)
	return ""
}

// finished waits for the calls that no longer wait for a lock and prints their
// results.
func (s *script) finished() string {
	var out strings.Builder
	for _, name := range s.order {
		x := s.txns[name]
		if x.result == nil {
			continue
		}
		for done := false; !done; {
			select {
			case r := <-x.result:
				fmt.Fprintf(&out, "  %s goes on: %s\n", name, r)
				x.result, done = nil, true
			case <-time.After(100 * time.Microsecond):
				done = s.running() == s.db.Metrics().Waiters
			}
		}
	}
	return out.String()
}

// running is the number of calls without a result.
func (s *script) running() (n int) {
	for _, x := range s.txns {
		if x.result != nil && len(x.result) == 0 {
			n++
		}
	}
	return n
}

func outcome(err error) string {
	var failed *ConditionFailedError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &failed):
		return fmt.Sprintf("%v (%q)", err, failed.Actual)
	default:
		return err.Error()
	}
}

var rowModes = map[string]RowLock{"keyshare": KeyShare, "share": Share, "nokeyupdate": NoKeyUpdate, "update": Update}

func (x *scriptTxn) do(ctx context.Context, op string, args []string) string {
	key := []byte(nil)
	if len(args) > 0 {
		key = []byte(args[0])
	}
	switch op {
	case "stmt":
		x.NextStatement()
		return "ok"
	case "commit":
		x.closeIter()
		return outcome(x.Commit(ctx))
	case "rollback":
		x.closeIter()
		x.Rollback()
		return "ok"
	case "put":
		return outcome(x.Put(key, []byte(args[1])))
	case "del":
		return outcome(x.Del(key))
	case "cput":
		return outcome(x.cput(ctx, args))
	case "get":
		value, ok, err := x.Get(ctx, key)
		if err == nil && !ok {
			return "absent"
		}
		return string(value) + errText(err)
	case "scan":
		return x.scan(ctx, args)
	case "lock":
		wait := Block
		if slices.Contains(args, "nowait") {
			wait = NoWait
		} else if slices.Contains(args, "skip") {
			wait = SkipLocked
		}
		changed, err := x.LockRow(ctx, key, rowModes[args[1]], wait)
		if changed {
			return "changed" + errText(err)
		}
		return outcome(err)
	case "update":
		return x.update(ctx, func(k, v string) (string, bool) { return args[1], k == args[0] })
	case "add":
		n, _ := strconv.Atoi(args[1])
		return x.update(ctx, func(k, v string) (string, bool) {
			old, _ := strconv.Atoi(v)
			return strconv.Itoa(old + n), args[0] == "*" || k == args[0]
		})
	case "update-where":
		return x.update(ctx, func(k, v string) (string, bool) { return args[1], v == args[0] })
	case "delete-where":
		return x.update(ctx, func(k, v string) (string, bool) { return "", v == args[0] })
	}
	return "unknown command " + op
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return ", " + err.Error()
}

func (x *scriptTxn) closeIter() {
	if x.iter != nil {
		_ = x.iter.Close()
		x.iter = nil
	}
}

func (x *scriptTxn) cput(ctx context.Context, args []string) (err error) {
	if err := x.LockKey(ctx, []byte(args[0]), Update, Block); err != nil {
		return err
	}
	if x.iter == nil {
		if x.iter, err = x.NewIter(ctx, Span{[]byte("!"), []byte("~")}, IterOptions{Latest: true}); err != nil {
			return err
		}
	}
	var expected []byte
	if len(args) > 2 {
		expected = []byte(args[2])
	}
	return x.CPut(x.iter, []byte(args[0]), []byte(args[1]), expected)
}

func (x *scriptTxn) scan(ctx context.Context, args []string) string {
	it, err := x.NewIter(ctx, Span{[]byte("!"), []byte("~")}, IterOptions{
		Reverse: slices.Contains(args, "reverse"), Latest: slices.Contains(args, "latest"),
	})
	if err != nil {
		return err.Error()
	}
	var out []string
	for it.Next() {
		out = append(out, fmt.Sprintf("%s=%s", it.Key(), it.Value()))
	}
	if err := it.Close(); err != nil {
		return err.Error()
	}
	return "[" + strings.Join(out, " ") + "]"
}

// update sets the rows for which change says so to what it says, or deletes them
// if that is empty, as an UPDATE does.
func (x *scriptTxn) update(ctx context.Context, change func(k, v string) (string, bool)) string {
	it, err := x.NewIter(ctx, Span{[]byte("!"), []byte("~")}, IterOptions{})
	if err != nil {
		return err.Error()
	}
	defer it.Close()
	rows := 0
	for it.Next() {
		key, value := slices.Clone(it.Key()), string(it.Value())
		to, ok := change(string(key), value)
		if !ok {
			continue
		}
		changed, err := x.LockRow(ctx, key, NoKeyUpdate, Block)
		if err != nil {
			return err.Error()
		}
		if changed {
			latest, present, err := x.GetLatest(ctx, key)
			if err != nil {
				return err.Error()
			}
			if to, ok = change(string(key), string(latest)); !present || !ok {
				continue
			}
		}
		if to == "" {
			err = x.Del(key)
		} else {
			err = x.Put(key, []byte(to))
		}
		if err != nil {
			return err.Error()
		}
		rows++
	}
	if it.Err() != nil {
		return it.Err().Error()
	}
	return fmt.Sprintf("%d rows", rows)
}
