package sql_test

import (
	"reflect"
	"slices"
	"testing"
)

// TestResultsAreTheSameWithLittleMemory: what a statement puts aside in files comes back, and the files go.
func TestResultsAreTheSameWithLittleMemory(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	s := e.session("main")
	s.mustRun(t, `
		CREATE TABLE a (id int PRIMARY KEY, k int, n numeric, t text);
		INSERT INTO a SELECT i, CASE WHEN i % 11 > 0 THEN i * 7919 % 9000 END, i * 1.10, repeat('x', i % 40) || i FROM generate_series(1, 20000) i;
		CREATE TABLE b (id int PRIMARY KEY, k int, t text);
		INSERT INTO b SELECT i, CASE WHEN i % 13 > 0 THEN i * 104729 % 12000 END, md5(i::text) FROM generate_series(1, 15000) i;
		CREATE TABLE same (k int, t text);
		INSERT INTO same SELECT 1, repeat('y', 50) || i FROM generate_series(1, 3000) i`)
	for _, q := range []struct {
		sql     string
		ordered bool
	}{
		{"SELECT t, n, id FROM a ORDER BY t DESC", true},
		{"SELECT * FROM a ORDER BY k NULLS FIRST, n DESC", true},
		{"SELECT id, t FROM a ORDER BY k % 3, t LIMIT 9000", true},
		{"SELECT count(*), sum(length(t)), min(n) FROM (SELECT * FROM a ORDER BY t OFFSET 100) x", true},
		{"SELECT a.id, b.id, a.t, b.t FROM a JOIN b ON a.k = b.k", false},
		{"SELECT a.id, b.id, b.t FROM a LEFT JOIN b ON a.k = b.k AND b.id % 3 > 0", false},
		{"SELECT a.id, b.id, a.t FROM a RIGHT JOIN b ON a.k = b.k", false},
		{"SELECT a.id, b.id, a.n, b.t FROM a FULL JOIN b ON a.k = b.k AND a.id % 2 = 0", false},
		{"SELECT a.id, b.id FROM a FULL JOIN b ON a.k = b.k", false},
		{"SELECT id, t FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.t > 'a')", false},
		{"SELECT id, t FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k)", false},
		{"SELECT count(*) FROM same x JOIN same y ON x.k = y.k AND x.t < y.t AND length(x.t) = 51", true},
		{"SELECT t, count(*), sum(n), max(id) FROM a GROUP BY t", false},
		{"SELECT k, count(*), array_agg(id ORDER BY id DESC) FROM a GROUP BY k HAVING count(*) > 1", false},
		{"SELECT DISTINCT t FROM (SELECT t FROM a UNION ALL SELECT t FROM b UNION ALL SELECT t FROM a) x", false},
		{"SELECT count(*) FROM (SELECT DISTINCT k, length(t) FROM a) x", true},
		{"SELECT length(x.t), count(*) FROM (SELECT DISTINCT ON (t) t FROM same) x GROUP BY 1", false},
		{"SELECT t, k FROM a UNION SELECT t, k FROM b", false},
		{"SELECT k FROM a INTERSECT SELECT k FROM b", false},
		{"SELECT k FROM a INTERSECT ALL SELECT k FROM b", false},
		{"SELECT id, t FROM b EXCEPT SELECT id, t FROM b WHERE id % 5 > 0", false},
		{"SELECT k FROM a EXCEPT ALL SELECT k FROM b", false},
	} {
		s.mustRun(t, "SET work_mem = '256MB'")
		want := s.mustRun(t, q.sql).rows
		s.mustRun(t, "SET work_mem = '64kB'")
		got := s.mustRun(t, q.sql).rows
		if !q.ordered {
			for _, rows := range [][][]string{want, got} {
				slices.SortFunc(rows, slices.Compare)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d rows differ from %d", q.sql, len(got), len(want))
		}
	}
	fs, dir := e.db.Staging()
	if names, err := fs.List(dir); err != nil || len(names) > 0 {
		t.Errorf("left in the staging directory: %v (%v)", names, err)
	}
}
