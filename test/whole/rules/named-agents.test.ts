/** Agents that sign, through the whole service: allowed, refused, named to the customer. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { localAgents, type LocalAgents } from '../../../src/agents/agents.ts'
import type { Site } from '../../../src/domain/site.ts'
import { visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import { newFolder } from '../../support/close-later.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, site, type TestService, testService } from '../../support/app.ts'
import { type SigningAgent, signingAgent } from '../../support/signing-agent.ts'
import { BROWSER, PERSON, post, solved } from '../../support/visitor.ts'

type Headers = Record<string, string>

const rule = (kind: 'allow' | 'deny', agent: string, action: string) =>
  visitRule({
    name: kind,
    when: { agent: [agent], action: [action] },
    effect: { kind },
    until: undefined,
  })
const RULES = [rule('allow', 'one', 'search'), rule('deny', 'any', 'vote')]
const ROBOT = { ...PERSON, automation: { ...PERSON.automation, webdriver: 1, artefacts: 2 } }
const LOW_SCORE = { success: false, 'error-codes': ['low-score'] }

let service: TestService
let agent: SigningAgent
let agents: LocalAgents
const folder = newFolder()

async function start(change: Partial<Site> = {}): Promise<void> {
  agent = await signingAgent()
  service = await testService({
    siteList: [site({ agents: true, rules: RULES, ...change })],
    agents: { identify: (request, now) => agents.identify(request, now) },
  })
  const keys = join(folder, 'one.json')
  writeFileSync(keys, agent.directory)
  const one = { name: 'one', url: 'https://agent.test', keys, ranges: undefined }
  agents = await localAgents([one], service.base, service.parts.log)
}

const sign = (): Promise<Headers> =>
  agent.headers(`${service.base}/api/v1/challenge`, Math.floor(Date.now() / 1000))

/** @param solving headers of the second request; those of the first if omitted. */
async function visit(action: string, asking: Headers, solving = asking, signals: object = ROBOT) {
  const fields = await solved({
    ...service.ask,
    action,
    signals,
    headers: { ...BROWSER, ...asking },
  })
  const from = { ...BROWSER, ...solving, origin: service.ask.origin }
  const { body } = await post(`${service.base}/api/v1/solve`, fields, from)
  const response = String(body['token'])
  return (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response })).body
}

/** The log is written when the connection is done. */
const expectLines = (operation: string, lines: readonly object[]) =>
  eventually(() =>
    expect(service.lines().filter(({ message }) => message === operation)).toMatchObject(lines),
  )

test('an agent that signs is allowed for one action, denied for another, and named to the customer', async () => {
  await start()
  const headers = await sign()
  expect(await visit('search', headers)).toMatchObject({ success: true, score: 1, agent: 'one' })
  expect(await visit('vote', headers)).toEqual({
    ...LOW_SCORE,
    score: 0,
    score_threshold: 0.5,
    agent: 'one',
  })
  for (const operation of ['challenge', 'solve', 'siteverify'])
    await expectLines(operation, [{ agent: 'one' }, { agent: 'one' }])
  expect(JSON.stringify(service.lines())).not.toContain(headers['signature'])
})

test('an agent that no rule names is scored like any visit', async () => {
  await start()
  const headers = await sign()
  const robot = await visit('sign-up', headers)
  expect(robot).toMatchObject({ ...LOW_SCORE, agent: 'one' })
  expect((await visit('sign-up', {}))['score']).toBe(robot['score'])
  expect(await visit('sign-up', headers, headers, PERSON)).toMatchObject({
    success: true,
    agent: 'one',
  })
})

test('an agent is named only to a site that asks', async () => {
  await start({ agents: false })
  const answer = await visit('search', await sign())
  expect(answer).toMatchObject({ success: true, score: 1 })
  expect(answer).not.toHaveProperty('agent')
})
