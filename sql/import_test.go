package sql_test

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"minidb/sql/sqlerr"
)

// writeFile puts a file into the import directory.
func (e *testEngine) writeFile(name, text string) {
	e.t.Helper()
	full := "import/" + name
	if err := e.fs.MkdirAll(path.Dir(full)); err != nil {
		e.t.Fatal(err)
	}
	f, err := e.fs.Create(full)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		e.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		e.t.Fatal(err)
	}
}

// importTable is a table with every kind of constraint, and a secondary index.
func importTable(t *testing.T) (*testEngine, *testSession) {
	t.Helper()
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (id int PRIMARY KEY, name varchar(5) NOT NULL, n numeric(6,2) CHECK (n > 0), d text DEFAULT 'dft', u int UNIQUE)`)
	s.mustRun(t, `CREATE INDEX ON t (name) STORING (n)`)
	return e, s
}

func TestImportBothSpellings(t *testing.T) {
	e, s := importTable(t)
	e.writeFile("1/T.txt", "1|one|1.5|x|10\n2|\"t|o\"|||\n")
	e.writeFile("2/T.txt", "3|three|3|\"\"|30\n")
	e.writeFile("more.csv", "id,name,u\n4,four,40\n5,five,\n")
	r := s.mustRun(t, `IMPORT INTO t CSV DATA ('nodelocal://1/*/T.txt') WITH delimiter = '|'`)
	if fmt.Sprint(r.columns) != "[job_id status fraction_completed rows bytes]" || len(r.rows) != 1 || strings.Join(r.rows[0][1:4], " ") != "succeeded 1 3" {
		t.Errorf("got %v %v", r.columns, r.rows)
	}
	r = s.mustRun(t, `IMPORT INTO t (id, name, u) FROM 'more.csv' FORMAT 'csv' WITH header`)
	if r.rows[0][3] != "2" {
		t.Errorf("got %v", r.rows)
	}
	wantRows(t, s, `SELECT * FROM t ORDER BY id`,
		"[[1 one 1.50 x 10] [2 t|o NULL NULL NULL] [3 three 3.00 (empty) 30] [4 four NULL dft 40] [5 five NULL dft NULL]]")
	wantRows(t, s, `SELECT id FROM t WHERE name = 'three'`, "[[3]]")
	wantRows(t, s, `SELECT id FROM t WHERE u = 40`, "[[4]]")
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

func TestImportDetachedAndShowJobs(t *testing.T) {
	e, s := importTable(t)
	e.writeFile("a.csv", "1,a,1,x,1\n")
	r := s.mustRun(t, `IMPORT INTO t CSV DATA ('a.csv') WITH DETACHED`)
	if fmt.Sprint(r.columns) != "[job_id]" || len(r.rows) != 1 {
		t.Fatalf("got %v %v", r.columns, r.rows)
	}
	id := r.rows[0][0]
	var row []string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if row = s.mustRun(t, `SHOW JOB `+id).rows[0]; row[4] != "running" {
			break
		}
	}
	if row[0] != id || row[1] != "IMPORT" || row[4] != "succeeded" || row[7] != "1" || !strings.Contains(row[2], "IMPORT INTO t") {
		t.Errorf("got %v", row)
	}
	if got := s.mustRun(t, `SHOW JOBS`); len(got.rows) != 1 || got.columns[0] != "job_id" {
		t.Errorf("got %v", got)
	}
	wantRows(t, s, `SELECT count(*) FROM t`, "[[1]]")
	if r := s.run(background, `SHOW JOB 999`); r.err == nil || r.err.Code != sqlerr.UndefinedObject {
		t.Errorf("got %v", r.err)
	}
	if r := s.run(background, `CANCEL JOB `+id); r.err == nil || r.err.Code != sqlerr.ObjectNotInPrerequisite {
		t.Errorf("got %v", r.err)
	}
}

// TestFailedImportLeavesNothing: each bad file gives its SQLSTATE with the place, and the table stays as it was.
func TestFailedImportLeavesNothing(t *testing.T) {
	for _, c := range []struct{ name, file, code, want string }{
		{"type", "1,a,1,x,1\nx2,b,1,x,2\n", "22P02", `invalid input syntax for type integer: "x2" WHERE: file "bad.csv", line 2, column id: "x2"`},
		{"length", "1,toolong,1,x,1\n", "22001", `value too long for type character varying(5)`},
		{"range", "1,a,123456.7,x,1\n", "22003", `numeric field overflow`},
		{"not null", "1,a,1,x,1\n2,,1,x,2\n", "23502", `null value in column "name" of relation "t" violates not-null constraint DETAIL: Failing row contains (2, null, 1.00, x, 2).`},
		{"check", "1,a,1,x,1\n2,b,-1,x,2\n", "23514", `new row for relation "t" violates check constraint "t_n_check"`},
		{"too few", "1,a,1,x\n", "22P04", `missing data for column "u"`},
		{"too many", "1,a,1,x,1,9\n", "22P04", `extra data after last expected column`},
		{"quote", "1,\"a,1,x,1\n", "22P04", `unterminated CSV quoted field`},
		{"in the file", "1,a,1,x,1\n2,b,1,x,2\n1,c,1,x,3\n", "23505", `duplicate key value violates unique constraint "t_pkey" DETAIL: Key (id)=(1) already exists.`},
		{"unique in the file", "1,a,1,x,7\n2,b,1,x,7\n", "23505", `constraint "t_u_key" DETAIL: Key (u)=(7) already exists.`},
		{"in the table", "1,a,1,x,1\n100,b,1,x,2\n", "23505", `Key (id)=(100) already exists. WHERE: file "bad.csv", line 2`},
		{"unique in the table", "1,a,1,x,1\n2,b,1,x,100\n", "23505", `Key (u)=(100) already exists. WHERE: file "bad.csv", line 2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, s := importTable(t)
			s.mustRun(t, `INSERT INTO t VALUES (100, 'old', 1, 'x', 100)`)
			e.writeFile("bad.csv", c.file)
			r := s.run(background, `IMPORT INTO t FROM 'bad.csv' FORMAT 'csv'`)
			if r.err == nil || string(r.err.Code) != c.code || !strings.Contains(describeError(r.err), c.want) || !strings.Contains(r.err.Where, `file "bad.csv", line`) {
				t.Errorf("got %v", describeError(r.err))
			}
			wantRows(t, s, `SELECT id FROM t`, "[[100]]")
			wantRows(t, s, `SELECT id FROM t WHERE name >= ''`, "[[100]]")
			if got := s.mustRun(t, `SHOW JOBS`).rows; len(got) != 1 || got[0][4] != "failed" || !strings.Contains(describeError(r.err), got[0][12]) {
				t.Errorf("jobs %v", got)
			}
			if _, err := e.engine.Check(background); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestImportRefusals(t *testing.T) {
	e, s := importTable(t)
	e.writeFile("a.csv", "1,a,1,x,1\n")
	for _, c := range []struct{ text, code string }{
		{`IMPORT INTO t CSV DATA ('../secret.csv')`, "42501"},
		{`IMPORT INTO t CSV DATA ('/etc/passwd')`, "42501"},
		{`IMPORT INTO t CSV DATA ('nodelocal://1/../../x')`, "42501"},
		{`IMPORT INTO t CSV DATA ('none*.csv')`, "58P01"},
		{`IMPORT INTO t CSV DATA ('s3://bucket/x')`, "0A000"},
		{`IMPORT INTO nope CSV DATA ('a.csv')`, "42P01"},
		{`IMPORT INTO t (nope) CSV DATA ('a.csv')`, "42703"},
		{`IMPORT INTO t CSV DATA ('a.csv') WITH nope = '1'`, "42601"},
		{`IMPORT INTO t CSV DATA ('a.csv') WITH delimiter = 'ab'`, "0A000"},
		{`SELECT 1; IMPORT INTO t CSV DATA ('a.csv')`, "25001"},
		{`BEGIN; IMPORT INTO t CSV DATA ('a.csv')`, "25001"},
	} {
		if r := s.run(background, c.text); r.err == nil || string(r.err.Code) != c.code {
			t.Errorf("%s: got %v, want %s", c.text, r.err, c.code)
		}
		s.run(background, `ROLLBACK`)
	}
	wantRows(t, s, `SELECT count(*) FROM t`, "[[0]]")
}

func TestCancelEndsAnImport(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b text)`)
	var text strings.Builder
	for i := range 200000 {
		fmt.Fprintf(&text, "%d,some text that fills the file a little %d\n", i, i)
	}
	e.writeFile("big.csv", text.String())
	other := e.session("other")
	go func() {
		for { // until the job is listed: before that there is nothing to cancel
			if r := other.run(background, `SHOW JOBS`); r.err != nil || len(r.rows) > 0 {
				s.Cancel()
				return
			}
		}
	}()
	r := s.run(background, `IMPORT INTO t CSV DATA ('big.csv')`)
	if r.err == nil || r.err.Code != sqlerr.QueryCanceled {
		t.Fatalf("got %v %v", r.err, r.rows)
	}
	wantRows(t, s, `SELECT count(*) FROM t`, "[[0]]")
	if got := s.mustRun(t, `SHOW JOBS`).rows[0][4]; got != "canceled" {
		t.Errorf("the job is %s", got)
	}
}

func TestImportWhileOthersWrite(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b int); CREATE INDEX ON t (b)`)
	var text strings.Builder
	for i := range 50000 {
		fmt.Fprintf(&text, "%d,%d\n", 2*i, i%100)
	}
	e.writeFile("even.csv", text.String())
	other := e.session("other")
	done := make(chan int)
	stop := make(chan struct{})
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				done <- n
				return
			default:
			}
			if r := other.run(background, fmt.Sprintf(`INSERT INTO t VALUES (%d, 7)`, 2*n+1)); r.err != nil {
				t.Error(describeError(r.err))
				done <- n
				return
			}
			n++
		}
	}()
	r := s.run(background, `IMPORT INTO t CSV DATA ('even.csv')`)
	close(stop)
	n := <-done
	if r.err != nil {
		t.Fatal(describeError(r.err))
	}
	wantRows(t, s, `SELECT count(*) FROM t`, fmt.Sprintf("[[%d]]", 50000+n))
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

func TestImportWithoutPrimaryKeyKeepsEqualRows(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int, b text)`)
	e.writeFile("a.csv", "1,x\n1,x\n")
	e.writeFile("b.csv", "1,x\n")
	s.mustRun(t, `IMPORT INTO t CSV DATA ('a.csv', 'b.csv')`)
	s.mustRun(t, `INSERT INTO t VALUES (1, 'x')`)
	wantRows(t, s, `SELECT count(*) FROM t WHERE a = 1 AND b = 'x'`, "[[4]]")
}

func TestImportLooksForeignKeysUp(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE p (id int PRIMARY KEY); INSERT INTO p VALUES (1), (2)`)
	s.mustRun(t, `CREATE TABLE c (n serial, p_id int REFERENCES p)`)
	e.writeFile("good.csv", "1\n2\n\n1\n")
	e.writeFile("bad.csv", "1\n3\n")
	s.mustRun(t, `IMPORT INTO c (p_id) CSV DATA ('good.csv')`)
	wantRows(t, s, `SELECT count(*), count(p_id), count(DISTINCT n) FROM c`, "[[4 3 4]]")
	r := s.run(background, `IMPORT INTO c (p_id) CSV DATA ('bad.csv')`)
	if r.err == nil || r.err.Code != sqlerr.ForeignKeyViolation || r.err.Detail != `Key (p_id)=(3) is not present in table "p".` {
		t.Errorf("got %v", r.err)
	}
	wantRows(t, s, `SELECT count(*) FROM c`, "[[4]]")
}

func TestImportAndCopyComputeColumnsAndIndexExpressions(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (id int PRIMARY KEY, a text, b text GENERATED ALWAYS AS (a || '!') STORED, c int)`)
	s.mustRun(t, `CREATE UNIQUE INDEX t_lower ON t (lower(a)) WHERE c > 0`)
	e.writeFile("t.csv", "1,One,1\n2,Two,2\n3,ONE,0\n")
	s.mustRun(t, `IMPORT INTO t FROM 't.csv'`)
	wantRows(t, s, `SELECT id, b FROM t WHERE lower(a) = 'one' AND c > 0`, "[[1 One!]]")
	wantRows(t, s, `SELECT id, b FROM t ORDER BY id`, "[[1 One!] [2 Two!] [3 ONE!]]")
	e.writeFile("bad.csv", "7,TWO,7\n")
	if got, ok := sqlerr.As(s.run(background, `IMPORT INTO t FROM 'bad.csv'`).err); !ok || got.Code != sqlerr.UniqueViolation || !strings.Contains(got.Detail, "Key (lower(a))=(two)") {
		t.Errorf("got %v", got)
	}
	if err := s.run(background, `IMPORT INTO t (id, b) FROM 'bad.csv'`).err; sqlerr.CodeOf(err) != sqlerr.InvalidColumnReference {
		t.Errorf("got %v", err)
	}
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

func TestImportReadsLabelsOfEnums(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TYPE mood AS ENUM ('sad', 'ok')`)
	s.mustRun(t, `CREATE TABLE t (m mood PRIMARY KEY, ms mood[] DEFAULT '{ok}', CHECK (m >= 'sad'))`)
	s.mustRun(t, `ALTER TYPE mood ADD VALUE 'meh' BEFORE 'ok'`)
	e.writeFile("t.csv", "ok\nmeh\n")
	s.mustRun(t, `IMPORT INTO t (m) CSV DATA ('t.csv')`)
	wantRows(t, s, `SELECT * FROM t WHERE m <= 'ok' ORDER BY m`, "[[meh {ok}] [ok {ok}]]")
	e.writeFile("bad.csv", "sad\nnope\n")
	r := s.run(background, `IMPORT INTO t (m) CSV DATA ('bad.csv')`)
	if r.err == nil || r.err.Code != sqlerr.InvalidTextRepresentation || r.err.Message != `invalid input value for enum mood: "nope"` {
		t.Errorf("got %v", r.err)
	}
	wantRows(t, s, `SELECT count(*) FROM t`, "[[2]]")
}
