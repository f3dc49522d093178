/** The parts of the dashboard that decide what it says. */
import { describe, expect, test } from '@jest/globals'
import { healthOf } from '../../../dashboard/src/health.ts'
import { barsOf, refusedBy, scoresOf, totalOf } from '../../../dashboard/src/scores.ts'
import { clockTime, duration, milliseconds, share } from '../../../dashboard/src/texts.ts'
import type { FleetAnswer, InstanceView, SiteView } from '../../../src/ops/fleet/fleet-answer.ts'

const instance: InstanceView = {
  id: 'a',
  name: 'machine/1',
  version: '1.0.0',
  startedAt: 0,
  heardAt: 7200,
  state: 'running',
  configuration: { since: 0 },
  keyring: { since: 0 },
}
const shop: SiteView = {
  site: 'hv_site_shop',
  name: 'Shop',
  threshold: 0.5,
  challenges: 9,
  tokens: 9,
  ended: 0,
  endedJudged: 0,
  verdicts: {},
  reasons: {},
  stepUps: {},
  scores: { 'sign-up': { 12: 3, 49: 1, 50: 2, 88: 10, 100: 4 }, comment: { 30: 5 } },
}
const genuine = {
  at: 7200,
  minutes: 60,
  scope: 'fleet',
  instances: [instance, { ...instance, id: 'b', name: 'machine/2' }],
  requests: { siteverify: { accepted: 5 } },
  sites: [shop],
  steps: { from: 3600, every: 10, troubles: {} },
  generationMoves: 0,
  linesLost: 0,
  shed: 0,
} as unknown as FleetAnswer

describe('health', () => {
  test('all is well', () => {
    expect(healthOf(genuine)).toEqual({
      level: 'good',
      says: 'All is well: 2 processes running, the ledger works, configuration read 2 h ago.',
      problems: [],
    })
  })

  const [one] = [instance]
  test.each<[string, 'warn' | 'bad', RegExp, Partial<FleetAnswer>]>([
    [
      'a process without ledger',
      'bad',
      /machine\/1 cannot use the ledger: database-unavailable/,
      { instances: [{ ...one, fault: 'database-unavailable' }] },
    ],
    [
      'a process that is gone',
      'warn',
      /has not been heard for 1 min/,
      { instances: [{ ...one, state: 'gone', heardAt: 7110 }] },
    ],
    [
      'a configuration that was refused',
      'warn',
      /of 2 h ago; a newer one was refused: 3 to fix/,
      { instances: [{ ...one, configuration: { since: 0, problem: '3 to fix' } }] },
    ],
    [
      'a keyring that was refused',
      'warn',
      /keyring of 2 h ago/,
      { instances: [{ ...one, keyring: { since: 0, problem: 'no JSON' } }] },
    ],
    [
      'two versions',
      'warn',
      /different versions: 1\.0\.0, 1\.1\.0/,
      { instances: [one, { ...one, version: '1.1.0' }] },
    ],
    [
      'answers of 503',
      'warn',
      /2 requests were answered database-unavailable/,
      { requests: { solve: { 'database-unavailable': 2 } } },
    ],
    ['a defect', 'warn', /One request was answered internal-error/, { requests: { solve: { 'internal-error': 1 } } }],
    ['a moved generation', 'warn', /a new generation once/, { generationMoves: 1 }],
    ['more requests than can be served', 'warn', /1,200 requests were refused unread/, { shed: 1200 }],
    ['lost lines', 'warn', /7 lines of the log/, { linesLost: 7 }],
    [
      'a site that verifies nothing',
      'warn',
      /Shop: none of 40 tokens was verified/,
      { sites: [{ ...shop, ended: 40 }] },
    ],
    [
      'a site that refuses everybody',
      'bad',
      /Shop: all 522 visitors were refused \(low-score 520, timeout-or-duplicate 2; its threshold is 0.5\)/,
      { sites: [{ ...shop, verdicts: { 'low-score': 520, 'timeout-or-duplicate': 2 } }] },
    ],
    ['no Redis', 'bad', /Redis does not answer/, { scope: 'process', problem: 'Redis does not answer (x): …' }],
  ])('%s', (_name, level, says, change) => {
    const health = healthOf({ ...genuine, ...change })
    expect(health.level).toBe(level)
    expect(health.problems.map((problem) => problem.says).join()).toMatch(says)
  })

  const during = (...steps: number[]) => {
    const counts = Array.from({ length: 360 }, (_, i) => (steps.includes(i) ? 600 : 0))
    const troubles = { 'database-unavailable': counts, shed: counts, generation_moves: counts, lines_lost: counts }
    return {
      steps: { from: 3600, every: 10, troubles } as unknown as FleetAnswer['steps'],
      requests: { solve: { 'database-unavailable': 1200 } },
    }
  }
  test('a fault has its times: bad while it lasts, and worth a look when it is over', () => {
    const over = healthOf({ ...genuine, ...during(6, 12) })
    const [began, ended] = [clockTime(3660), clockTime(3730)]
    expect(over.problems).toEqual([
      { level: 'warn', says: `1,200 requests were answered database-unavailable, from ${began}, over since ${ended}.` },
    ])
    const now = healthOf({ ...genuine, ...during(6, 358) })
    expect(now.problems).toEqual([
      { level: 'bad', says: `1,200 requests were answered database-unavailable, from ${began} until now.` },
    ])
    const others = { shed: 7, generationMoves: 1, linesLost: 3, requests: {} }
    const said = healthOf({ ...genuine, ...during(6, 12), ...others }).problems.map(({ says }) => says)
    expect(said).toHaveLength(3)
    for (const says of said) expect(says).toContain(`, from ${began}, over since ${ended}`)
  })

  test('what harms visitors now comes before what is over and what harms nobody', () => {
    const sites = [
      { ...shop, ended: 40 },
      { ...shop, name: 'Tea', verdicts: { 'low-score': 30 } },
    ]
    const instances = [
      { ...instance, state: 'gone' as const, heardAt: 0 },
      { ...instance, id: 'b', fault: 'database-unavailable' },
    ]
    const { problems } = healthOf({ ...genuine, ...during(6), sites, instances, linesLost: 1 })
    expect(problems.map(({ level, says }) => `${level} ${/^\S+/.exec(says)![0]}`)).toEqual([
      'bad machine/1',
      'bad Tea:',
      'warn machine/1',
      'warn 1,200',
      'warn Shop:',
      'warn 1',
    ])
  })

  test('a site that accepts one, or refused few, is not named', () => {
    const sites = [
      { ...shop, verdicts: { accepted: 1, 'low-score': 500 } },
      { ...shop, verdicts: { 'low-score': 19 } },
    ]
    expect(healthOf({ ...genuine, sites }).problems).toEqual([])
  })

  test('a process that said goodbye is no problem, nor a site that verifies some, or few', () => {
    const sites = [
      { ...shop, ended: 40, endedJudged: 1 },
      { ...shop, ended: 3 },
    ]
    const stopped = { ...instance, id: 'c', state: 'stopped' as const, fault: 'database-unavailable' }
    expect(healthOf({ ...genuine, instances: [instance, stopped], sites }).problems).toEqual([])
  })
})

describe('scores', () => {
  const scores = scoresOf([shop], '', '')

  test('are of all actions, or of one', () => {
    expect(totalOf(scores)).toBe(25)
    expect(totalOf(scoresOf([shop], 'hv_site_shop', 'comment'))).toBe(5)
    expect(totalOf(scoresOf([shop], 'hv_site_other', ''))).toBe(0)
  })

  test.each([
    [0, 0],
    [0.12, 0],
    [0.13, 3],
    [0.3, 3],
    [0.49, 8],
    [0.5, 9],
    [0.505, 11],
    [0.51, 11],
    [0.57, 11],
    [0.88, 11],
    [0.89, 21],
    [1, 21],
  ])('a threshold of %p refuses %p of 25: those below it, as the service does', (threshold, refused) => {
    expect(refusedBy(scores, threshold)).toBe(refused)
  })

  test('every score is in one bar, and the refused parts of the bars are what the threshold refuses', () => {
    const sum = (all: readonly number[]): number => all.reduce((total, n) => total + n, 0)
    for (let i = 0; i <= 100; i++) {
      const { all, refused } = barsOf(scores, i / 100)
      expect(sum(all)).toBe(25)
      expect([i, sum(refused)]).toEqual([i, refusedBy(scores, i / 100)])
    }
  })
})

test('numbers are said as they are', () => {
  expect([share(0, 0), share(0, 9), share(9, 9), share(1, 3), share(1, 100_000), share(99_999, 100_000)]).toEqual([
    '–',
    '0 %',
    '100 %',
    '33.3 %',
    'under 0.1 %',
    'over 99.9 %',
  ])
  expect([duration(0), duration(59.9), duration(60), duration(7200), duration(172_800)]).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '2 h',
    '2 d',
  ])
  expect([milliseconds(null), milliseconds(0.0034), milliseconds(1.5)]).toEqual(['–', '3.4 ms', '1.5 s'])
})
