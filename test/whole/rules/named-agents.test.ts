/** Agents that sign, through the whole service: let through, refused, told to the customer; and what names nobody. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { localAgents, type LocalAgents } from '../../../src/agents/agents.ts'
import type { Site } from '../../../src/domain/site.ts'
import { visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import type { Agents } from '../../../src/domain/ports/stores.ts'
import { SECRET, site, type TestService, testService } from '../../support/app.ts'
import { type SigningAgent, signingAgent } from '../../support/signing-agent.ts'
import { BROWSER, PERSON, post, solved } from '../../support/visitor.ts'

type Headers = Record<string, string>

const RULES = [
  visitRule({
    name: 'shop-agents',
    when: { agent: ['one'], action: ['search'] },
    effect: { kind: 'allow' },
    until: undefined,
  }),
  visitRule({
    name: 'no-agents',
    when: { agent: ['any'], action: ['vote'] },
    effect: { kind: 'deny' },
    until: undefined,
  }),
]
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

/** @param known whether the agent's keys are in a file. */
async function start(change: Partial<Site> = {}, known = true): Promise<void> {
  const later: Agents = { of: (request, now) => agents!.of(request, now) }
  service = await testService({
    siteList: [site({ agents: true, rules: RULES, ...change })],
    nowMs: () => Date.now() + ahead,
    ...(known && { agents: later }),
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
  const { body } = await post(`${service.base}/api/v1/solve`, fields, {
    ...BROWSER,
    ...solving,
    origin: service.ask.origin,
  })
  return String(body['token'])
}
async function verdict(response: string) {
  return (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response })).body
}
const visit = async (...args: Parameters<typeof tokenFor>) => verdict(await tokenFor(...args))

/** The log is written when the connection is done. */
async function lines(operation: string, count = 1): Promise<Record<string, unknown>[]> {
  for (let i = 0; i < 200; i++) {
    const found = service.lines().filter(({ message }) => message === operation)
    if (found.length >= count) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`no line of ${operation}`)
}

describe('an agent that signs', () => {
  test('is let through for one action, refused for another, and told to the customer', async () => {
    await start()
    const headers = await sign()
    expect(await visit('search', headers)).toMatchObject({ success: true, score: 1, agent: 'one' })
    expect(await visit('vote', headers)).toEqual({
      success: false,
      score: 0,
      score_threshold: 0.5,
      agent: 'one',
      'error-codes': ['low-score'],
    })
    for (const operation of ['challenge', 'solve', 'siteverify']) {
      expect(await lines(operation, 2)).toMatchObject([{ agent: 'one' }, { agent: 'one' }])
    }
    expect(JSON.stringify(service.lines())).not.toContain(headers['signature'])
  })

  test('is judged like anybody where no rule names it: signed is not benign', async () => {
    await start()
    const headers = await sign()
    const robot = await visit('sign-up', headers)
    expect(robot).toMatchObject({ success: false, agent: 'one', 'error-codes': ['low-score'] })
    const bare = await visit('sign-up', {})
    expect(bare['score']).toBe(robot['score'])
    expect(await visit('sign-up', headers, headers, PERSON)).toMatchObject({ success: true, agent: 'one' })
  })

  test('is told only to a site that asks', async () => {
    await start({ agents: false })
    const answer = await visit('search', await sign())
    expect(answer).toMatchObject({ success: true, score: 1 })
    expect(answer).not.toHaveProperty('agent')
  })
})

describe('nobody is named', () => {
  test.each([
    ['without a signature', async (): Promise<[Headers, Headers]> => [{}, {}]],
    ['who signs for the challenge only', async (): Promise<[Headers, Headers]> => [await sign(), {}]],
    ['who signs for the solution only', async (): Promise<[Headers, Headers]> => [{}, await sign()]],
    [
      'whose signature is for another host',
      async (): Promise<[Headers, Headers]> => {
        const headers = await agent.headers('https://shop.test/', now())
        return [headers, headers]
      },
    ],
  ])('%s', async (_who, headers) => {
    await start()
    const [asking, solving] = await headers()
    const answer = await visit('search', asking, solving)
    expect(answer).toMatchObject({ success: false, 'error-codes': ['low-score'] })
    expect(answer).not.toHaveProperty('agent')
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

test('a replayed signature opens no second use of a challenge or a token', async () => {
  await start()
  const headers = await sign()
  const fields = await solved({ ...service.ask, action: 'search', headers: { ...BROWSER, ...headers } })
  const solve = (signals: object) =>
    post(
      `${service.base}/api/v1/solve`,
      { ...fields, signals: JSON.stringify(signals) },
      { ...BROWSER, ...headers, origin: service.ask.origin },
    )
  const response = String((await solve(PERSON)).body['token'])
  expect((await solve(ROBOT)).body['error-codes']).toEqual(['challenge-expired'])
  expect(await verdict(response)).toMatchObject({ success: true, agent: 'one' })
  expect(await verdict(response)).toMatchObject({ success: false, 'error-codes': ['timeout-or-duplicate'] })
})
