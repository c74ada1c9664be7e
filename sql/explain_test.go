package sql_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"minidb/sql/types"
)

// explainedStatements are statements whose plans have nodes of all kinds.
var explainedStatements = []string{
	`SELECT 1`,
	`SELECT * FROM t WHERE false`,
	`SELECT DISTINCT b FROM t WHERE a > 1 AND b < 3 ORDER BY b LIMIT 3`,
	`SELECT DISTINCT ON (b) b, a FROM t ORDER BY b, a DESC`,
	`SELECT b, count(*), grouping(b) FROM t GROUP BY ROLLUP (b) HAVING count(*) > 1`,
	`SELECT rank() OVER (ORDER BY a), sum(b) OVER (PARTITION BY c) FROM t`,
	`SELECT * FROM t x JOIN t y USING (a) LEFT JOIN t z ON z.a = y.b AND z.b + y.b > 1 WHERE x.b <> 4`,
	`SELECT * FROM t WHERE EXISTS (SELECT 1 FROM t i WHERE i.b = t.a) AND a NOT IN (SELECT b FROM t) OR a = (SELECT max(a) FROM t)`,
	`SELECT * FROM t, LATERAL (SELECT i.a FROM t i WHERE i.b = t.b LIMIT 1) l WHERE l.a > 1`,
	`SELECT a FROM t UNION ALL SELECT b FROM t UNION SELECT 3 INTERSECT SELECT 4`,
	`WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT * FROM r r2 WHERE n > 1`,
	`WITH w AS (DELETE FROM t WHERE a = 30 RETURNING *) SELECT * FROM w AS v`,
	`SELECT g, generate_series(1, 2) + 1 FROM generate_series(1, 3) g, unnest(ARRAY[1]) WITH ORDINALITY u (v, o) ORDER BY 2`,
	`SELECT relname FROM pg_class WHERE relname = 't'`,
	`SELECT last_value FROM s`,
	`SELECT * FROM v WHERE a = 1`,
	"VALUES (1, 'a\"\\'), (2, '\t')",
	`SELECT * FROM t WHERE b = 1 FOR UPDATE`,
	`INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT (a) DO UPDATE SET b = (SELECT max(b) FROM t) WHERE t.b > 2 RETURNING a`,
	`UPDATE t SET b = i.b FROM t i WHERE i.a = t.b RETURNING t.*`,
	`CREATE TABLE made AS SELECT a FROM t`,
}

// TestExplainFormatsAgree: JSON of any plan is valid, no object has a key twice, and it has the nodes of the text.
func TestExplainFormatsAgree(t *testing.T) {
	e := openMinidb(t)
	s := e.session("main")
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b int, c text); INSERT INTO t SELECT g, g % 5, 'c' FROM generate_series(1, 40) g;
		CREATE SEQUENCE s; CREATE VIEW v AS SELECT a, b FROM t ORDER BY b; CREATE INDEX ON t (b)`)
	for _, statement := range explainedStatements {
		for _, options := range []string{"", "VERBOSE", "ANALYZE", "ANALYZE, VERBOSE, TIMING off, COSTS off, SUMMARY off"} {
			prefix := "BEGIN; EXPLAIN (" + strings.TrimPrefix(options+", ", ", ")
			lines := s.mustRun(t, prefix+"FORMAT TEXT) "+statement).rows
			s.mustRun(t, "ROLLBACK")
			got := s.mustRun(t, prefix+"FORMAT JSON) "+statement).rows
			s.mustRun(t, "ROLLBACK")
			text := strings.ReplaceAll(got[0][0], `\n`, "\n")
			nodes, err := planNodes(text, strings.Contains(options, "ANALYZE"))
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", options, statement, err, text)
			}
			arrows := 1
			for _, l := range lines {
				arrows += strings.Count(l[0], "->  ")
			}
			if nodes != arrows {
				t.Errorf("%s: %s: JSON has %d nodes, text %d", options, statement, nodes, arrows)
			}
		}
	}
}

func TestExplainColumnTypes(t *testing.T) {
	s := openMinidb(t).session("main")
	for format, want := range map[string]types.Type{"TEXT": types.Text, "JSON": types.JSON} {
		p, err := s.Prepare(background, "EXPLAIN (FORMAT "+format+") SELECT 1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c := p.Columns(); len(c) != 1 || c[0].Name != "QUERY PLAN" || c[0].Type != want {
			t.Errorf("%s: columns %v", format, c)
		}
	}
}

// planNodes checks the JSON of an explanation and counts its nodes.
func planNodes(text string, analyzed bool) (int, error) {
	var all []map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return 0, err
	}
	if err := checkKeys(json.NewDecoder(strings.NewReader(text))); err != nil && err != io.EOF {
		return 0, err
	}
	if len(all) != 1 {
		return 0, fmt.Errorf("%d plans", len(all))
	}
	if _, ok := all[0]["Triggers"]; ok != analyzed {
		return 0, fmt.Errorf("has Triggers: %v", ok)
	}
	root, _ := all[0]["Plan"].(map[string]any)
	return countPlanNodes(root, true)
}

func countPlanNodes(n map[string]any, root bool) (int, error) {
	for _, key := range []string{"Node Type", "Parallel Aware", "Async Capable", "Parent Relationship"} {
		if _, ok := n[key]; ok == (root && key == "Parent Relationship") {
			return 0, fmt.Errorf("a node has %s: %v", key, ok)
		}
	}
	count := 1
	plans, _ := n["Plans"].([]any)
	for _, p := range plans {
		node, _ := p.(map[string]any)
		more, err := countPlanNodes(node, false)
		if err != nil {
			return 0, err
		}
		count += more
	}
	return count, nil
}

// checkKeys reads a value and refuses an object with a key twice.
func checkKeys(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	bracket, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	keys := map[any]bool{}
	for d.More() {
		if bracket == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if keys[key] {
				return fmt.Errorf("key %v twice", key)
			}
			keys[key] = true
		}
		if err := checkKeys(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
