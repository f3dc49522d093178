/** Test mode's table of outcomes: what each name plays, and by which sitekey and secret. test/scenarios/ plays them. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import {
  isScenarioHash,
  NAMED_SCENARIOS,
  type Scenario,
  scenarioBySecret,
  scenarioBySitekey,
  SCENARIOS,
  scenarioSecret,
  scenarioSitekey,
  scenarioSites,
  SCENARIO_THRESHOLD,
  SLOW_MS,
  TEST_RESPONSE,
} from '../../../src/domain/scenarios.ts'
import { RELEASED } from '../../../src/score/weights.ts'

const named = (name: string): Scenario => SCENARIOS.find((scenario) => scenario.name === name)!
const played = (name: string): Omit<Scenario, 'name' | 'says'> => {
  const { name: _name, says: _says, ...what } = named(name)
  return what
}

describe('what is played', () => {
  test.each<[string, Omit<Scenario, 'name' | 'says'>]>([
    ['pass', { score: 0.9 }],
    ['slow', { score: 0.9, delayMs: 5000 }],
    ['low-score', { score: 0.1 }],
    ['page-hostname-not-allowed', { score: 0.9, page: { fault: 'hostname-not-allowed' } }],
    ['page-action-not-allowed', { score: 0.9, page: { fault: 'action-not-allowed' } }],
    ['page-rate-limit-exceeded', { score: 0.9, page: { fault: 'rate-limit-exceeded' } }],
    ['page-database-unavailable', { score: 0.9, page: { fault: 'database-unavailable' } }],
    ['page-slow', { score: 0.9, page: { delayMs: 5000 } }],
    ['score-00', { score: 0 }],
    ['score-07', { score: 0.07 }],
    ['score-50', { score: 0.5 }],
    ['score-100', { score: 1 }],
  ])('by %s', (name, what) => expect(played(name)).toEqual(what))

  test.each(['timeout-or-duplicate', 'action-mismatch', 'remoteip-mismatch'] as const)('by %s, a rejection', (code) => {
    expect(played(code)).toEqual({ score: 0.9, rejection: code })
  })
  test.each([
    'missing-input-secret',
    'invalid-input-secret',
    'missing-input-response',
    'invalid-input-response',
    'bad-request',
    'rate-limit-exceeded',
    'database-unavailable',
    'database-schema-outdated',
    'rate-limiter-unavailable',
    'internal-error',
  ] as const)('by %s, a fault', (code) => expect(played(code)).toEqual({ score: 0.9, fault: code }))

  test('is these, and a hundred and one scores', () => {
    expect(NAMED_SCENARIOS).toHaveLength(22)
    expect(SCENARIOS.map(({ name }) => name).slice(NAMED_SCENARIOS.length)).toEqual(
      Array.from({ length: 101 }, (_, i) => `score-${i < 10 ? `0${i}` : i}`),
    )
    expect([SLOW_MS, SCENARIO_THRESHOLD, TEST_RESPONSE]).toEqual([5000, 0.5, 'hv_test_response'])
  })

  test('is told in docs/start/testing.md in the same words', () => {
    const docs = readFileSync('docs/start/testing.md', 'utf8')
    for (const scenario of NAMED_SCENARIOS) {
      const row = `| ${scenario.says} | \`${scenarioSitekey(scenario)}\` | \`${scenarioSecret(scenario)}\` |`
      expect(docs).toContain(row)
    }
    expect(named('score-07').says).toBe('200, score 0.07')
  })
})

describe('its names', () => {
  const pass = named('pass')
  test('lead to it, and no other names do', () => {
    for (const scenario of SCENARIOS) {
      expect(scenarioBySitekey(scenarioSitekey(scenario))).toBe(scenario)
      expect(scenarioBySecret(scenarioSecret(scenario))).toBe(scenario)
    }
    expect(scenarioBySitekey('hv_site_test_nothing')).toBeUndefined()
    expect(scenarioBySecret(scenarioSitekey(pass))).toBeUndefined()
  })
  test('have hashes that a configuration may not use', () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
    for (const scenario of SCENARIOS) expect(isScenarioHash(sha256(scenarioSecret(scenario)))).toBe(true)
    expect(isScenarioHash(sha256('hv_secret_of_somebody'))).toBe(false)
  })
})

describe('its site', () => {
  test('lets everything happen, so that only the scenario decides', () => {
    const [site] = scenarioSites(['shop.example.com'])
    const sha256 = createHash('sha256').update('hv_secret_test_pass_for_tests_only').digest('hex')
    expect(site).toEqual({
      sitekey: 'hv_site_test_pass',
      name: 'test mode: pass',
      secrets: [{ sha256, notAfter: undefined }],
      hostnames: ['localhost', '*.localhost', '127.0.0.1', '[::1]', '*.test', 'shop.example.com'],
      actions: undefined,
      scoreThreshold: 0,
      tokenLifetime: 120,
      challengeLifetime: 600,
      work: { level: 0, maxLevel: 0, humanCost: 2, fallback: true },
      shadowThreshold: undefined,
      stepUp: 'off',
      passes: false,
      reasons: false,
      rules: [],
      weights: RELEASED,
    })
  })
  test('is there for each scenario, and names no hostname twice', () => {
    const sites = scenarioSites(['localhost'])
    expect(sites.map(({ sitekey }) => sitekey)).toEqual(SCENARIOS.map(scenarioSitekey))
    expect(sites[0]!.hostnames).toEqual(['localhost', '*.localhost', '127.0.0.1', '[::1]', '*.test'])
  })
})
