// TypeORM: entities whose tables it makes and compares with what is there.
'use strict'
const { DataSource, EntitySchema } = require('typeorm')
const { assert, check, rejects } = require('./check')

const User = new EntitySchema({
  name: 'typeorm_user',
  columns: {
    id: { type: 'int', primary: true, generated: true },
    name: { type: 'varchar', length: 40, unique: true },
    mood: { type: 'enum', enum: ['sad', 'ok'], default: 'ok' },
    extra: { type: 'jsonb', nullable: true },
    tags: { type: 'text', array: true, default: '{}' },
    balance: { type: 'numeric', precision: 10, scale: 2, default: 0 },
    made: { type: 'timestamptz', createDate: true }
  },
  relations: { posts: { type: 'one-to-many', target: 'typeorm_post', inverseSide: 'author', cascade: true } },
  indices: [{ columns: ['mood', 'name'] }],
  checks: [{ expression: '"balance" >= 0' }]
})
const Post = new EntitySchema({
  name: 'typeorm_post',
  columns: { id: { type: 'uuid', primary: true, generated: 'uuid' }, title: { type: 'text' } },
  relations: { author: { type: 'many-to-one', target: 'typeorm_user', inverseSide: 'posts', onDelete: 'CASCADE' } }
})

async function main () {
  const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env
  const db = new DataSource({ type: 'postgres', host: PGHOST, port: +PGPORT, username: PGUSER, database: PGDATABASE, schema: 'typeorm_check', entities: [User, Post], uuidExtension: 'pgcrypto', installExtensions: false })
  await check('connect', async () => {
    await db.initialize()
    await db.query('DROP SCHEMA IF EXISTS typeorm_check CASCADE')
    await db.query('CREATE SCHEMA typeorm_check')
  })
  await check('make tables', () => db.synchronize())
  await check('find nothing to change', async () => {
    const { upQueries } = await db.driver.createSchemaBuilder().log()
    assert.deepEqual(upQueries.map(q => q.query), [])
  })
  const users = db.getRepository(User)
  await check('store and find', async () => {
    await users.save(Array.from({ length: 20 }, (_, i) => ({ name: 'user ' + i, mood: i % 2 ? 'sad' : 'ok', extra: { i }, tags: ['t' + i], balance: i / 2 })))
    await users.save({ name: 'Ann', posts: [{ title: 'One' }, { title: 'Two' }] })
    const ann = await users.findOne({ where: { name: 'Ann' }, relations: { posts: true } })
    assert.deepEqual(ann.posts.map(p => p.title).sort(), ['One', 'Two'])
    const [rows, count] = await users.findAndCount({ skip: 15, take: 3, order: { id: 'ASC' }, where: { mood: 'ok' } })
    assert.deepEqual([rows.length, count], [0, 11])
    const sums = await users.createQueryBuilder('u').select('u.mood', 'mood').addSelect('SUM(u.balance)', 'sum').groupBy('u.mood').orderBy('u.mood').getRawMany()
    assert.deepEqual(sums, [{ mood: 'sad', sum: '50.00' }, { mood: 'ok', sum: '45.00' }])
  })
  await check('upsert, update and delete', async () => {
    await users.upsert({ name: 'Ann', mood: 'sad' }, ['name'])
    await users.increment({ name: 'Ann' }, 'balance', 3)
    const ann = await users.findOneBy({ name: 'Ann' })
    assert.deepEqual([ann.mood, ann.balance], ['sad', '3.00'])
    assert.equal((await users.delete({ mood: 'ok' })).affected, 10)
  })
  await check('transactions and errors', async () => {
    await rejects(db.transaction(async m => {
      await m.delete('typeorm_user', { mood: 'sad' })
      throw new Error('back')
    }), { message: 'back' })
    await rejects(users.insert({ name: 'Ann' }), { code: '23505' })
    await rejects(users.insert({ name: 'Eve', balance: -1 }), { code: '23514' })
    assert.equal(await users.count(), 11)
  })
  await check('drop tables', async () => {
    await db.query('DROP SCHEMA typeorm_check CASCADE')
    await db.destroy()
  })
  process.exit()
}

main()
