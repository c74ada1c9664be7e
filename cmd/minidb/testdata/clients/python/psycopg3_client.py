"""psycopg 3: parameters on the server's side, pipelines, COPY by rows."""

import threading

import psycopg
from psycopg import pq, sql
from psycopg.rows import dict_row
from psycopg.types.json import Json, Jsonb

from check import TABLE_COLUMNS, VALUES, check, equal

conn = psycopg.connect("", autocommit=True)


def setup():
    conn.execute("DROP TABLE IF EXISTS psycopg3_values, psycopg3_items")
    conn.execute("CREATE TABLE psycopg3_values (id serial PRIMARY KEY, %s)" % TABLE_COLUMNS)
    conn.execute("CREATE TABLE psycopg3_items (id int PRIMARY KEY, name text NOT NULL, n numeric)")


def one_type(i, binary):
    kind, value = VALUES[i]
    given = value if not isinstance(value, dict) else Json(value) if kind == "json" else Jsonb(value)
    place = "%b" if binary and kind not in ("jsonb", "json") else "%s"
    with conn.cursor(binary=binary) as cur:
        number = cur.execute("INSERT INTO psycopg3_values (c%d) VALUES (%s) RETURNING id" % (i, place), (given,)).fetchone()[0]
        equal(cur.execute("SELECT c%d FROM psycopg3_values WHERE id = %%s" % i, (number,)).fetchone()[0], value)


def prepared():
    for n in range(10):  # from the sixth time on it is a prepared statement
        equal(conn.execute("SELECT %s::int + 1", (n,)).fetchone()[0], n + 1)


def rows():
    with conn.cursor(row_factory=dict_row) as cur:
        cur.executemany("INSERT INTO psycopg3_items VALUES (%s, %s, %s) RETURNING id", [(i, "item %d" % i, i) for i in range(1, 101)], returning=True)
        equal(cur.fetchone(), {"id": 1})
        cur.execute(sql.SQL("SELECT {}, count(*) OVER () AS n FROM {} ORDER BY 1 LIMIT 1").format(sql.Identifier("id"), sql.Identifier("psycopg3_items")))
        equal(cur.fetchall(), [{"id": 1, "n": 100}])


def pipeline():
    with conn.pipeline() as p:
        a = conn.execute("SELECT count(*) FROM psycopg3_items")
        b = conn.execute("UPDATE psycopg3_items SET n = n + 1 WHERE id < %s RETURNING n", (3,))
        p.sync()
        equal((a.fetchone()[0], [int(r[0]) for r in b.fetchall()]), (100, [2, 3]))
        try:
            conn.execute("SELECT 1/0")
            p.sync()
        except psycopg.errors.DivisionByZero:
            pass
    equal(conn.info.transaction_status, pq.TransactionStatus.IDLE)


def transactions():
    try:
        with conn.transaction():
            conn.execute("DELETE FROM psycopg3_items")
            with conn.transaction():
                conn.execute("INSERT INTO psycopg3_items VALUES (1, NULL, 1)")
    except psycopg.errors.NotNullViolation as e:
        equal((e.diag.column_name, e.diag.table_name, e.diag.schema_name), ("name", "psycopg3_items", "public"))
    equal(conn.execute("SELECT count(*) FROM psycopg3_items").fetchone()[0], 100)


def errors():
    try:
        conn.execute("SELECT id, nope FROM psycopg3_items WHERE id = %s", (1,))
    except psycopg.errors.UndefinedColumn as e:
        equal(e.diag.statement_position, "12")


def server_cursor():
    with conn.transaction(), conn.cursor("named") as cur:
        cur.itersize = 7
        cur.execute("SELECT id FROM psycopg3_items ORDER BY id")
        equal(sum(r[0] for r in cur), 5050)
    equal(sum(r[0] for r in conn.cursor().stream("SELECT id FROM psycopg3_items")), 5050)


def copy(mode):
    with conn.cursor() as cur:
        cur.execute("DELETE FROM psycopg3_items WHERE id > 1000")
        with cur.copy("COPY psycopg3_items FROM STDIN" + mode) as c:
            c.set_types(["int4", "text", "numeric"])
            for i in range(1001, 1051):
                c.write_row((i, "a\tb\n%d" % i, None))
        equal(cur.rowcount, 50)
        with cur.copy("COPY (SELECT id, name FROM psycopg3_items WHERE id > 1048 ORDER BY id) TO STDOUT" + mode) as c:
            c.set_types(["int4", "text"])
            equal(list(c.rows()), [(1049, "a\tb\n1049"), (1050, "a\tb\n1050")])


def cancel():
    threading.Timer(0.3, conn.cancel).start()
    try:
        conn.execute("SELECT pg_sleep(30)")
    except psycopg.errors.QueryCanceled:
        return
    raise AssertionError("not cancelled")


def type_lookup():
    from psycopg.types import TypeInfo
    equal(TypeInfo.fetch(conn, "numeric").oid, 1700)
    equal(TypeInfo.fetch(conn, "no_such_type"), None)


def enums():
    from psycopg.types.enum import EnumInfo
    conn.execute("DROP TYPE IF EXISTS psycopg3_mood")
    conn.execute("CREATE TYPE psycopg3_mood AS ENUM ('sad', 'ok')")
    equal(list(EnumInfo.fetch(conn, "psycopg3_mood").labels), ["sad", "ok"])
    conn.execute("DROP TYPE psycopg3_mood")


def notifications():
    conn.execute("LISTEN psycopg3_channel")
    with psycopg.connect("", autocommit=True) as other:
        other.execute("NOTIFY psycopg3_channel, 'hello'")
    equal(next(conn.notifies()).payload, "hello")


def cleanup():
    conn.execute("DROP TABLE psycopg3_values, psycopg3_items")
    conn.close()


check("create tables", setup)
for at, (kind, _) in enumerate(VALUES):
    check("parameter of type " + kind, one_type, at, False)
    check("binary parameter of type " + kind, one_type, at, True)
for name, what in [
    ("prepared statements", prepared), ("rows", rows), ("pipeline", pipeline), ("transactions and savepoints", transactions),
    ("errors' fields", errors), ("cursors and streams", server_cursor), ("COPY as text", lambda: copy("")),
    ("COPY as binary", lambda: copy(" (FORMAT BINARY)")), ("cancel", cancel), ("types looked up by name", type_lookup), ("enums", enums),
    ("LISTEN and NOTIFY", notifications), ("drop tables", cleanup),
]:
    check(name, what)
