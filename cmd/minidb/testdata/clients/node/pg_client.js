// node-postgres, the driver under most programs for Node.
'use strict'
const { Client, Pool } = require('pg')
const { assert, check, rejects, values } = require('./check')

async function main () {
  const db = new Client()
  await db.connect()
  await check('create tables', async () => {
    await db.query('DROP TABLE IF EXISTS nodepg_values, nodepg_items')
    await db.query(`CREATE TABLE nodepg_values (id serial PRIMARY KEY, ${values.map(([t], i) => `c${i} ${t}`)});
      CREATE TABLE nodepg_items (id int PRIMARY KEY, name text NOT NULL, n int CONSTRAINT positive CHECK (n > 0))`)
  })
  for (const [i, [type, value]] of values.entries()) {
    await check('parameter of type ' + type, async () => {
      const { rows: [{ id }] } = await db.query(`INSERT INTO nodepg_values (c${i}) VALUES ($1) RETURNING *`, [value])
      const { rows: [{ v }] } = await db.query(`SELECT c${i} AS v FROM nodepg_values WHERE id = $1`, [id])
      assert.deepEqual(v, value)
      const { rows: [{ n }] } = await db.query(`SELECT $1::${type} AS n`, [null])
      assert.equal(n, null)
    })
  }
  await check('dates and intervals', async () => {
    const { rows: [r] } = await db.query("SELECT '1999-12-31'::date AS d, '1 year 2 mons 3 days 04:05:06.5'::interval AS i, '2024-02-29 12:30:15.5'::timestamp AS t")
    assert.equal(r.d.getTime(), new Date(1999, 11, 31).getTime())
    assert.equal(r.t.getTime(), new Date(2024, 1, 29, 12, 30, 15, 500).getTime())
    assert.deepEqual({ ...r.i }, { years: 1, months: 2, days: 3, hours: 4, minutes: 5, seconds: 6, milliseconds: 500 })
  })
  await check('rows, fields and counts', async () => {
    const r = await db.query("INSERT INTO nodepg_items SELECT i, 'item ' || i, i FROM generate_series(1, 100) AS i")
    assert.equal(r.rowCount, 100)
    assert.equal(r.command, 'INSERT')
    const s = await db.query({ text: 'SELECT id, name FROM nodepg_items ORDER BY id LIMIT 2', rowMode: 'array' })
    assert.deepEqual(s.rows, [[1, 'item 1'], [2, 'item 2']])
    assert.deepEqual(s.fields.map(f => [f.name, f.dataTypeID, f.columnID]), [['id', 23, 1], ['name', 25, 2]])
  })
  await check('named statements', async () => {
    for (let i = 1; i < 4; i++) {
      const { rows } = await db.query({ name: 'by-id', text: 'SELECT name FROM nodepg_items WHERE id = $1', values: [i] })
      assert.deepEqual(rows, [{ name: 'item ' + i }])
    }
  })
  await check("errors' fields", async () => {
    await rejects(db.query('SELECT nope FROM nodepg_items'), { code: '42703', position: '8', severity: 'ERROR' })
    await rejects(db.query('SELECT $1::int', ['x']), { code: '22P02' })
    await rejects(db.query("INSERT INTO nodepg_items VALUES (1, 'again', 1)"), { code: '23505', constraint: 'nodepg_items_pkey', table: 'nodepg_items', schema: 'public', detail: 'Key (id)=(1) already exists.' })
    await rejects(db.query("INSERT INTO nodepg_items VALUES (1000, 'x', 0)"), { code: '23514', constraint: 'positive' })
    await rejects(db.query('INSERT INTO nodepg_items (id) VALUES (1000)'), { code: '23502', column: 'name' })
  })
  await check('transactions', async () => {
    await db.query('BEGIN')
    await db.query('DELETE FROM nodepg_items')
    await rejects(db.query('SELECT 1/0'), { code: '22012' })
    await rejects(db.query('SELECT 1'), { code: '25P02' })
    await db.query('ROLLBACK')
    assert.equal((await db.query('SELECT count(*)::int AS n FROM nodepg_items')).rows[0].n, 100)
  })
  await check('several statements in a message', async () => {
    const r = await db.query('SELECT 1 AS a; SELECT 2 AS b, 3 AS c')
    assert.deepEqual(r.map(x => x.rows), [[{ a: 1 }], [{ b: 2, c: 3 }]])
  })
  await check('a pool of connections', async () => {
    const pool = new Pool({ max: 8 })
    await Promise.all(Array.from({ length: 40 }, (_, i) => pool.query('UPDATE nodepg_items SET n = n + $1 WHERE id = 1', [i])))
    assert.equal((await pool.query('SELECT n FROM nodepg_items WHERE id = 1')).rows[0].n, 1 + 39 * 40 / 2)
    await pool.end()
  })
  await check('query timeout and cancel', async () => {
    await db.query("SET statement_timeout = '200ms'")
    await rejects(db.query('SELECT pg_sleep(30)'), { code: '57014' })
    await db.query('RESET statement_timeout')
    const sleep = db.query('SELECT pg_sleep(30)')
    const other = new Client()
    await other.connect()
    const cancelled = rejects(sleep, { code: '57014' })
    await new Promise(resolve => setTimeout(resolve, 200))
    await other.query('SELECT pg_cancel_backend($1)', [db.processID])
    await cancelled
    await other.end()
  })
  await check('notices', async () => {
    const got = []
    db.on('notice', n => got.push(n.message))
    await db.query('DROP TABLE IF EXISTS nodepg_absent')
    assert.deepEqual(got, ['table "nodepg_absent" does not exist, skipping'])
  })
  await check('LISTEN and NOTIFY', async () => {
    const other = new Client()
    await other.connect()
    try {
      await other.query('LISTEN nodepg_channel')
      const got = new Promise((resolve, reject) => { other.on('notification', resolve); setTimeout(() => reject(new Error('no notification')), 10000) })
      await db.query("NOTIFY nodepg_channel, 'hello'")
      assert.equal((await got).payload, 'hello')
    } finally {
      await other.end()
    }
  })
  await check('drop tables', () => db.query('DROP TABLE nodepg_values, nodepg_items'))
  await db.end()
  process.exit()
}

main()
