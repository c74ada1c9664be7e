package pgwire_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The benchmarks are round trips of a real client over a socket of this machine, the client's share included. A store in memory is
// behind them, so that no disk shows.

func BenchmarkWirePointSelect(b *testing.B) {
	for _, mode := range []struct {
		name string
		mode pgx.QueryExecMode
	}{{"prepared", pgx.QueryExecModeCacheStatement}, {"extended", pgx.QueryExecModeExec}, {"simple", pgx.QueryExecModeSimpleProtocol}} {
		b.Run(mode.name, func(b *testing.B) {
			conn := benchConn(b)
			for i := 0; b.Loop(); i++ {
				var n int
				if err := conn.QueryRow(context.Background(), `SELECT k FROM t WHERE id = $1`, mode.mode, 1+i%1000).Scan(&n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWireUpdate(b *testing.B) {
	conn := benchConn(b)
	for i := 0; b.Loop(); i++ {
		exec(b, conn, `UPDATE t SET k = k + 1 WHERE id = $1`, 1+i%1000)
	}
}

// BenchmarkWireLiterals is simple-protocol statements whose texts differ in their literals only.
func BenchmarkWireLiterals(b *testing.B) {
	conn := benchConn(b)
	for i := 0; b.Loop(); i++ {
		exec(b, conn, fmt.Sprintf(`UPDATE t SET k = k + %d WHERE id = %d`, i%7, 1+i%1000), pgx.QueryExecModeSimpleProtocol)
	}
}

func benchConn(b *testing.B) *pgx.Conn {
	conn := connectSQL(b, serveSQL(b))
	exec(b, conn, `CREATE TABLE t (id int PRIMARY KEY, k int, c text)`)
	exec(b, conn, `INSERT INTO t SELECT g, g, 'some text' FROM generate_series(1, 1000) AS g`)
	return conn
}
