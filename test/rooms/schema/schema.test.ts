import { describe, expect, test } from '@jest/globals'
import { type JsonSchema, compile } from '../../../src/schema/schema.ts'

const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]+$', wants: '1 to 5 small letters' },
    threshold: { type: 'number', minimum: 0, maximum: 1 },
    count: { type: 'integer', minimum: 1 },
    level: { enum: ['low', 'high'] },
    version: { const: 1 },
    'a/b~c': { type: 'boolean' },
    tags: { type: 'array', minItems: 1, maxItems: 3, uniqueItems: true, items: { type: 'string', maxLength: 3 } },
    nested: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['hostnames'],
        properties: { hostnames: { type: 'array', items: { type: 'string' } } },
      },
    },
  },
}
const check = compile(schema, { all: true })

describe('a value is said to be wrong in our words', () => {
  test.each([
    { change: { threshold: 50 }, path: ['threshold'], keyword: 'maximum', says: 'wants a number from 0 to 1' },
    { change: { threshold: NaN }, path: ['threshold'], keyword: 'type', says: 'wants a number from 0 to 1' },
    { change: { threshold: Infinity }, path: ['threshold'], keyword: 'type', says: 'wants a number from 0 to 1' },
    { change: { threshold: '0.5' }, path: ['threshold'], keyword: 'type', says: 'wants a number from 0 to 1' },
    { change: { count: 0 }, path: ['count'], keyword: 'minimum', says: 'wants a whole number of at least 1' },
    { change: { count: 1.5 }, path: ['count'], keyword: 'type', says: 'wants a whole number of at least 1' },
    { change: { level: 'middle' }, path: ['level'], keyword: 'enum', says: 'wants one of low, high' },
    { change: { version: '1' }, path: ['version'], keyword: 'const', says: 'wants 1' },
    { change: { 'a/b~c': 1 }, path: ['a/b~c'], keyword: 'type', says: 'wants true or false' },
    { change: { name: 'TOO LONG' }, path: ['name'], keyword: 'maxLength', says: 'wants 1 to 5 small letters' },
    {
      change: { name: undefined },
      path: ['name'],
      keyword: 'required',
      says: 'is missing: wants 1 to 5 small letters',
    },
    { change: { naem: 1 }, path: ['naem'], keyword: 'additionalProperties', says: 'is unknown (did you mean name?)' },
    { change: { Tags: 1 }, path: ['Tags'], keyword: 'additionalProperties', says: 'is unknown (did you mean tags?)' },
    { change: { zebra: 1 }, path: ['zebra'], keyword: 'additionalProperties', says: 'is unknown' },
    { change: { tags: [] }, path: ['tags'], keyword: 'minItems', says: 'wants a list of 1 to 3 items' },
    {
      change: { tags: ['a', 'b', 'a'] },
      path: ['tags', 2],
      keyword: 'uniqueItems',
      says: 'is there twice (the same as item 0)',
    },
    { change: { tags: ['a', 7] }, path: ['tags', 1], keyword: 'type', says: 'wants text of at most 3 characters' },
    {
      change: { nested: [{ hostnames: [] }, {}] },
      path: ['nested', 1, 'hostnames'],
      keyword: 'required',
      says: 'is missing: wants a list',
    },
  ])('$keyword at $path', ({ change, path, keyword, says }) => {
    const value = { name: 'abc', ...change }
    if (value.name === undefined) delete (value as Partial<typeof value>).name
    const checked = check(value)
    expect(checked).toMatchObject({ ok: false })
    const problems = checked.ok ? [] : checked.problems
    expect(problems.map((each) => ({ path: each.path, says: each.says }))).toEqual([{ path, says }])
    expect(problems[0]?.keyword).toBe(keyword)
  })
})

test('what passes is the very value that came, untouched', () => {
  const value = Object.freeze({ name: 'abc', threshold: 0.5 })
  const checked = check(value)
  expect(checked.ok && checked.value).toBe(value)
})

test('every problem is said when all are asked for, one otherwise', () => {
  const wrong = { name: 'abc', threshold: 2, count: 0, zebra: 1 }
  const all = check(wrong)
  const first = compile(schema, { all: false })(wrong)
  expect(all.ok ? 0 : all.problems.length).toBe(3)
  expect(first.ok ? 0 : first.problems.length).toBe(1)
})

test('a member that only the prototype has is missing', () => {
  const heir: unknown = Object.create({ name: 'abc' })
  expect(check(heir)).toMatchObject({ ok: false, problems: [{ keyword: 'required', path: ['name'] }] })
})

test('an own member called __proto__ is unknown, not ignored', () => {
  const value: unknown = JSON.parse('{"name":"abc","__proto__":{"threshold":1}}')
  expect(check(value)).toMatchObject({
    ok: false,
    problems: [{ keyword: 'additionalProperties', path: ['__proto__'] }],
  })
})

test('a value of null prototype can be checked', () => {
  const value: unknown = Object.assign(Object.create(null) as object, { name: 'abc' })
  expect(check(value).ok).toBe(true)
})

test('an ambiguous schema is refused when it is compiled', () => {
  const ambiguous = { type: 'object', properties: {}, minItems: 1 } as JsonSchema
  expect(() => compile(ambiguous, { all: false })).toThrow(/minItems/)
})

test('a very long unknown name costs no time', () => {
  const started = performance.now()
  check({ name: 'abc', ['n'.repeat(1_000_000)]: 1 })
  expect(performance.now() - started).toBeLessThan(500)
})

test('one schema serves both who want every problem and who want the first', () => {
  const two: JsonSchema = { type: 'object', properties: { one: {}, two: {} }, required: ['one', 'two'] }
  const problems = (all: boolean): number => {
    const checked = compile(two, { all })({})
    return checked.ok ? 0 : checked.problems.length
  }
  expect([problems(false), problems(true), problems(false), problems(true)]).toEqual([1, 2, 1, 2])
})
