// What the clients for Node share: a line of output for every check, as the other clients print them.
'use strict'
const assert = require('node:assert/strict')

async function check (name, what) {
  try {
    await what()
    console.log('ok ' + name)
  } catch (e) {
    const where = (e.stack || '').split('\n').find(l => l.includes('_client.js')) || ''
    console.log('not ok ' + name + ': ' + String(e.message).replace(/\s+/g, ' ').slice(0, 300) + ' (' + where.trim() + ')')
  }
}

// A value of every type: the type, the parameter, and what the pg driver reads back if that is something else.
const values = [
  ['boolean', true],
  ['smallint', -32768],
  ['integer', 2147483647],
  ['bigint', '-9223372036854775808'],
  ['real', 1.5],
  ['double precision', 0.1],
  ['numeric(12,3)', '-123456789.125'],
  ['text', "naïve ‘quotes’ \\ and 'more'\n\ttabs"],
  ['varchar(20)', 'varying'],
  ['char(5)', 'ab   '],
  ['bytea', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
  ['time', '23:59:59.999999'],
  ['timestamptz', new Date('2024-02-29T12:30:15.123Z')],
  ['uuid', '12345678-9abc-def0-1234-56789abcdef0'],
  ['integer[]', [1, 0, -3]],
  ['text[]', ['a', 'b "quoted"', '', 'NULL', 'c,d{}']],
  ['jsonb', { a: [1, 2.5, null, 'x'], b: { c: true } }],
  ['json', { a: [1] }]
]

async function rejects (promise, want) {
  const e = await promise.then(() => null, e => e)
  assert.ok(e, 'no error')
  for (const k of Object.keys(want)) assert.equal(e[k], want[k], k)
}

module.exports = { assert, check, rejects, values }
