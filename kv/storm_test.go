package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minidb/storage/vfs"
)

const accounts, opening = 12, 100

func account(i int) []byte { return fmt.Appendf(nil, "acct%02d", i) }

func openBank(t testing.TB, db *DB) {
	txn := begin(t, db, TxnOptions{})
	for i := range accounts {
		_ = txn.Put(account(i), binary.AppendUvarint(nil, opening))
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
}

// total reads all accounts in one statement.
func total(txn *Txn) (sum uint64, err error) {
	it, err := txn.NewIter(bg, PrefixSpan([]byte("acct")), IterOptions{})
	if err != nil {
		return 0, err
	}
	for it.Next() {
		n, _ := binary.Uvarint(it.Value())
		sum += n
	}
	return sum, it.Close()
}

// transfer moves money between two accounts as two UPDATEs do. Refusals that a
// client would meet with another try are no errors.
func transfer(db *DB, rng *rand.Rand, iso Isolation) error {
	txn, err := db.Begin(TxnOptions{Isolation: iso})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	from, to := rng.IntN(accounts), rng.IntN(accounts)
	amount := uint64(1 + rng.IntN(5))
	for i, acct := range []int{from, to} {
		txn.NextStatement()
		key := account(acct)
		value, _, err := txn.Get(bg, key)
		if err != nil {
			return err
		}
		changed, err := txn.LockRow(bg, key, NoKeyUpdate, Block)
		switch {
		case errors.Is(err, ErrDeadlock), errors.Is(err, ErrSerialization):
			return nil
		case err != nil:
			return err
		case changed:
			if value, _, err = txn.GetLatest(bg, key); err != nil {
				return err
			}
		}
		n, _ := binary.Uvarint(value)
		if i == 0 && n < amount {
			return nil
		} else if i == 0 {
			n -= amount
		} else {
			n += amount
		}
		if err := txn.Put(key, binary.AppendUvarint(nil, n)); err != nil {
			return err
		}
	}
	return txn.Commit(bg)
}

func TestBankNeitherMakesNorLosesMoney(t *testing.T) {
	for _, iso := range []Isolation{ReadCommitted, RepeatableRead} {
		t.Run(fmt.Sprint("isolation", iso), func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			db := openWith(t, Options{MemtableBytes: 64 << 10, GCInterval: 2 * time.Millisecond})
			openBank(t, db)
			var wg sync.WaitGroup
			var stop atomic.Bool
			for w := range 6 {
				rng := rand.New(rand.NewPCG(seed, uint64(w)))
				wg.Go(func() {
					for !stop.Load() {
						if err := transfer(db, rng, iso); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			// Readers, with the threshold advancing and compactions all the time.
			for deadline := time.Now().Add(700 * time.Millisecond); time.Now().Before(deadline); {
				txn, err := db.Begin(TxnOptions{ReadOnly: true, Isolation: RepeatableRead})
				if err != nil {
					t.Fatal(err)
				}
				first, err1 := total(txn)
				if err := db.CollectGarbage(bg, Span{}); err != nil {
					t.Fatal(err)
				}
				second, err2 := total(txn)
				txn.Rollback()
				if first != accounts*opening || second != first || err1 != nil || err2 != nil {
					t.Fatalf("a snapshot holds %d, then %d; %v, %v", first, second, err1, err2)
				}
			}
			stop.Store(true)
			wg.Wait()
		})
	}
}

// crashWriter commits pairs of keys until the store fails, and notes what was
// acknowledged. Imports come between.
func crashWriter(t *testing.T, db *DB, w int, acked *sync.Map, stop *atomic.Bool) {
	for i := 0; !stop.Load(); i++ {
		txn, err := db.Begin(TxnOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		name := fmt.Sprintf("%d-%06d", w, i)
		_ = txn.Put([]byte("a"+name), []byte("v"))
		_ = txn.Put([]byte("b"+name), []byte("v"))
		if i%8 == 7 {
			s, err := importTable(db, "i"+name)
			if err != nil {
				t.Error(err)
				return
			}
			if err := txn.AddSSTables(bg, []*SSTable{s}, AddOptions{CheckConflicts: true}); err != nil {
				t.Error(err)
				return
			}
		}
		if err := txn.Commit(bg); err != nil {
			t.Error(err)
			return
		}
		acked.Store(name, i%8 == 7)
	}
}

const importRows = 20

func importTable(db *DB, prefix string) (*SSTable, error) {
	b, err := db.NewSSTable(SSTableOptions{})
	if err != nil {
		return nil, err
	}
	for i := range importRows {
		if err := b.Add(fmt.Appendf(nil, "%s-%02d", prefix, i), []byte("v")); err != nil {
			return nil, err
		}
	}
	return b.Finish()
}

func TestAcknowledgedCommitsSurviveCrashesWhole(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 6 {
		fs := vfs.NewMem()
		db := openWith(t, Options{FS: fs, MemtableBytes: 32 << 10, GCInterval: 3 * time.Millisecond})
		var acked sync.Map
		var stop atomic.Bool
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() { crashWriter(t, db, w, &acked, &stop) })
		}
		time.Sleep(time.Duration(20+rng.IntN(60)) * time.Millisecond)
		for cut := range 3 {
			known := map[string]bool{}
			acked.Range(func(name, imported any) bool {
				known[name.(string)] = imported.(bool)
				return true
			})
			o := vfs.CrashOptions{Seed: rng.Uint64()}
			if cut > 0 {
				o.KeepUnsynced, o.TearBytes = 0.5, 512*(cut-1)
			}
			checkCrash(t, fs.CrashClone(o), known)
		}
		stop.Store(true)
		wg.Wait()
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// checkCrash opens what a crash left and looks for what was acknowledged, and for
// halves.
func checkCrash(t *testing.T, fs vfs.FS, known map[string]bool) {
	t.Helper()
	db, err := Open(bg, Options{FS: fs, Dir: "db", GCInterval: -1, AllowClockJump: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wantNoTrace(t, db)
	as, bs, imported := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, kv := range strings.Fields(now(t, db)) {
		name := strings.TrimSuffix(kv[1:], "=v")
		switch kv[0] {
		case 'a':
			as[name] = true
		case 'b':
			bs[name] = true
		default:
			imported[name[:strings.LastIndexByte(name, '-')]]++
		}
	}
	for name, withTable := range known {
		if !as[name] || !bs[name] || withTable && imported[name] != importRows {
			t.Errorf("acknowledged %s: a %v, b %v, %d rows", name, as[name], bs[name], imported[name])
		}
	}
	for name := range as {
		if !bs[name] {
			t.Errorf("half of %s", name)
		}
	}
	for name, n := range imported {
		if n != importRows || !as[name] {
			t.Errorf("import %s has %d rows, its row %v", name, n, as[name])
		}
	}
	if err := db.Check(bg); err != nil {
		t.Error(err)
	}
}
