"""psycopg2: the driver under most Python programs."""

import io
import select
import threading

import psycopg2
import psycopg2.errors
import psycopg2.extensions
import psycopg2.extras

from check import TABLE_COLUMNS, VALUES, check, equal

psycopg2.extras.register_uuid()
conn = psycopg2.connect("")
cur = conn.cursor()


def setup():
    cur.execute("DROP TABLE IF EXISTS psycopg2_values, psycopg2_items")
    cur.execute("CREATE TABLE psycopg2_values (id serial PRIMARY KEY, %s)" % TABLE_COLUMNS)
    cur.execute("CREATE TABLE psycopg2_items (id int PRIMARY KEY, name varchar(10) NOT NULL, qty int CONSTRAINT positive CHECK (qty > 0))")
    conn.commit()


def one_type(i):
    kind, value = VALUES[i]
    given = psycopg2.extras.Json(value) if isinstance(value, dict) else value
    cur.execute("INSERT INTO psycopg2_values (c%d) VALUES (%%s) RETURNING id" % i, (given,))
    number = cur.fetchone()[0]
    cur.execute("SELECT c%d FROM psycopg2_values WHERE id = %%s" % i, (number,))
    got = cur.fetchone()[0]
    if isinstance(got, memoryview):
        got = bytes(got)
    equal(got, value)
    if kind != "json":
        cur.execute("SELECT count(*) FROM psycopg2_values WHERE c%d = CAST(%%s AS %s)" % (i, kind), (given,))
        equal(cur.fetchone()[0], 1)
    cur.execute("SELECT %%s::%s" % kind, (None,))
    equal(cur.fetchone()[0], None)


def metadata():
    cur.execute("SELECT * FROM psycopg2_items")
    equal([(c.name, c.type_code, c.internal_size) for c in cur.description], [("id", 23, 4), ("name", 1043, 10), ("qty", 23, 4)])
    equal(conn.server_version // 10000, 15)
    equal(conn.encoding, "UTF8")


def rows_and_counts():
    psycopg2.extras.execute_values(cur, "INSERT INTO psycopg2_items VALUES %s", [(i, "item %d" % i, i) for i in range(1, 301)])
    equal(cur.rowcount, 100)
    cur.executemany("UPDATE psycopg2_items SET qty = qty + %s WHERE id = %s", [(1, 1), (2, 2)])
    cur.execute("SELECT sum(qty) FROM psycopg2_items")
    equal(cur.fetchone()[0], 300 * 301 // 2 + 3)
    cur.execute("SELECT name FROM psycopg2_items WHERE id IN %s AND name LIKE '%%5%%' ORDER BY id", ((5, 6, 15),))
    equal(cur.fetchall(), [("item 5",), ("item 15",)])
    cur.execute("SELECT id FROM psycopg2_items WHERE id = ANY(%s)", ([7, 9999],))
    equal(cur.fetchall(), [(7,)])
    conn.commit()


def error_fields():
    for text, code, position, constraint in [
        ("SELECT nope FROM psycopg2_items", "42703", "8", None),
        ("SELEC 1", "42601", "1", None),
        ("SELECT * FROM absent", "42P01", "15", None),
        ("INSERT INTO psycopg2_items VALUES (1, 'again', 1)", "23505", None, "psycopg2_items_pkey"),
        ("INSERT INTO psycopg2_items VALUES (1000, 'x', 0)", "23514", None, "positive"),
        ("INSERT INTO psycopg2_items (id) VALUES (1000)", "23502", None, None),
        ("SELECT 1 / 0", "22012", None, None),
        ("SELECT 'x'::int", "22P02", "8", None),
    ]:
        try:
            cur.execute(text)
        except psycopg2.Error as e:
            equal((e.pgcode, e.diag.statement_position, e.diag.constraint_name), (code, position, constraint))
        else:
            raise AssertionError("no error from " + text)
        conn.rollback()


def transactions():
    conn.set_session(isolation_level="REPEATABLE READ", readonly=True)
    cur.execute("SHOW transaction_isolation")
    equal(cur.fetchone()[0], "repeatable read")
    try:
        cur.execute("DELETE FROM psycopg2_items")
    except psycopg2.errors.ReadOnlySqlTransaction:
        conn.rollback()
    conn.set_session(isolation_level="READ COMMITTED", readonly=False)
    cur.execute("DELETE FROM psycopg2_items WHERE id = 3")
    cur.execute("SAVEPOINT a")
    try:
        cur.execute("INSERT INTO psycopg2_items VALUES (1, 'again', 1)")
    except psycopg2.errors.UniqueViolation:
        cur.execute("ROLLBACK TO SAVEPOINT a")
    equal(conn.info.transaction_status, psycopg2.extensions.TRANSACTION_STATUS_INTRANS)
    conn.rollback()
    cur.execute("SELECT count(*) FROM psycopg2_items WHERE id = 3")
    equal(cur.fetchone()[0], 1)
    conn.commit()


def failed_transaction():
    try:
        cur.execute("SELECT 1/0")
    except psycopg2.errors.DivisionByZero:
        pass
    try:
        cur.execute("SELECT 1")
    except psycopg2.errors.InFailedSqlTransaction:
        equal(conn.info.transaction_status, psycopg2.extensions.TRANSACTION_STATUS_INERROR)
    else:
        raise AssertionError("a failed transaction went on")
    finally:
        conn.rollback()


def server_side_cursor():
    with conn.cursor("named", scrollable=True) as named:
        named.itersize = 50
        named.execute("SELECT id FROM psycopg2_items ORDER BY id")
        equal([r[0] for r in named][:3], [1, 2, 3])
        named.scroll(10, mode="absolute")
        equal(named.fetchone()[0], 11)
    with conn.cursor("held", withhold=True) as held:
        held.execute("SELECT id FROM psycopg2_items ORDER BY id")
        conn.commit()
        equal(held.fetchmany(2), [(1,), (2,)])
    conn.commit()


def copy():
    cur.copy_expert("COPY psycopg2_items FROM STDIN (FORMAT csv)", io.StringIO('2001,"a, b",1\n2002,c,2\n'))
    equal(cur.rowcount, 2)
    out = io.StringIO()
    cur.copy_expert("COPY (SELECT * FROM psycopg2_items WHERE id > 2000 ORDER BY id) TO STDOUT (FORMAT csv, HEADER)", out)
    equal(out.getvalue(), 'id,name,qty\n2001,"a, b",1\n2002,c,2\n')
    cur.copy_from(io.StringIO("3001\tx\\ty\t\\N\n"), "psycopg2_items", columns=("id", "name", "qty"))
    cur.execute("SELECT name, qty FROM psycopg2_items WHERE id = 3001")
    equal(cur.fetchone(), ("x\ty", None))
    try:
        cur.copy_from(io.StringIO("4001\tx\tnope\n"), "psycopg2_items")
    except psycopg2.errors.InvalidTextRepresentation as e:
        equal(e.diag.context, 'COPY psycopg2_items, line 1, column qty: "nope"')
    conn.rollback()


def cancel():
    threading.Timer(0.3, conn.cancel).start()
    try:
        cur.execute("SELECT pg_sleep(30)")
    except psycopg2.errors.QueryCanceled as e:
        equal(e.pgcode, "57014")
    conn.rollback()
    cur.execute("SET statement_timeout = 200")
    try:
        cur.execute("SELECT pg_sleep(30)")
    except psycopg2.errors.QueryCanceled as e:
        equal(e.diag.message_primary, "canceling statement due to statement timeout")
    conn.rollback()


def notices():
    del conn.notices[:]
    cur.execute("DROP TABLE IF EXISTS psycopg2_absent")
    equal(conn.notices, ['NOTICE:  table "psycopg2_absent" does not exist, skipping\n'])
    conn.rollback()


def notifications():
    other = psycopg2.connect("")
    other.autocommit = True
    other.cursor().execute("LISTEN psycopg2_channel")
    cur.execute("NOTIFY psycopg2_channel, 'hello'")
    conn.commit()
    if not select.select([other], [], [], 10)[0]:
        raise AssertionError("no notification came")
    other.poll()
    equal([(n.channel, n.payload) for n in other.notifies], [("psycopg2_channel", "hello")])
    other.close()


def several_statements():
    cur.execute("SELECT 1; SELECT 2 AS b")
    equal((cur.fetchall(), cur.description[0].name), ([(2,)], "b"))


def large_value():
    big = "x" * 3_000_000
    cur.execute("SELECT length(%s), %s", (big, big))
    equal(cur.fetchone(), (len(big), big))
    conn.rollback()


def cleanup():
    cur.execute("DROP TABLE psycopg2_values, psycopg2_items")
    conn.commit()
    conn.close()



check("create tables", setup)
for at, (kind, _) in enumerate(VALUES):
    check("parameter of type " + kind, one_type, at)
    conn.rollback()
for name, what in [
    ("columns' types and the server's version", metadata), ("rows and counts", rows_and_counts), ("errors' code, position and constraint", error_fields),
    ("isolation levels and savepoints", transactions), ("a failed transaction stays failed", failed_transaction),
    ("server-side cursors", server_side_cursor), ("COPY", copy), ("cancel and statement timeout", cancel), ("notices", notices),
    ("LISTEN and NOTIFY", notifications), ("several statements in a message", several_statements), ("a value of 3 MB", large_value),
    ("drop tables", cleanup),
]:
    check(name, what)
    if not conn.closed:
        conn.rollback()
