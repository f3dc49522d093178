import { describe, expect, test } from '@jest/globals'
import { readOptions } from '../../../lab/evaluate/options.mjs'
import { needPrograms } from '../../../lab/evaluate/programs.mjs'
import {
  secondTriesPage,
  secondTryFailure,
  secondTryRow,
  withSecondTries,
} from '../../../lab/evaluate/report/second-tries.mjs'
import { median, summarise } from '../../../lab/evaluate/report/statistics.mjs'
import { markdownTable, textTable } from '../../../lab/evaluate/report/table.mjs'

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

  test('is coloured only where that was asked for, and only where something does not hold', () => {
    expect(textTable(rows)).not.toContain('\u001B')
    expect(
      textTable(rows, true)
        .split('\n')
        .map((line) => line.startsWith('\u001B[31m')),
    ).toEqual([false, false, false, true])
  })

  test('says the same in Markdown', () => {
    expect(markdownTable(rows).split('\n')[2]).toBe('| mouse | person | 3 | 3 | 0.80 | 0.70–0.90 | 3 of 3 | 9.0 |  |')
  })
})

describe('options', () => {
  test('are five runs, two displays and synthetic people, or as they are given', () => {
    expect(readOptions([])).toMatchObject({ runs: 5, lanes: 2, seed: '1', people: false, only: [] })
    expect(readOptions([]).traces).toBeUndefined()
    expect(readOptions(['--quick', '--only', 'mouse'])).toMatchObject({
      runs: 1,
      only: ['mouse'],
    })
  })

  test.each([['--runs', '0'], ['--runs', 'many'], ['--lanes', '9'], ['--nonsense']])('%s %s is refused', (...args) => {
    expect(() => readOptions(args)).toThrow(/wants a whole number|Unknown option/)
  })

  test('a seed with recordings is refused: recorded people have none', () => {
    expect(() => readOptions(['--seed', '7', '--traces', '/somewhere'])).toThrow(/give one of the two/)
  })
})

test('programs that are missing are named, with the packages that bring them', () => {
  expect(() => needPrograms([{ screen: 'touch' }, { needs: ['chromedriver'] }], '/nowhere')).toThrow(
    /need redis-server, chromium, Xorg, openbox, chromedriver on PATH; on Debian: apt-get install .*xserver-xorg-core/,
  )
  expect(() => needPrograms([{}], '/nowhere')).not.toThrow(/openbox/)
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
  test('a run takes the place of its rows alone, people first; the page has all of them', () => {
    const rows = ['bot', 'person'].map((kind) =>
      secondTryRow({ name: `a ${kind}`, kind, what: 'somebody', visits }, 'abc'),
    )
    const list = withSecondTries({ rows: [{ ...rows[0], name: 'another bot' }] }, rows, facts)
    expect(list.rows.map(({ name }: { name: string }) => name)).toEqual(['a person', 'a bot', 'another bot'])
    expect(secondTriesPage(list)).toContain('| a person | 0.40 | 1 of 1 | 0.65 | 1 of 1 |  |')
    expect(secondTriesPage(list)).toContain(
      '| a bot | 0.40 | 1 of 1 | 0.65 | 1 of 1 | a bot that can be told apart gained',
    )
  })
})
