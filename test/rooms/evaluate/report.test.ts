import { describe, expect, test } from '@jest/globals'
import { secondTryFailure } from '../../../lab/evaluate/report/second-tries.mjs'
import { median, summarise } from '../../../lab/evaluate/report/statistics.mjs'
import { textTable } from '../../../lab/evaluate/report/table.mjs'

type Visitor = Parameters<typeof summarise>[0]
type Run = Parameters<typeof summarise>[1][number]
const person: Visitor = { name: 'mouse', kind: 'person', what: 'a person' }
const bot: Visitor = { name: 'driver', kind: 'bot', what: 'a bot' }
const run = (change: Partial<Run> = {}): Run => ({ score: 0.8, tokens: 1, forms: 1, passed: 1, seconds: 9, ...change })

test('the median is the one in the middle, or between the two', () => {
  expect([median([]), median([3]), median([9, 1, 5]), median([1, 2, 3, 10])]).toEqual([undefined, 3, 5, 2.5])
})

describe('what has to hold', () => {
  test.each([
    { then: undefined, when: 'a person passes in every run', visitor: person, runs: [run(), run({ score: 0.5 })] },
    {
      then: /below the threshold/,
      when: 'one run of a person is below',
      visitor: person,
      runs: [run(), run({ score: 0.49, passed: 0 })],
    },
    {
      then: /turned away/,
      when: 'a person scores well and is refused',
      visitor: person,
      runs: [run(), run({ passed: 0 })],
    },
    {
      then: /never arrived/,
      when: 'a person could not send the form',
      visitor: person,
      runs: [run({ forms: 0, passed: 0 })],
    },
    {
      then: /below/,
      when: 'a person got no token',
      visitor: person,
      runs: [run({ score: undefined, tokens: 0, passed: 0 })],
    },
    { then: undefined, when: 'a bot is refused', visitor: bot, runs: [run({ score: 0.49, passed: 0 })] },
    {
      then: undefined,
      when: 'a bot gets no token at all',
      visitor: bot,
      runs: [run({ score: undefined, tokens: 0, forms: 0, passed: 0 })],
    },
    {
      then: /let in/,
      when: 'a bot passes once in two runs',
      visitor: bot,
      runs: [run({ score: 0.1, passed: 0 }), run()],
    },
    {
      then: /worth enough/,
      when: 'a bot has a good token and does not use it',
      visitor: bot,
      runs: [run({ forms: 0, passed: 0 })],
    },
    {
      then: /worth enough/,
      when: 'one of many tokens of a bot is good',
      visitor: bot,
      runs: [run({ score: 0.1, scores: [0.7, 0.1], passed: 0 })],
    },
    {
      then: undefined,
      when: 'an inseparable one passes',
      visitor: { ...bot, kind: 'inseparable' as const },
      runs: [run()],
    },
  ])('$then when $when', ({ then, visitor, runs }) => {
    const { failure } = summarise(visitor, runs)
    expect(failure ?? 'nothing').toMatch(then ?? /^nothing$/)
  })
})

describe('the table', () => {
  const rows = [
    summarise(person, [run({ score: 0.8 }), run({ score: 0.9 }), run({ score: 0.7 })]),
    summarise(bot, [run({ score: undefined, tokens: 0, forms: 0, passed: 0 })]),
    summarise(bot, [run()]),
  ]

  test('has a row for each visitor: median, range, how often it passed', () => {
    expect(textTable(rows).split('\n')[1]).toMatch(/^mouse +person +3 +3 +0\.80 +0\.70–0\.90 +3 of 3 +9\.0$/)
    expect(textTable(rows).split('\n')[2]).toMatch(/^driver +bot, separable +1 +0 +– +– +0 of 1 +9\.0$/)
  })
})

describe('second tries', () => {
  type Row = Parameters<typeof secondTryFailure>[0]
  const row = (kind: string, ...runs: object[]): Row => ({ name: kind, kind, runs }) as unknown as Row
  const helped = { first: 0.4, asked: 1, last: 0.65, passed: 1 }
  test.each([
    { then: undefined, when: 'a person is refused at first and let in then', row: row('person', helped, helped) },
    {
      then: /not asked/,
      when: 'a person passes at once',
      row: row('person', helped, { asked: 0, last: 0.8, passed: 1 }),
    },
    { then: /turned away/, when: 'a person is refused twice', row: row('person', { ...helped, last: 0.4, passed: 0 }) },
    { then: /without need/, when: 'a good score is asked', row: row('person', { ...helped, first: 0.5 }) },
    { then: undefined, when: 'a bot is not asked', row: row('bot', { asked: 0, last: 0.02, passed: 0 }) },
    { then: undefined, when: 'a bot is asked in vain', row: row('bot', { ...helped, last: 0.45, passed: 0 }) },
    { then: /gained/, when: 'a bot is helped', row: row('bot', helped) },
  ])('$when: $then', ({ then, row: tried }) => {
    expect(secondTryFailure(tried) ?? 'nothing').toMatch(then ?? /^nothing$/)
  })

  const visits = [{ first: 0.4, asked: 1, scores: [0.65], passed: 1 }]
  const facts = { date: '2026-11-23', commit: 'abc', machine: 'one', browsers: { chromium: 'Chromium 156 built on x' } }
})
