/** A site's rules, thresholds and reasons through the whole service, over a real socket. */
import { describe, expect, test } from '@jest/globals'
import { readDecision, reproduce } from '../../../src/cli/explanation.ts'
import type { NetworkFacts } from '../../../src/domain/network.ts'
import type { Site } from '../../../src/domain/site.ts'
import type { VisitConditions } from '../../../src/domain/site-rules/visit-conditions.ts'
import { type RuleEffect, visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { applyWeightChanges } from '../../../src/score/weight-changes.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, site, type TestService, testService } from '../../support/app.ts'
import { BROWSER, PERSON, post, token } from '../../support/visitor.ts'

let service: TestService

const known: NetworkFacts = {
  asn: 64_496,
  country: 'DE',
  lists: [{ name: 'tor', kind: 'tor-exit' }],
}
const rule = (name: string, when: VisitConditions, effect: RuleEffect, until?: number) =>
  visitRule({ name, when, effect, until: until === undefined ? undefined : unixSeconds(until) })
const ROBOT = { ...PERSON, automation: { ...PERSON.automation, webdriver: 1, artefacts: 2 } }

async function start(
  change: Partial<Site>,
  network: NetworkFacts = { asn: undefined, country: undefined, lists: [] },
) {
  service = await testService({ siteList: [site(change)], networks: { lookUp: () => network } })
}
async function visit(signals: object = PERSON, headers: Record<string, string> = BROWSER) {
  const response = await token({ ...service.ask, signals, headers })
  const { status, body } = await post(`${service.base}/api/v1/siteverify`, {
    secret: SECRET,
    response,
  })
  expect(status).toBe(200)
  return body
}
/** The log is written when the connection is done. */
const line = (operation: string): Promise<Record<string, unknown>> =>
  eventually(() => {
    const found = service.lines().find(({ message }) => message === operation)
    expect(found).toBeDefined()
    return found!
  })
const decided = async () => readDecision((await line('solve'))['decision'])!

test('a rule of the site that denies is refused at any threshold, and named in the log', async () => {
  await start(
    { scoreThreshold: 0, rules: [rule('no-tor', { list: ['tor'] }, { kind: 'deny' })] },
    known,
  )
  expect(await visit()).toEqual({
    success: false,
    score: 0,
    score_threshold: 0,
    'error-codes': ['low-score'],
  })
  const decision = await decided()
  expect(decision).toMatchObject({
    score: 0,
    rule: { name: 'no-tor', kind: 'deny' },
    network: { country: 'DE' },
  })
  expect(reproduce(decision).score).toBe(0)
})

describe('reasons', () => {
  test('are returned to a site that asks for them', async () => {
    await start({ reasons: true })
    expect(await visit(ROBOT)).toMatchObject({ success: false, reasons: ['automation'] })
    expect(await visit()).toMatchObject({ success: true, reasons: [] })
  })

  test('are only in the log otherwise', async () => {
    await start({})
    expect(await visit(ROBOT)).not.toHaveProperty('reasons')
    expect(await decided()).toMatchObject({ reasons: ['automation'] })
  })
})

test('changed weights change the score; the log has their hash', async () => {
  const weights = applyWeightChanges({ off: ['webdriver-true', 'driver-artefacts'] })
  await start({ weights })
  expect(await visit(ROBOT)).toMatchObject({ success: true })
  const decision = await decided()
  expect(decision.weights).toBe(weights.hash)
  const off = expect.objectContaining({ name: 'webdriver-true', strength: 1, value: 0 })
  expect(decision.contributions).toContainEqual(off)
})

test('the log of a decision has no address, token, secret or user agent', async () => {
  await start(
    {
      rules: [rule('r', { userAgent: ['chrome'] }, { kind: 'adjust', score: 1, work: undefined })],
    },
    known,
  )
  await visit()
  await line('siteverify')
  const text = JSON.stringify(service.lines())
  for (const secret of ['127.0.0.1', SECRET, 'eyJ', 'AppleWebKit'])
    expect(text).not.toContain(secret)
})
