// Sequelize: models that are synchronized, with an enumerated type.
'use strict'
const { Sequelize, DataTypes, Op } = require('sequelize')
const { assert, check, rejects } = require('./check')

async function main () {
  const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env
  const db = new Sequelize(PGDATABASE, PGUSER, '', { host: PGHOST, port: PGPORT, dialect: 'postgres', logging: false })
  const User = db.define('sequelize_user', {
    name: { type: DataTypes.STRING(40), allowNull: false, unique: true },
    mood: { type: DataTypes.ENUM('sad', 'ok'), defaultValue: 'ok' },
    extra: DataTypes.JSONB,
    tags: DataTypes.ARRAY(DataTypes.STRING),
    key: { type: DataTypes.UUID, defaultValue: DataTypes.UUIDV4 },
    balance: DataTypes.DECIMAL(10, 2)
  }, { indexes: [{ fields: ['mood', { name: 'name', order: 'DESC' }] }] })
  const Post = db.define('sequelize_post', { title: DataTypes.TEXT })
  User.hasMany(Post, { onDelete: 'CASCADE' })
  Post.belongsTo(User)
  await check('connect', () => db.authenticate())
  await check('make tables', () => db.sync({ force: true }))
  await check('make tables that are there', () => db.sync())
  await check('store and find', async () => {
    await User.bulkCreate(Array.from({ length: 20 }, (_, i) => ({ name: 'user ' + i, mood: i % 2 ? 'sad' : 'ok', extra: { i }, tags: ['t' + i], balance: i / 2 })))
    const u = await User.create({ name: 'Ann', sequelize_posts: [{ title: 'One' }, { title: 'Two' }] }, { include: Post })
    const found = await User.findOne({ where: { id: u.id }, include: Post, order: [[Post, 'title', 'DESC']] })
    assert.deepEqual(found.sequelize_posts.map(p => p.title), ['Two', 'One'])
    assert.equal(await User.count({ where: { mood: 'sad', balance: { [Op.gte]: 5 } } }), 5)
    assert.equal((await User.findAll({ where: { name: { [Op.iLike]: 'USER 1%' }, tags: { [Op.contains]: ['t1'] } } })).length, 1)
    assert.equal((await User.findAll({ where: { 'extra.i': 3 } })).length, 1)
    const { rows, count } = await User.findAndCountAll({ limit: 5, offset: 18, order: ['id'] })
    assert.deepEqual([rows.length, count], [3, 21])
  })
  await check('upsert and update', async () => {
    await User.upsert({ name: 'Ann', mood: 'sad' })
    assert.equal((await User.findOne({ where: { name: 'Ann' } })).mood, 'sad')
    const [n, [u]] = await User.update({ balance: 7 }, { where: { name: 'user 1' }, returning: true })
    assert.deepEqual([n, u.balance], [1, '7.00'])
    await User.increment({ balance: 1 }, { where: { name: 'user 1' } })
  })
  // It makes a function in PL/pgSQL for this.
  await check('find or create', async () => {
    const [, created] = await User.findOrCreate({ where: { name: 'Bob' } })
    assert.equal(created, true)
  })
  await check('errors', async () => {
    await rejects(User.create({ name: 'Ann' }), { name: 'SequelizeUniqueConstraintError' })
    await rejects(Post.create({ sequelizeUserId: 12345 }), { name: 'SequelizeForeignKeyConstraintError' })
  })
  await check('transactions', async () => {
    await rejects(db.transaction({ isolationLevel: 'REPEATABLE READ' }, async transaction => {
      await User.destroy({ where: {}, transaction })
      throw new Error('back')
    }), { message: 'back' })
    assert.ok(await User.count() > 20)
  })
  await check('describe', async () => {
    const d = await db.getQueryInterface().describeTable('sequelize_users')
    assert.deepEqual([d.id.primaryKey, d.name.type, d.name.allowNull, d.mood.special], [true, 'CHARACTER VARYING(40)', false, ['sad', 'ok']])
    const indexes = await db.getQueryInterface().showIndex('sequelize_users')
    assert.deepEqual(indexes.map(i => i.fields.map(f => f.attribute)).sort(), [['id'], ['mood', 'name'], ['name']])
    const keys = await db.getQueryInterface().getForeignKeyReferencesForTable('sequelize_posts')
    assert.deepEqual(keys.map(k => [k.columnName, k.referencedTableName, k.referencedColumnName]), [['sequelizeUserId', 'sequelize_users', 'id']])
  })
  await check('make tables fit by altering them', () => db.sync({ alter: true }))
  await check('drop tables', () => db.query('DROP TABLE sequelize_posts, sequelize_users; DROP TYPE enum_sequelize_users_mood'))
  await db.close()
}

main()
