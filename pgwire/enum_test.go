package pgwire_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Values of an enumerated type go to the server and back in text and binary, alone and in arrays, under the type's own OID.
func TestEnumsGoOverTheWire(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	ctx := context.Background()
	exec(t, conn, "create type mood as enum ('sad', 'ok', 'happy')")
	exec(t, conn, "create table t (id int primary key, m mood, ms mood[])")
	typ, err := conn.LoadType(ctx, "mood")
	if err != nil {
		t.Fatal(err)
	}
	conn.TypeMap().RegisterType(typ)
	array, err := conn.LoadType(ctx, "_mood")
	if err != nil {
		t.Fatal(err)
	}
	conn.TypeMap().RegisterType(array)
	exec(t, conn, "insert into t values ($1, $2, $3)", 1, "happy", []string{"ok", "sad"})
	for _, format := range []int16{pgx.TextFormatCode, pgx.BinaryFormatCode} {
		rows, err := conn.Query(ctx, "select m, ms from t where m = $1", pgx.QueryResultFormats{format}, "happy")
		if err != nil {
			t.Fatal(err)
		}
		fields := rows.FieldDescriptions()
		if fields[0].DataTypeOID != typ.OID || fields[0].DataTypeSize != 4 || fields[1].DataTypeOID != array.OID {
			t.Errorf("fields %+v, types %d and %d", fields, typ.OID, array.OID)
		}
		var m string
		var ms []string
		if !rows.Next() {
			t.Fatalf("format %d: no row: %v", format, rows.Err())
		}
		if err := rows.Scan(&m, &ms); err != nil || fmt.Sprint([]string{m}, ms) != "[happy] [ok sad]" {
			t.Errorf("format %d: %v %v, %v", format, m, ms, err)
		}
		rows.Close()
	}
	if n, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "m"}, pgx.CopyFromRows([][]any{{2, "sad"}, {3, nil}})); n != 2 || err != nil {
		t.Errorf("binary COPY: %d, %v", n, err)
	}
	for _, mode := range modes {
		if got := errorOf(t, conn, "update t set m = $1", mode, "bad"); got != "22P02 @0" && got != "22P02 @19" {
			t.Errorf("%v: %s", mode, got)
		}
	}
	other := connectSQL(t, conn.Config().ConnString())
	exec(t, other, "alter type mood add value 'bad' before 'ok'")
	exec(t, conn, "update t set m = $1 where m = $2", "bad", "sad")
	var n int
	if err := conn.QueryRow(ctx, "select id from t where m < 'ok'").Scan(&n); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
