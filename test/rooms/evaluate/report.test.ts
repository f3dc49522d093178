import { describe, expect, test } from '@jest/globals'
import { secondTryFailure } from '../../../lab/evaluate/report/second-tries.mjs'
import { summarise } from '../../../lab/evaluate/report/statistics.mjs'

type Visitor = Parameters<typeof summarise>[0]
type Run = Parameters<typeof summarise>[1][number]
const person: Visitor = { name: 'mouse', kind: 'person', what: 'a person' }
const bot: Visitor = { name: 'driver', kind: 'bot', what: 'a bot' }
const run = (change: Partial<Run> = {}): Run => ({ score: 0.8, tokens: 1, forms: 1, passed: 1, seconds: 9, ...change })

describe('what has to hold', () => {
  const refused = run({ score: 0.1, passed: 0 })
  const nothing = run({ score: undefined, tokens: 0, forms: 0, passed: 0 })
  test.each([
    { then: undefined, when: 'a person passes in every run', of: person, runs: [run(), run({ score: 0.5 })] },
    {
      then: /below the threshold/,
      when: 'one run is below',
      of: person,
      runs: [run(), run({ score: 0.49, passed: 0 })],
    },
    { then: /turned away/, when: 'a good score is refused', of: person, runs: [run(), run({ passed: 0 })] },
    { then: /never arrived/, when: 'a person sends no form', of: person, runs: [run({ forms: 0, passed: 0 })] },
    { then: /below/, when: 'a person gets no token', of: person, runs: [{ ...nothing, forms: 1 }] },
    { then: undefined, when: 'a bot is refused', of: bot, runs: [run({ score: 0.49, passed: 0 })] },
    { then: undefined, when: 'a bot gets no token at all', of: bot, runs: [nothing] },
    { then: /let in/, when: 'a bot passes once in two runs', of: bot, runs: [refused, run()] },
    { then: /worth enough/, when: 'a good token stays unused', of: bot, runs: [run({ forms: 0, passed: 0 })] },
    { then: /worth enough/, when: 'one of many tokens is good', of: bot, runs: [{ ...refused, scores: [0.7, 0.1] }] },
    { then: undefined, when: 'it cannot be told apart', of: { ...bot, kind: 'inseparable' as const }, runs: [run()] },
  ])('$then when $when', ({ then, of, runs }) => {
    expect(summarise(of, runs).failure ?? 'nothing').toMatch(then ?? /^nothing$/)
  })
})

describe('second tries', () => {
  type Row = Parameters<typeof secondTryFailure>[0]
  const row = (tried: object): Row => ({ name: 'bot', runs: [tried] }) as unknown as Row
  const helped = { first: 0.4, asked: 1, last: 0.65, passed: 1 }
  test.each([
    { then: undefined, when: 'a bot is not asked', row: row({ asked: 0, last: 0.02, passed: 0 }) },
    { then: undefined, when: 'a bot is asked in vain', row: row({ ...helped, last: 0.45, passed: 0 }) },
    { then: /gained/, when: 'a bot is helped', row: row(helped) },
  ])('$when: $then', ({ then, row: tried }) => {
    expect(secondTryFailure(tried) ?? 'nothing').toMatch(then ?? /^nothing$/)
  })
})
