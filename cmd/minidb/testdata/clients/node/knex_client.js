// Knex: a query builder and its migrations' statements.
'use strict'
const { assert, check, rejects } = require('./check')
const knex = require('knex')({ client: 'pg', connection: {}, pool: { min: 0, max: 4 } })

async function main () {
  await check('create tables', async () => {
    await knex.schema.dropTableIfExists('knex_part')
    await knex.schema.dropTableIfExists('knex_item')
    await knex.schema.createTable('knex_item', t => {
      t.increments('id')
      t.string('name', 40).notNullable().unique()
      t.decimal('price', 8, 2).defaultTo(0)
      t.jsonb('extra')
      t.enu('state', ['new', 'old'])
      t.timestamps(true, true)
      t.index(['price', 'name'], 'knex_item_price')
    })
    await knex.schema.createTable('knex_part', t => {
      t.bigIncrements('id')
      t.integer('item_id').references('id').inTable('knex_item').onDelete('CASCADE')
      t.specificType('tags', 'text[]')
    })
  })
  await check('insert and select', async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({ name: 'item ' + i, price: i / 4, extra: { i }, state: i % 2 ? 'new' : 'old' }))
    const ids = await knex('knex_item').insert(rows).returning('id')
    assert.equal(ids.length, 50)
    await knex('knex_part').insert({ item_id: ids[0].id, tags: ['a', 'b'] })
    const r = await knex('knex_item as i').leftJoin('knex_part as p', 'p.item_id', 'i.id').select('i.name', 'p.tags').where('i.price', '<', 0.5).orderBy('i.id')
    assert.deepEqual(r, [{ name: 'item 0', tags: ['a', 'b'] }, { name: 'item 1', tags: null }])
    const [{ count }] = await knex('knex_item').count().whereIn('state', ['new']).andWhereRaw('extra @> ?', [{ i: 1 }])
    assert.equal(count, '1')
  })
  await check('upsert, update and delete', async () => {
    await knex('knex_item').insert({ name: 'item 0', price: 9 }).onConflict('name').merge(['price'])
    assert.equal((await knex('knex_item').where({ name: 'item 0' }).first()).price, '9.00')
    assert.equal(await knex('knex_item').where('id', '>', 40).increment('price', 1), 10)
    assert.equal(await knex('knex_item').where('id', '>', 45).del(), 5)
  })
  await check('transactions', async () => {
    await rejects(knex.transaction(async trx => {
      await trx('knex_item').del()
      await trx.transaction(async inner => { await inner('knex_item').insert({ name: 'x', state: 'wrong' }) }).catch(e => assert.equal(e.code, '23514'))
      throw new Error('back')
    }), { message: 'back' })
    assert.equal((await knex('knex_item').count().first()).count, '45')
  })
  await check('alter and reflect', async () => {
    await knex.schema.alterTable('knex_item', t => { t.text('note').defaultTo('none'); t.renameColumn('extra', 'more'); t.dropColumn('state') })
    assert.equal(await knex.schema.hasColumn('knex_item', 'more'), true)
    assert.equal(await knex.schema.hasTable('knex_nothing'), false)
    const info = await knex('knex_item').columnInfo()
    assert.deepEqual(info.name, { type: 'character varying', maxLength: 40, nullable: false, defaultValue: null })
  })
  await check('drop tables', async () => {
    await knex.schema.dropTable('knex_part')
    await knex.schema.dropTable('knex_item')
  })
  await knex.destroy()
}

main()
