/** docs/design/threats.md, "Bad input", over the wire: solutions and signals wrong in every way, and things sent twice. */
import { expect, test } from '@jest/globals'
import { unitsAtLevel } from '../../../src/work/pow.ts'
import { parseSolution } from '../../../src/work/solution.ts'
import { spellSolution } from '../../../src/work/spell-solution.ts'
import { ORIGIN, SECRET } from '../../support/app.ts'
import { BROWSER, post, solved } from '../../support/visitor.ts'
import { type Answer, edge, failure } from './edge.ts'

let genuine: Awaited<ReturnType<typeof solved>>
const e = edge({}, async (each) => {
  genuine = await solved(each.service.ask)
  each.keepSecret(genuine.challenge, genuine.solution)
})

const solve = (fields: string | Record<string, string>, origin = ORIGIN) =>
  e.form('solve', fields, [['Origin', origin], ...Object.entries(BROWSER)])
const inJson = (body: string | object) => e.json('solve', body, [['Origin', ORIGIN]])
const verify = async (response: string) =>
  (await post(`${e.service.base}/api/v1/siteverify`, { secret: SECRET, response })).body

/** Of the challenges here, at level 0. */
const UNITS = unitsAtLevel(0)
/** A solution whose tags are all wrong. */
const flipped = (solution: string): string =>
  spellSolution(
    UNITS,
    parseSolution(solution, UNITS)!.map(({ index, tag }) => ({ index, tag: tag ^ 0xffff })),
  )

const tokenIn = ({ text }: Answer): string => (JSON.parse(text) as { token: string }).token

// None of these consumes the challenge.
test.each<[string, (solution: string) => string]>([
  ['of one character', () => 'x'],
  [
    'of a tag less than a quarter',
    (s) => spellSolution(UNITS, parseSolution(s, UNITS)!.slice(0, 127)),
  ],
  ['of one byte less', (s) => Buffer.from(s, 'base64url').subarray(0, -1).toString('base64url')],
  [
    'of one tag too many',
    (s) => Buffer.concat([Buffer.from(s, 'base64url'), Buffer.alloc(2)]).toString('base64url'),
  ],
  ['with padding', (s) => `${s}=`],
  ['with a line break', (s) => `${s.slice(0, 60)}\n${s.slice(60)}`],
  ['in the other base64', (s) => `${s.slice(0, -4)}+/+/`],
  ['of 10,000', () => 'A'.repeat(10_000)],
])('a solution %s: invalid-input-solution', async (_what, change) => {
  const solution = change(genuine.solution)
  expect(await solve({ ...genuine, solution })).toMatchObject(
    failure(400, 'invalid-input-solution'),
  )
})

test.each(['', 'x', 'a.b.c', '{C}x', 'x{C}', '{C}.x', ' {C}', '{C}='])(
  'the challenge "%s": invalid-input-challenge',
  async (text) => {
    const challenge = text.replace('{C}', genuine.challenge)
    expect(await solve({ ...genuine, challenge })).toMatchObject(
      failure(400, 'invalid-input-challenge'),
    )
  },
)
test('a challenge with an escape, in a form and in JSON: invalid-input-challenge', async () => {
  const { challenge } = genuine
  const form = new URLSearchParams(genuine).toString()
  const hidden = [
    form.replace('challenge=e', 'challenge=%65'),
    form.replace('challenge=', '%63hallenge='),
  ]
  for (const body of [
    ...hidden,
    `challenge=${challenge}x&`.replace('challenge', 'xchallenge') + form,
  ]) {
    expect(await solve(body)).toMatchObject(failure(400, 'invalid-input-challenge'))
  }
  const json = JSON.stringify({ ...genuine, signals: {} }).replace(':"e', ':"\\u0065')
  expect(await inJson(json)).toMatchObject(failure(400, 'invalid-input-challenge'))
})
test('no challenge and no solution: both codes', async () => {
  expect(await solve({})).toMatchObject(
    failure(400, 'invalid-input-challenge', 'invalid-input-solution'),
  )
})

test.each([
  'https://a.shop.example.com',
  'http://shop.example.com',
  'https://shop.example.com:8443',
  'https://evil.example',
  'null',
])('from %s, another origin than the challenge’s: bad-request', async (origin) => {
  expect(await solve(genuine, origin)).toMatchObject(failure(400, 'bad-request'))
})

test.each([
  ['of 5,000', JSON.stringify({ a: 'x'.repeat(5000) })],
  ['of 4,097 bytes in fewer characters', JSON.stringify({ a: '\u00FC'.repeat(2045) })],
  ['with Infinity', '{"input":{"keys":Infinity}}'],
  ['with a number past every end', '{"input":{"keys":1e999}}'],
  ['with a number below zero', '{"input":{"keys":-1}}'],
  ['with a fraction', '{"input":{"keys":1.5}}'],
  ['with a number as text', '{"input":{"keys":"5"}}'],
  ['with null for a family', '{"input":null}'],
  ['of another version', '{"v":2}'],
  ['with an unknown member, 2,000 deep', `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`],
  ['with 400 members', `{${Array.from({ length: 400 }, (_, i) => `"${i}":0`).join()}}`],
  ['cut short', '{"input":{'],
])('signals %s, in a form and in JSON: bad-request', async (_what, signals) => {
  expect(await solve({ ...genuine, signals })).toMatchObject(failure(400, 'bad-request'))
  const { challenge, solution } = genuine
  const body = `{"challenge":"${challenge}","solution":"${solution}","signals":${signals}}`
  expect(await inJson(body)).toMatchObject(failure(400, 'bad-request'))
})
test.each(['challenge', 'solution'])('a %s in JSON that is no text: bad-request', async (field) => {
  for (const value of [1, true, [], {}]) {
    const answer = await inJson({ ...genuine, signals: {}, [field]: value })
    expect(answer).toMatchObject(failure(400, 'bad-request'))
  }
})

test('after all of these the same challenge can still be solved, and its token is accepted', async () => {
  expect(await verify(tokenIn(await solve(genuine)))).toMatchObject({ success: true })
})

test.each([
  ['nothing of it known', '{"a":{"b":1},"z":[1,2,3]}'],
  ['names of a prototype', '{"__proto__":{"v":2},"constructor":1}'],
  ['four levels deep', '{"a":[[[1]]]}'],
  ['none', ''],
])('signals with unknown members, %s: solved', async (_what, signals) => {
  expect((await solve({ ...(await solved(e.service.ask)), signals })).status).toBe(200)
})

test('wrong work consumes the challenge: wrong tags are refused, also when repeated; the right ones come too late', async () => {
  const right = await solved(e.service.ask)
  const wrong = { ...right, solution: flipped(right.solution) }
  expect(await solve(wrong)).toMatchObject(failure(400, 'invalid-input-solution'))
  expect(await solve(wrong)).toMatchObject(failure(400, 'invalid-input-solution'))
  expect(await solve(right)).toMatchObject(failure(400, 'challenge-expired'))
})
