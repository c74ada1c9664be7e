package sql_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"minidb/kv"
	"minidb/sql"
	"minidb/sql/types"
)

// shortPair is two engines that get the same statements: one as it is, and one that takes no short ways.
type shortPair struct {
	short, general *testSession
	engines        [2]*testEngine
	prepared       map[string][2]*sql.Prepared
}

func newShortPair(t *testing.T) *shortPair {
	t.Helper()
	p := &shortPair{prepared: map[string][2]*sql.Prepared{}}
	for i := range p.engines {
		p.engines[i] = openMinidb(t)
		t.Cleanup(p.engines[i].close)
	}
	p.engines[1].engine.UseGeneral()
	p.short, p.general = p.engines[0].session("main"), p.engines[1].session("main")
	return p
}

// shown is all that a client sees of a result.
func shown(s *testSession, r result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %v %q status %c", r.columns, r.rows, r.tag, s.TxStatus())
	if e := r.err; e != nil {
		fmt.Fprintf(&b, " error %s %q %q %q at %d %s.%s.%s", e.Code, e.Message, e.Detail, e.Hint, e.Position, e.Table, e.Column, e.Constraint)
	}
	for _, n := range s.notices {
		fmt.Fprintf(&b, " %s %s %q at %d", n.Severity, n.Code, n.Message, n.Position)
	}
	s.notices = nil
	return b.String()
}

// both runs a text on both engines and fails if a client could tell them apart.
func (p *shortPair) both(t *testing.T, text string) {
	t.Helper()
	got, want := shown(p.short, p.short.run(background, text)), shown(p.general, p.general.run(background, text))
	if got != want {
		t.Fatalf("%s\n got: %s\nwant: %s", text, got, want)
	}
}

// execute runs a statement that both sessions prepare once.
func (p *shortPair) execute(t *testing.T, text string, args ...types.Datum) {
	t.Helper()
	var out [2]string
	both := p.prepared[text]
	for i, s := range []*testSession{p.short, p.general} {
		r := s.runPrepared(&both[i], text, args)
		out[i] = shown(s, r)
		s.Sync(background)
	}
	if p.prepared[text] = both; out[0] != out[1] {
		t.Fatalf("%s %v\n got: %s\nwant: %s", text, args, out[0], out[1])
	}
}

// runPrepared prepares the text unless it is, and runs it.
func (s *testSession) runPrepared(p **sql.Prepared, text string, args []types.Datum) (out result) {
	fail := func(err error) result { return result{err: asError(err)} }
	if *p == nil {
		made, err := s.Prepare(background, text, nil)
		if err != nil {
			return fail(err)
		}
		*p = made
	}
	portal, err := s.Bind(background, *p, args)
	if err != nil {
		return fail(err)
	}
	defer portal.Close()
	for {
		b, err := portal.Next(background, 2)
		if err != nil {
			return fail(err)
		}
		if b == nil {
			out.tag = portal.Tag()
			return out
		}
		out.rows = append(out.rows, textRows(s.Context(), portal.Columns(), b)...)
	}
}

// compareStores fails unless both stores hold the same keys and values.
func (p *shortPair) compareStores(t *testing.T) {
	t.Helper()
	got, want := storeContents(t, p.engines[0].db), storeContents(t, p.engines[1].db)
	if len(got) != len(want) {
		t.Fatalf("%d keys, want %d", len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("KV %d is %q, want %q", i/2, got[i], want[i])
		}
	}
}

func storeContents(t *testing.T, db *kv.DB) (out [][]byte) {
	t.Helper()
	txn, err := db.Begin(kv.TxnOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	it, err := txn.NewIter(background, kv.Span{Start: []byte{1}, End: []byte{0xff, 0xff}}, kv.IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for it.Next() {
		out = append(out, bytes.Clone(it.Key()), bytes.Clone(it.Value()))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// shortStatements writes random statements.
type shortStatements struct{ *rand.Rand }

func (r shortStatements) pick(of ...string) string { return of[r.IntN(len(of))] }

func (r shortStatements) id() string { return fmt.Sprint(r.IntN(40)) }

func (r shortStatements) number() string {
	return r.pick(r.id(), "-"+r.id(), "- "+r.id(), "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807",
		"99999999999999999999", "1.5", "1e2", "'"+r.id()+"'", "'x'", "NULL", "DEFAULT", "007", "(1 + 2)")
}

func (r shortStatements) text() string {
	return r.pick("'a'", "'it''s'", "''", "'ü 世界'", "'much too long for it'", "5", "NULL", "E'a\\n'", "'a' || 'b'", "'2'::text", "DEFAULT", "$1")
}

func (r shortStatements) condition() string {
	switch r.IntN(7) {
	case 0:
		return "id IN (" + r.id() + ", " + r.id() + "," + r.number() + ")"
	case 1:
		return "id BETWEEN " + r.id() + " AND " + r.number()
	case 2:
		return "id = " + r.id() + " AND a " + r.pick("<", "<>", ">=", "=") + r.number()
	case 3:
		return "id=-" + r.id()
	case 4:
		return "b = " + r.text()
	default:
		return "id = " + r.pick(r.id(), r.id(), r.id(), r.number())
	}
}

func (r shortStatements) statement() string {
	t := r.pick("t", "t", "t", "u", "h")
	switch r.IntN(12) {
	case 0, 1, 2:
		return "INSERT INTO " + t + r.pick(" VALUES ", " (id, a, b) VALUES ") + "(" + r.id() + ", " + r.number() + ", " + r.text() + ")" +
			r.pick("", "", "", " RETURNING id, b", ", ("+r.id()+", "+r.number()+", 'z')")
	case 3, 4:
		return "UPDATE " + t + " SET a = " + r.pick("a + "+r.number(), "a - "+r.number(), r.number()) + " WHERE " + r.condition() + r.pick("", "", " RETURNING *")
	case 5:
		return "update " + t + " set b = " + r.text() + ", id = id " + r.pick("+", "-", "* ") + r.id() + " where " + r.condition()
	case 6:
		return "DELETE FROM " + t + " WHERE " + r.condition() + r.pick("", "", " RETURNING a, b || '!'")
	case 7:
		return "SELECT count(*), sum(a), min(b) FROM " + t + " WHERE " + r.condition()
	case 8:
		return "SELECT a, b, 7, 'x' FROM " + t + " WHERE " + r.condition() + " ORDER BY " + r.pick("1, 2", "2, 1", "id, 1", "a + 1, id", "3", "9") + " LIMIT " + r.pick("1", "2", "-1")
	case 9:
		return "SELECT " + r.pick("a % "+r.number(), "a = "+r.number(), "b || "+r.text(), "id / (a - "+r.id()+")") + " FROM " + t + " WHERE " + r.condition() + r.pick("", ";", " FOR UPDATE")
	default:
		return "SELECT *" + r.pick("", ", nope", ", id AS x") + " FROM " + t + " WHERE " + r.condition()
	}
}

func TestShortWaysGiveWhatTheGeneralOnesGive(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := shortStatements{rand.New(rand.NewPCG(seed, 1))}
	p := newShortPair(t)
	tables := []string{
		`CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT '3', b varchar(8) DEFAULT 'b' NOT NULL, CHECK (a < 1000000))`,
		`CREATE TABLE u (id int8 PRIMARY KEY, a numeric(6,1) UNIQUE, b char(6))`,
		`CREATE TABLE h (id int, a int8, b text)`,
	}
	for _, text := range tables {
		p.both(t, text)
	}
	remembered := 0
	for range 1500 {
		switch r.IntN(30) {
		case 0:
			p.both(t, r.pick("BEGIN", "COMMIT", "END;", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "BEGIN ISOLATION LEVEL REPEATABLE READ"))
		case 1:
			if r.IntN(4) > 0 {
				break
			}
			p.both(t, r.pick("SET search_path = public", "SET search_path = other", "RESET search_path", "SET LOCAL search_path = other", "SET TimeZone = 'Asia/Tokyo'"))
		case 2:
			if r.IntN(4) == 0 {
				i := r.IntN(3)
				p.both(t, "DROP TABLE "+[]string{"t", "u", "h"}[i]+"; "+tables[i])
			} else if r.IntN(4) == 0 {
				p.both(t, "CREATE INDEX ON "+r.pick("t", "u", "h")+" (a)")
			}
		case 3:
			p.both(t, r.statement()+r.pick("; ", "; SELECT ")+r.statement())
		case 4, 5, 6, 7, 8:
			p.random(t, r)
		default:
			text := r.statement()
			for range 1 + r.IntN(4) {
				p.both(t, text)
			}
		}
		remembered = max(remembered, p.short.Remembered())
	}
	if remembered < 20 {
		t.Errorf("no more than %d statements were remembered: the test tests little", remembered)
	}
	p.both(t, "ROLLBACK")
	p.compareStores(t)
}

// random executes one of a few statements with random arguments.
func (p *shortPair) random(t *testing.T, r shortStatements) {
	t.Helper()
	arg := func() types.Datum {
		if r.IntN(12) == 0 {
			return types.NullDatum
		}
		return types.NewInt(int64(r.IntN(40)))
	}
	switch r.IntN(7) {
	case 0:
		p.execute(t, `INSERT INTO t VALUES ($1, $2, 'p')`, arg(), arg())
	case 1:
		p.execute(t, `UPDATE t SET a = a + $1 WHERE id = $2`, arg(), arg())
	case 2:
		p.execute(t, `UPDATE t SET id = $1 WHERE id = $2 AND a > $3`, arg(), arg(), arg())
	case 3:
		p.execute(t, `DELETE FROM t WHERE id = $1`, arg())
	case 4:
		p.execute(t, `SELECT * FROM t WHERE id IN ($1, $2, $3) ORDER BY id DESC`, arg(), arg(), arg())
	case 5:
		p.execute(t, `SELECT b, a FROM t WHERE id BETWEEN $1 AND $2 ORDER BY a, b`, arg(), arg())
	default:
		p.execute(t, `SELECT a, (SELECT count(*) FROM u) FROM t WHERE id = $1`, arg())
	}
}

func TestLiftedStatementsAreFoundByText(t *testing.T) {
	p := newShortPair(t)
	p.both(t, `CREATE TABLE t (id int PRIMARY KEY, a int, b text)`)
	for i := range 4 {
		p.both(t, fmt.Sprintf(`INSERT INTO t VALUES (%d, -%d, 'it''s %d')`, i, i, i))
		p.both(t, fmt.Sprintf(`SELECT a, b FROM t WHERE id = %d`, i))
		p.both(t, `BEGIN`)
		p.both(t, `COMMIT`)
	}
	if n := p.short.Remembered(); n != 4 {
		t.Errorf("%d statements are remembered, want 4", n)
	}
	// Errors have the positions of their own texts.
	p.both(t, `SELECT a, b FROM t WHERE id = 'x'`)
	p.both(t, `SELECT a, b FROM t WHERE id = 10000000000`)
	p.both(t, `ALTER TABLE t RENAME TO v`)
	p.both(t, `SELECT a, b FROM t WHERE id = 3`)
	p.compareStores(t)
}

func TestSuspendedPortalsOfOneStatementDoNotMix(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY)`)
	s.mustRun(t, `INSERT INTO t SELECT g FROM generate_series(1, 10) AS g`)
	s.mustRun(t, `BEGIN`)
	p, err := s.Prepare(background, `SELECT a FROM t WHERE a BETWEEN $1 AND $2`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var portals [3]*sql.Portal
	for i := range portals {
		if portals[i], err = s.Bind(background, p, []types.Datum{types.NewInt(int64(1 + i)), types.NewInt(int64(8 + i))}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 8 {
		for i := range portals {
			if got := s.pull(t, portals[i], 1); len(got) != 1 || got[0] != fmt.Sprint(1+i+n) {
				t.Fatalf("row %d of portal %d is %v", n, i, got)
			}
		}
	}
}
