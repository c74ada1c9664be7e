"""asyncpg: binary in both directions, statements prepared."""

import asyncio
import decimal
import json

import asyncpg

from check import TABLE_COLUMNS, VALUES, equal


async def connect():
    conn = await asyncpg.connect()
    for kind in ("json", "jsonb"):
        await conn.set_type_codec(kind, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    return conn


async def setup(conn):
    await conn.execute("DROP TABLE IF EXISTS asyncpg_values, asyncpg_items")
    await conn.execute("CREATE TABLE asyncpg_values (id serial PRIMARY KEY, %s); CREATE TABLE asyncpg_items (id int PRIMARY KEY, name text, n numeric)" % TABLE_COLUMNS)


async def one_type(conn, i):
    kind, value = VALUES[i]
    number = await conn.fetchval("INSERT INTO asyncpg_values (c%d) VALUES ($1) RETURNING id" % i, value)
    equal(await conn.fetchval("SELECT c%d FROM asyncpg_values WHERE id = $1" % i, number), value)
    equal(await conn.fetchval("SELECT $1::%s" % kind, None), None)


async def many_rows(conn):
    await conn.executemany("INSERT INTO asyncpg_items VALUES ($1, $2, $3)", [(i, "item %d" % i, decimal.Decimal(i) / 4) for i in range(1, 501)])
    equal([tuple(r) for r in await conn.fetch("SELECT id, n FROM asyncpg_items WHERE id = ANY($1::int[]) ORDER BY id", [3, 5])],
          [(3, decimal.Decimal("0.75")), (5, decimal.Decimal("1.25"))])
    async with conn.transaction():
        total = 0
        async for row in conn.cursor("SELECT id FROM asyncpg_items ORDER BY id", prefetch=40):
            total += row["id"]
        equal(total, 500 * 501 // 2)


async def transactions(conn):
    for isolation in ("read_committed", "repeatable_read"):
        try:
            async with conn.transaction(isolation=isolation):
                await conn.execute("DELETE FROM asyncpg_items")
                try:
                    async with conn.transaction():
                        await conn.execute("INSERT INTO asyncpg_items VALUES (1), (1)")
                except asyncpg.UniqueViolationError as e:
                    equal((e.constraint_name, e.table_name, e.detail), ("asyncpg_items_pkey", "asyncpg_items", "Key (id)=(1) already exists."))
                equal(await conn.fetchval("SELECT count(*) FROM asyncpg_items"), 0)
                raise KeyError
        except KeyError:
            pass
    equal(await conn.fetchval("SELECT count(*) FROM asyncpg_items"), 500)


async def errors(conn):
    for text, kind, position in [("SELECT nope FROM asyncpg_items", asyncpg.UndefinedColumnError, "8"), ("SELECT 1/0", asyncpg.DivisionByZeroError, None)]:
        try:
            await conn.fetch(text)
        except kind as e:
            equal(e.position, position)
        else:
            raise AssertionError("no error from " + text)


async def prepared(conn):
    st = await conn.prepare("SELECT id, name FROM asyncpg_items WHERE id > $1 AND name LIKE $2")
    equal([(a.name, a.type.name) for a in st.get_attributes()], [("id", "int4"), ("name", "text")])
    equal([p.name for p in st.get_parameters()], ["int4", "text"])
    await conn.execute("ALTER TABLE asyncpg_items ADD COLUMN extra int")
    try:
        equal(len(await st.fetch(498, "item%")), 2)
    except asyncpg.InvalidCachedStatementError:
        raise AssertionError("adding a column broke the statement")


async def copy(conn):
    equal(await conn.copy_records_to_table("asyncpg_items", records=[(1000 + i, "copied", decimal.Decimal("1.5")) for i in range(100)], columns=["id", "name", "n"]), "COPY 100")
    out = bytearray()

    async def collect(data):
        out.extend(data)
    equal(await conn.copy_from_query("SELECT id, name FROM asyncpg_items WHERE id > $1 ORDER BY id", 1097, output=collect, format="csv"), "COPY 2")
    equal(bytes(out), b"1098,copied\n1099,copied\n")


async def cancel(conn):
    try:
        await conn.fetch("SELECT pg_sleep(30)", timeout=0.3)
    except asyncio.TimeoutError:
        equal(await conn.fetchval("SELECT 1"), 1)
    else:
        raise AssertionError("no timeout")


async def enums(conn):
    await conn.execute("DROP TABLE IF EXISTS asyncpg_people; DROP TYPE IF EXISTS asyncpg_mood")
    await conn.execute("CREATE TYPE asyncpg_mood AS ENUM ('sad', 'ok'); CREATE TABLE asyncpg_people (m asyncpg_mood, all_m asyncpg_mood[])")
    await conn.execute("INSERT INTO asyncpg_people VALUES ($1, $2)", "ok", ["sad", "ok"])
    equal(tuple(await conn.fetchrow("SELECT m, all_m FROM asyncpg_people")), ("ok", ["sad", "ok"]))
    await conn.execute("DROP TABLE asyncpg_people; DROP TYPE asyncpg_mood")


async def listen(conn):
    got = asyncio.get_running_loop().create_future()
    other = await connect()
    await other.add_listener("asyncpg_channel", lambda c, pid, channel, payload: got.set_result(payload))
    await conn.execute("SELECT pg_notify('asyncpg_channel', 'hello')")
    equal(await asyncio.wait_for(got, 10), "hello")
    await other.close()


async def cleanup(conn):
    await conn.execute("DROP TABLE asyncpg_values, asyncpg_items")
    await conn.close()


async def main():
    conn = await connect()
    checks = [("create tables", setup)]
    checks += [("parameter of type " + kind, lambda c, at=at: one_type(c, at)) for at, (kind, _) in enumerate(VALUES)]
    checks += [
        ("many rows and a cursor", many_rows), ("transactions and savepoints", transactions), ("errors' class and position", errors),
        ("prepared statements", prepared), ("COPY in binary and out", copy), ("cancel by timeout", cancel), ("enums", enums),
        ("LISTEN and NOTIFY", listen), ("drop tables", cleanup),
    ]
    for name, what in checks:
        try:
            await what(conn)
        except Exception as e:
            print("not ok %s: %s: %s" % (name, type(e).__name__, " ".join(str(e).split())[:300]))
        else:
            print("ok " + name)


asyncio.run(main())
