package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"minidb/sql"
	"minidb/sql/types"
)

// The statements of the benchmarks below touch 1 or 100 rows each, by key, through a session and without a wire. Times and allocations
// are those of a row. The table is that of the everyday benchmark clients: a key, a number with an index, two padded strings.

func BenchmarkSQLInsert1(b *testing.B)   { benchInsert(b, 1) }
func BenchmarkSQLInsert100(b *testing.B) { benchInsert(b, 100) }
func BenchmarkSQLUpdate1(b *testing.B)   { benchByKey(b, 1, `UPDATE bench SET k = k + 1 WHERE `) }
func BenchmarkSQLUpdate100(b *testing.B) { benchByKey(b, 100, `UPDATE bench SET k = k + 1 WHERE `) }
func BenchmarkSQLSelect1(b *testing.B)   { benchByKey(b, 1, `SELECT k, c FROM bench WHERE `) }
func BenchmarkSQLSelect100(b *testing.B) { benchByKey(b, 100, `SELECT k, c FROM bench WHERE `) }
func BenchmarkSQLDelete1(b *testing.B)   { benchDelete(b, 1) }
func BenchmarkSQLDelete100(b *testing.B) { benchDelete(b, 100) }

const benchRows = 20000

// rowSession is a session on a filled table.
func rowSession(b *testing.B) *sql.Session {
	b.Helper()
	s := benchSession(b)
	benchRun(b, s, `CREATE TABLE bench (id int PRIMARY KEY, k int DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL)`)
	benchRun(b, s, `CREATE INDEX ON bench (k)`)
	refill(b, s)
	return s
}

func refill(b *testing.B, s *sql.Session) {
	benchRun(b, s, fmt.Sprintf(`INSERT INTO bench SELECT g, g %% 500, 'some text', 'padding' FROM generate_series(1, %d) AS g`, benchRows))
}

// benchPrepare prepares a statement that is the text with the parameters of rows rows in it.
func benchPrepare(b *testing.B, s *sql.Session, text string) *sql.Prepared {
	b.Helper()
	p, err := s.Prepare(background, text, nil)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// perRow reports times and allocations of a row.
func perRow(b *testing.B, rows int, run func(i int)) {
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += rows {
		run(i)
	}
}

// byKey is the condition that picks rows by their keys.
func byKey(rows int) string {
	if rows == 1 {
		return "id = $1"
	}
	var keys []string
	for i := range rows {
		keys = append(keys, fmt.Sprintf("$%d", i+1))
	}
	return "id IN (" + strings.Join(keys, ", ") + ")"
}

func benchByKey(b *testing.B, rows int, text string) {
	s := rowSession(b)
	p := benchPrepare(b, s, text+byKey(rows))
	args := make([]types.Datum, rows)
	perRow(b, rows, func(i int) {
		for r := range args {
			args[r] = types.NewInt(int64(1 + (i+r)*7%benchRows))
		}
		benchExecute(b, s, p, args...)
	})
}

func benchInsert(b *testing.B, rows int) {
	s := rowSession(b)
	var values []string
	for r := range rows {
		values = append(values, fmt.Sprintf("($%d, $%d, $%d, 'padding')", 3*r+1, 3*r+2, 3*r+3))
	}
	p := benchPrepare(b, s, `INSERT INTO bench (id, k, c, pad) VALUES `+strings.Join(values, ", "))
	args := make([]types.Datum, 0, 3*rows)
	perRow(b, rows, func(i int) {
		args = args[:0]
		for r := range rows {
			args = append(args, types.NewInt(int64(benchRows+1+i+r)), types.NewInt(int64(i%500)), types.NewText("some text"))
		}
		benchExecute(b, s, p, args...)
	})
}

func benchDelete(b *testing.B, rows int) {
	s := rowSession(b)
	p := benchPrepare(b, s, `DELETE FROM bench WHERE `+byKey(rows))
	args := make([]types.Datum, rows)
	perRow(b, rows, func(i int) {
		at := i % benchRows
		if at == 0 && i > 0 {
			b.StopTimer()
			refill(b, s)
			b.StartTimer()
		}
		for r := range args {
			args[r] = types.NewInt(int64(1 + at + r))
		}
		benchExecute(b, s, p, args...)
	})
}

// BenchmarkSQLSelectSimple is a point select whose text differs each time.
func BenchmarkSQLSelectSimple(b *testing.B) {
	s := rowSession(b)
	perRow(b, 1, func(i int) { benchRun(b, s, fmt.Sprintf(`SELECT k, c FROM bench WHERE id = %d`, 1+i*7%benchRows)) })
}

// BenchmarkSQLInsertSimple is an insert whose text differs each time.
func BenchmarkSQLInsertSimple(b *testing.B) {
	s := rowSession(b)
	perRow(b, 1, func(i int) {
		benchRun(b, s, fmt.Sprintf(`INSERT INTO bench (id, k, c, pad) VALUES (%d, %d, 'some text %d', 'padding')`, benchRows+1+i, i%500, i))
	})
}

// BenchmarkSQLBlock is a transaction block of three statements, all prepared.
func BenchmarkSQLBlock(b *testing.B) {
	s := rowSession(b)
	begin, update, end := benchPrepare(b, s, `BEGIN`), benchPrepare(b, s, `UPDATE bench SET k = k + 1 WHERE id = $1`), benchPrepare(b, s, `END`)
	perRow(b, 1, func(i int) {
		benchExecute(b, s, begin)
		benchExecute(b, s, update, types.NewInt(int64(1+i*7%benchRows)))
		benchExecute(b, s, end)
	})
}

// The range benchmarks read 100 rows by key, as the read statements of sysbench do. Times and allocations are those of a statement.

func BenchmarkSQLRange(b *testing.B) { benchRange(b, `SELECT c FROM bench WHERE id BETWEEN $1 AND $2`) }

func BenchmarkSQLRangeSum(b *testing.B) {
	benchRange(b, `SELECT sum(k) FROM bench WHERE id BETWEEN $1 AND $2`)
}

func BenchmarkSQLRangeOrder(b *testing.B) {
	benchRange(b, `SELECT c FROM bench WHERE id BETWEEN $1 AND $2 ORDER BY c`)
}

func BenchmarkSQLRangeDistinct(b *testing.B) {
	benchRange(b, `SELECT DISTINCT c FROM bench WHERE id BETWEEN $1 AND $2 ORDER BY c`)
}

func benchRange(b *testing.B, text string) {
	s := rowSession(b)
	benchRun(b, s, `UPDATE bench SET c = (id * 7919 % 99991)::text || '-68487932199-96439406143-93774651418-41631865787-96406072701-20604855487'`)
	p := benchPrepare(b, s, text)
	args := make([]types.Datum, 2)
	perRow(b, 1, func(i int) {
		from := int64(1 + i*7919%(benchRows-100))
		args[0], args[1] = types.NewInt(from), types.NewInt(from+99)
		benchExecute(b, s, p, args...)
	})
}
