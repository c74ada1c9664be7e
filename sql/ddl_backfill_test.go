package sql_test

import "testing"

func TestLargeIndexIsBuiltFromFiles(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	s := e.session("main")
	s.mustRun(t, "CREATE TABLE t (a int PRIMARY KEY, b int, c text)")
	insertRows(t, s, "t", 20_000)
	s.mustRun(t, "CREATE INDEX ON t (b) STORING (c)")
	if r := s.run(background, "CREATE UNIQUE INDEX ON t (c, b)"); r.err == nil || r.err.Code != "23505" || r.err.Detail == "" {
		t.Errorf("unique index over duplicates: %v", r.err)
	}
	s.mustRun(t, "CREATE UNIQUE INDEX ON t (c, a)")
	// As one of several statements it is part of their transaction.
	s.mustRun(t, "CREATE INDEX again ON t (b, c); INSERT INTO t VALUES (-1, -1, 'seen'); UPDATE t SET b = -2 WHERE a = 7")
	if r := s.run(background, "CREATE INDEX gone ON t (b, c); SELECT 1/0"); r.err == nil {
		t.Error("no error")
	}
	if e.table("t").IndexByName("gone") != nil {
		t.Error("an index stayed after its transaction failed")
	}
	if got := s.mustRun(t, "SELECT count(*) FROM t WHERE b = 8").rows[0][0]; got != "20" {
		t.Errorf("the index finds %s rows of 20", got)
	}
	e.checkIndexes()
}

// TestLargeIndexInAPipelineIsSeenByWhatFollows makes an index through the extended protocol, without a Sync before the
// statements that follow.
func TestLargeIndexInAPipelineIsSeenByWhatFollows(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	s := e.session("main")
	s.mustRun(t, "CREATE TABLE t (a int PRIMARY KEY, b int, c text)")
	insertRows(t, s, "t", 20_000)
	for _, text := range []string{
		"CREATE UNIQUE INDEX ON t (b, a) INCLUDE (c)",
		"INSERT INTO t VALUES (-1, 5, 'new')",
		"UPDATE t SET b = 6 WHERE b = 5 AND a < 5000",
	} {
		p, err := s.Prepare(background, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		portal, err := s.Bind(background, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := portal.Next(background, 0); err != nil {
			t.Fatal(err)
		}
		if err := portal.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(background); err != nil {
		t.Fatal(err)
	}
	if got := s.mustRun(t, "SELECT count(*) FROM t WHERE b = 6").rows[0][0]; got != "26" {
		t.Errorf("the index finds %s rows of 26", got)
	}
	e.checkIndexes()
}
