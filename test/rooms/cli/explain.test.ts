import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { loadConfig } from '../../../src/settings/load.ts'
import { type DecisionRecord, recordOf } from '../../../src/score/decision-record.ts'
import type { Explanation } from '../../../src/cli/explanation.ts'
import { NOTHING_KNOWN } from '../../../src/domain/network.ts'
import { type ScoredVisit, scoreVisit } from '../../../src/score/score.ts'
import { RELEASED } from '../../../src/score/weight-changes.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { newFolder } from '../../support/close-later.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'
import { hv } from '../../support/hv.ts'
import { PERSON } from '../../support/visitor.ts'

const now = unixSeconds(1_800_000_000)
const folder = newFolder()
const JTI = 'AAAAAAAAAAAAAAAAAAAAAA'
writeFileSync(
  join(folder, 'config.yaml'),
  `version: 1
sites:
  - sitekey: hv_site_testshop
    hostnames: [shop.example.com]
    secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]
    score: {weights: {webdriver-true: -3.33}, bounds: {input: [-3, 1.11]}}
    rules: [{name: at-night, when: {hour: 22-6}, effect: {score: -1.5}}]
`,
)
const site = loadConfig(join(folder, 'config.yaml'), {}).sites[0]!

const hvExplain = (args: string[], input?: string) =>
  hv(['explain', ...args], { cwd: folder, now, ...(input !== undefined && { input }) })
const asJson = async (args: string[], input?: string) => {
  const { code, out } = await hvExplain([...args, '--json'], input)
  return { code, found: JSON.parse(out) as Explanation }
}

/** A driven visit that meets the site's rule; `plain`: under the model as it is released, without it. */
function visit(plain = false): ScoredVisit {
  const signals = { ...PERSON, v: 1 as const, automation: { ...PERSON.automation, webdriver: 1 } }
  const facts = { signals, request: CHROMIUM_REQUEST, units: 256 }
  return plain ? scoreVisit(facts) : scoreVisit(facts, site.weights, site.rules[0])
}
const released = {
  weights: RELEASED,
  threshold: 0.5,
  units: 256,
  network: NOTHING_KNOWN,
  rule: undefined,
}
const record = (change: Partial<DecisionRecord> = {}): DecisionRecord => ({
  ...recordOf(visit(), { ...released, weights: site.weights, rule: site.rules[0] }),
  ...change,
})

test('the second visit of a step-up shows the first score and what was carried over, to people and to programs', async () => {
  const first = visit(true)
  const facts = { signals: {}, request: CHROMIUM_REQUEST, units: 256, stepped: true }
  const second = scoreVisit(facts, undefined, undefined, first)
  const line = JSON.stringify({
    message: 'solve',
    decision: recordOf(second, { ...released, first }),
  })
  const { out } = await hvExplain([], line)
  expect(out).not.toContain('stepped-up')
  expect(out).toMatch(/^ {4}webdriver-true +−\d\.\d\d +automation$/m)
  expect(out).toContain(
    `the first one scored ${first.score}, and this was carried over from it: webdriver-true`,
  )
  const stepUp = { first: first.score, carried: ['webdriver-true'] }
  expect(await asJson([], line)).toMatchObject({ code: 0, found: { stepUp } })
})

describe('a line of the log', () => {
  test('is taken apart by the weights of its site: a column that adds up, the bound that clipped, rule and reasons', async () => {
    const { out } = await hvExplain(['--config', 'config.yaml'], JSON.stringify(record()))
    expect(out).toMatch(/webdriver-true +−3\.33 +automation/)
    expect(out).toMatch(/^ {2}input +\+1\.11 {3}of \+\d\.\d\d, clipped by its upper bound$/m)
    expect(out).toMatch(/rule at-night +−1\.50/)
    expect(out).toMatch(/threshold 0\.5: refused/)
    expect(out).toMatch(/reasons: automation/)
    expect(out).toMatch(/^reproduced: 0\.\d+$/m)
    expect(out).not.toContain('\u001b')
    const { code, found } = await asJson(['--config', 'config.yaml'], JSON.stringify(record()))
    expect(code).toBe(0)
    expect(found).toMatchObject({
      again: visit().score,
      score: visit().score,
      doubts: [],
      weights: site.weights.hash,
    })
    expect(found.families.reduce((sum, { kept }) => sum + kept, found.base - 1.5)).toBeCloseTo(
      found.logOdds,
      9,
    )
  })

  test('is found in a log by the id of its token', async () => {
    const other = 'BBBBBBBBBBBBBBBBBBBBBB'
    const lines = [
      { message: 'siteverify', jti: JTI, success: true },
      { message: 'solve', jti: other, decision: record({ score: 0.9 }) },
      { message: 'solve', jti: JTI, decision: record() },
    ]
    writeFileSync(
      join(folder, 'service.log'),
      `not json\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    )
    const asked = ['--log', 'service.log', '--config', 'config.yaml']
    expect(await asJson([JTI, ...asked])).toMatchObject({
      code: 0,
      found: { score: record().score },
    })
    expect(await asJson([other, ...asked])).toMatchObject({ code: 1, found: { score: 0.9 } })
    expect(await hvExplain(['CCCCCCCCCCCCCCCCCCCCCC', ...asked])).toMatchObject({
      code: 1,
      err: 'no decision of CCCCCCCCCCCCCCCCCCCCCC in service.log\n',
    })
  })
})

describe('standard input', () => {
  test.each([
    ['a decision', () => JSON.stringify(record())],
    [
      'a whole line of the log',
      () => `${JSON.stringify({ level: 'info', message: 'solve', decision: record() })}\n`,
    ],
    ['one of released weights', () => JSON.stringify(recordOf(visit(true), released))],
  ])('%s is explained without a keyring or a configuration', async (_, text) => {
    for (const args of [[], ['--config', 'config.yaml']]) {
      expect(await asJson(args, text())).toMatchObject({ code: 0, found: { doubts: [] } })
    }
  })

  // Each doubt: test/rooms/cli/explanation.test.ts.
  test('a line edited to another score is found out: exit code 1', async () => {
    const { code, out } = await hvExplain(
      ['--config', 'config.yaml'],
      JSON.stringify(record({ score: 0.9 })),
    )
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/the parts give 0\.\d+, the decision says 0\.9/),
    ])
  })

  test.each([' \n', '{}', 'null', '[]', 'x', '{"decision": {"model": 1}}'])(
    '%s is no decision: exit code 1',
    async (text) => {
      expect(await hvExplain([], text)).toEqual({
        code: 1,
        out: '',
        err: 'no decision in standard input\n',
      })
    },
  )
})
