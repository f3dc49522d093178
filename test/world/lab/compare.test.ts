/** What `npm run compare` finds of a peer that counts a token twice, and of a store that lost what it knew. */
import { expect, test } from '@jest/globals'
import { rowsOf, standing } from '../../../lab/compare/rows.mjs'
import { AT_ONCE, singleUseAlone, singleUseOnRedis } from '../../../lab/compare/single-use.mjs'
import careful from './peers/careful.mjs'
import forgetful from './peers/forgetful.mjs'
import hasty from './peers/hasty.mjs'

const TOKENS = 2
const once = { of: TOKENS, never: 0, twice: 0, most: 1 }
const twice = (most: number) => ({ of: TOKENS, never: 0, twice: TOKENS, most })
/** Used tokens that count again after a fault, and those that were out and still count. */
const after = (again: number, kept = TOKENS) => ({
  of: TOKENS,
  first: TOKENS,
  again,
  out: TOKENS,
  kept,
})

test('a peer that records each token at once counts none twice, until its process forgets', async () => {
  const found = await singleUseAlone(careful, TOKENS)
  expect(found).toMatchObject({ again: once, atOnce: once, restarted: after(TOKENS) })
})

test('a peer that looks first and writes later is seen by tokens sent at once', async () => {
  const { again, atOnce } = await singleUseAlone(hasty, TOKENS)
  expect(again).toEqual(once)
  expect(atOnce).toMatchObject({ never: 0, twice: TOKENS })
})

test('a peer that records nothing is seen by a plain replay', async () => {
  const { again, atOnce } = await singleUseAlone(forgetful, TOKENS)
  expect({ again, atOnce }).toEqual({ again: twice(2), atOnce: twice(AT_ONCE) })
})

test('each loss of a shared Redis is seen, and a Redis that is away lets nobody in', async () => {
  const found = await singleUseOnRedis(careful, TOKENS)
  expect(found).toMatchObject({
    again: once,
    atSecond: once,
    atOnce: once,
    emptied: after(TOKENS),
    stopped: { ...after(TOKENS), away: 0 },
    restored: after(TOKENS),
  })
})

test('two processes that look first and write later count a token twice', async () => {
  const { atSecond, atOnce } = await singleUseOnRedis(hasty, TOKENS)
  expect(atSecond).toEqual(once)
  expect(atOnce.twice).toBe(TOKENS)
})

test.each([
  ['loses', [2, 1, 3], 'less'],
  ['loses', [8, 8, 9], 'more'],
  ['wins', [0, 1, 20], 'less'],
  ['alike', [0, 0, 20], 'less'],
  ['alike', [1.02, 1, 5], 'less'],
  ['alike', [1, undefined, undefined], 'less'],
] as const)('a row %s with %j, where %s is better', (where, values, better) => {
  expect(standing(values, better)).toBe(where)
})

test('rows where we lose stand first', () => {
  const cost = (ms: number) => ({ ms, redisMs: 1 })
  const rows = rowsOf([
    { presses: 0, cost: cost(3) },
    { presses: 1, cost: cost(2) },
  ])
  expect(rows.map(({ name, standing: where }) => `${where}: ${name.slice(0, 12)}`)).toEqual([
    'loses: ms of the se',
    'alike: ms of Redis’',
    'wins: presses of a',
  ])
})

test('a visit without a form is named, and counts neither for nor against', () => {
  const of = (forms: number, passed: boolean) => ({ kind: 'people', forms, passed })
  const [people] = rowsOf([
    { visits: [of(1, true), of(1, false), of(0, false)] },
    { visits: [of(0, false)] },
    { visits: [of(1, true)] },
  ])
  expect(people).toMatchObject({
    name: 'people who pass',
    standing: 'loses',
    cells: [
      { value: 0.5, text: '1 of 2 (1 without a form)' },
      { text: '– (1 without a form)' },
      { value: 1, text: '1 of 1' },
    ],
  })
})
