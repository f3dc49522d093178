/** Agents that sign, through the whole service: let through, refused, told to the customer; and what names nobody. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { localAgents, type LocalAgents } from '../../../src/agents/agents.ts'
import type { Site } from '../../../src/domain/site.ts'
import { visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import type { Agents } from '../../../src/domain/ports/stores.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, site, type TestService, testService } from '../../support/app.ts'
import { type SigningAgent, signingAgent } from '../../support/signing-agent.ts'
import { BROWSER, PERSON, post, solved } from '../../support/visitor.ts'

type Headers = Record<string, string>

const rule = (kind: 'allow' | 'deny', agent: string, action: string) =>
  visitRule({ name: kind, when: { agent: [agent], action: [action] }, effect: { kind }, until: undefined })
const RULES = [rule('allow', 'one', 'search'), rule('deny', 'any', 'vote')]
const ROBOT = { ...PERSON, automation: { ...PERSON.automation, webdriver: 1, artefacts: 2 } }

let service: TestService
let agent: SigningAgent
let agents: LocalAgents | undefined
let folder: string
let ahead = 0
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hv-named-'))
  ahead = 0
  agent = await signingAgent()
})
afterEach(async () => {
  await service.stop(0)
  rmSync(folder, { recursive: true })
})

async function start(change: Partial<Site> = {}): Promise<void> {
  const later: Agents = { of: (request, now) => agents!.of(request, now) }
  service = await testService({
    siteList: [site({ agents: true, rules: RULES, ...change })],
    nowMs: () => Date.now() + ahead,
    agents: later,
  })
  const keys = join(folder, 'one.json')
  writeFileSync(keys, agent.directory)
  const one = { name: 'one', url: 'https://agent.test', keys, ranges: undefined }
  agents = await localAgents([one], service.base, service.parts.log)
}

const now = (): number => Math.floor((Date.now() + ahead) / 1000)
const sign = (): Promise<Headers> => agent.headers(`${service.base}/api/v1/challenge`, now())

/** @param solving headers of the second request; left out: those of the first. */
async function tokenFor(action: string, asking: Headers, solving = asking, signals: object = ROBOT): Promise<string> {
  const fields = await solved({ ...service.ask, action, signals, headers: { ...BROWSER, ...asking } })
  const from = { ...BROWSER, ...solving, origin: service.ask.origin }
  const { body } = await post(`${service.base}/api/v1/solve`, fields, from)
  return String(body['token'])
}
async function verdict(response: string) {
  return (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response })).body
}
const visit = async (...args: Parameters<typeof tokenFor>) => verdict(await tokenFor(...args))

/** The log is written when the connection is done. */
const lines = (operation: string, count = 1): Promise<Record<string, unknown>[]> =>
  eventually(() => {
    const found = service.lines().filter(({ message }) => message === operation)
    expect(found.length).toBeGreaterThanOrEqual(count)
    return found
  })

describe('an agent that signs', () => {
  test('is allowed for one action, denied for another, and named to the customer', async () => {
    await start()
    const headers = await sign()
    expect(await visit('search', headers)).toMatchObject({ success: true, score: 1, agent: 'one' })
    const refused = { success: false, score: 0, score_threshold: 0.5, agent: 'one', 'error-codes': ['low-score'] }
    expect(await visit('vote', headers)).toEqual(refused)
    for (const operation of ['challenge', 'solve', 'siteverify']) {
      expect(await lines(operation, 2)).toMatchObject([{ agent: 'one' }, { agent: 'one' }])
    }
    expect(JSON.stringify(service.lines())).not.toContain(headers['signature'])
  })

  test('is scored like any visit where no rule names it', async () => {
    await start()
    const headers = await sign()
    const robot = await visit('sign-up', headers)
    expect(robot).toMatchObject({ success: false, agent: 'one', 'error-codes': ['low-score'] })
    const bare = await visit('sign-up', {})
    expect(bare['score']).toBe(robot['score'])
    expect(await visit('sign-up', headers, headers, PERSON)).toMatchObject({ success: true, agent: 'one' })
  })

  test('is named only to a site that asks', async () => {
    await start({ agents: false })
    const answer = await visit('search', await sign())
    expect(answer).toMatchObject({ success: true, score: 1 })
    expect(answer).not.toHaveProperty('agent')
  })
})

describe('no agent is named', () => {
  test('without a signature, with one for the challenge or the solution only, or with one for another host', async () => {
    await start()
    const headers = await sign()
    const elsewhere = await agent.headers('https://shop.test/', now())
    for (const [asking, solving] of [
      [{}, {}],
      [headers, {}],
      [{}, headers],
      [elsewhere, elsewhere],
    ] as const) {
      const answer = await visit('search', asking, solving)
      expect(answer).toMatchObject({ success: false, 'error-codes': ['low-score'] })
      expect(answer).not.toHaveProperty('agent')
    }
  })

  test('by a signature of eleven minutes ago; the log says why', async () => {
    await start()
    const headers = await sign()
    ahead = 11 * 60_000
    expect(await visit('search', headers)).toMatchObject({ success: false })
    const [line] = await lines('challenge')
    expect(line).toMatchObject({ agent_refusal: 'expired' })
    expect(line).not.toHaveProperty('agent')
  })
})

test('a replayed signature allows no second use of a challenge or a token', async () => {
  await start()
  const headers = await sign()
  const fields = await solved({ ...service.ask, action: 'search', headers: { ...BROWSER, ...headers } })
  const from = { ...BROWSER, ...headers, origin: service.ask.origin }
  const solve = (signals: object) =>
    post(`${service.base}/api/v1/solve`, { ...fields, signals: JSON.stringify(signals) }, from)
  const response = String((await solve(PERSON)).body['token'])
  expect((await solve(ROBOT)).body['error-codes']).toEqual(['challenge-expired'])
  expect(await verdict(response)).toMatchObject({ success: true, agent: 'one' })
  expect(await verdict(response)).toMatchObject({ success: false, 'error-codes': ['timeout-or-duplicate'] })
})
