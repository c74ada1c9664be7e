// postgres.js: prepared statements, pipelined.
'use strict'
const postgres = require('postgres')
const { assert, check, rejects, values } = require('./check')

async function main () {
  const got = []
  const sql = postgres({ onnotice: n => got.push(n.message), max: 4 })
  await check('create tables', async () => {
    await sql.unsafe(`DROP TABLE IF EXISTS postgresjs_values, postgresjs_items;
      CREATE TABLE postgresjs_values (id serial PRIMARY KEY, ${values.map(([t], i) => `c${i} ${t}`)});
      CREATE TABLE postgresjs_items (id int PRIMARY KEY, name text, n numeric)`)
  })
  for (const [i, [type, value]] of values.entries()) {
    await check('parameter of type ' + type, async () => {
      const [{ id }] = await sql`INSERT INTO postgresjs_values (${sql('c' + i)}) VALUES (${value}) RETURNING id`
      const [{ v }] = await sql`SELECT ${sql('c' + i)} AS v FROM postgresjs_values WHERE id = ${id}`
      assert.deepEqual(v, value)
    })
  }
  await check('rows', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, name: 'item ' + (i + 1), n: i / 4 }))
    await sql`INSERT INTO postgresjs_items ${sql(rows)}`
    const r = await sql`SELECT id, n FROM postgresjs_items WHERE id = ANY(${[3, 5]}) ORDER BY id`
    assert.deepEqual([...r], [{ id: 3, n: '0.5' }, { id: 5, n: '1' }])
    const u = await sql`UPDATE postgresjs_items SET name = 'x' WHERE id IN ${sql([1, 2])} RETURNING id`
    assert.equal(u.count, 2)
  })
  await check('cursor', async () => {
    let total = 0
    for await (const rows of sql`SELECT id FROM postgresjs_items ORDER BY id`.cursor(7)) for (const r of rows) total += r.id
    assert.equal(total, 5050)
  })
  await check('transactions and savepoints', async () => {
    await rejects(sql.begin(async tx => {
      await tx`DELETE FROM postgresjs_items`
      await tx.savepoint(s => s`INSERT INTO postgresjs_items VALUES (1), (1)`).catch(e => assert.equal(e.code, '23505'))
      assert.equal((await tx`SELECT 1 FROM postgresjs_items`).length, 0)
      throw new Error('back')
    }), { message: 'back' })
    assert.equal((await sql`SELECT 1 FROM postgresjs_items`).length, 100)
  })
  await check("errors' fields", () => rejects(sql`SELECT nope FROM postgresjs_items`, { code: '42703', position: '8' }))
  await check('statements in flight at once', async () => {
    const r = await Promise.all(Array.from({ length: 50 }, (_, i) => sql`SELECT ${i}::int AS n`))
    assert.deepEqual(r.map(x => x[0].n), Array.from({ length: 50 }, (_, i) => i))
  })
  await check('COPY', async () => {
    const { pipeline } = require('node:stream/promises')
    const { Readable } = require('node:stream')
    await pipeline(Readable.from(['1001\ta\t1\n', '1002\tb\t2\n']), await sql`COPY postgresjs_items FROM STDIN`.writable())
    let out = ''
    for await (const chunk of await sql`COPY (SELECT id, name FROM postgresjs_items WHERE id > 1000 ORDER BY id) TO STDOUT`.readable()) out += chunk
    assert.equal(out, '1001\ta\n1002\tb\n')
  })
  await check('cancel', async () => {
    const q = sql`SELECT pg_sleep(30)`
    setTimeout(() => q.cancel(), 300)
    await rejects(q, { code: '57014' })
  })
  await check('describe', async () => {
    const d = await sql`SELECT id, name FROM postgresjs_items WHERE id = ${1}`.describe()
    assert.deepEqual([d.types, d.columns.map(c => [c.name, c.type])], [[23], [['id', 23], ['name', 25]]])
  })
  await check('LISTEN and NOTIFY', async () => {
    const heard = new Promise((resolve, reject) => { sql.listen('postgresjs_channel', resolve, () => sql.notify('postgresjs_channel', 'hello')).catch(reject) })
    assert.equal(await heard, 'hello')
  })
  await check('drop tables', () => sql`DROP TABLE postgresjs_values, postgresjs_items`)
  await sql.end({ timeout: 1 })
}

main()
