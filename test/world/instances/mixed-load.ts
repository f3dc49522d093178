import { createHash } from 'node:crypto'
import { type Answer, type Crowd, inTurns } from './crowd.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'
import { CONFIG, type ServiceProcess } from '../../support/process.ts'
import { BROWSER, PERSON, someone } from '../../support/visitor.ts'

const secretOf = (name: string): string => `hv_secret_${`${name}Secret0`.repeat(8).slice(0, 43)}`

const site = (name: string, more: object = {}) => ({
  sitekey: `hv_site_${name}`,
  name: `The ${name}`,
  secrets: [{ sha256: createHash('sha256').update(secretOf(name)).digest('hex') }],
  hostnames: ['shop.example.com'],
  token_lifetime: '600s',
  work: { level: 0 },
  ...more,
})

/** A shop whose visitors pass, a bank that nobody is good enough for, a newsletter that never asks. */
export const MIXED = {
  ...CONFIG,
  trusted_proxies: ['127.0.0.1/32'],
  limits: { ...CONFIG.limits, challenge: '160 per 1h' },
  sites: [site('bookshop'), site('openbank', { score_threshold: 0.97 }), site('newsletter', { token_lifetime: '30s' })],
}

/** What was asked and answered, counted by who asked. */
export interface Counted {
  /** By operation and code. */
  readonly requests: Map<string, number>
  /** By site and code. */
  readonly verdicts: Map<string, number>
  /** Every score that was held against a threshold, by site. */
  readonly scores: Map<string, number[]>
  readonly tokens: Map<string, number>
}

export const emptyCounts = (): Counted => ({
  requests: new Map(),
  verdicts: new Map(),
  scores: new Map(),
  tokens: new Map(),
})

const add = (to: Map<string, number>, key: string): void => void to.set(key, (to.get(key) ?? 0) + 1)

/** People, people who show less of themselves, and scripts: scores of all kinds. */
const KINDS: readonly object[] = [
  {},
  { page: undefined },
  { input: undefined },
  { automation: { ...PERSON.automation, webdriver: 1 } },
]

/** More than a thousand requests of all kinds; every answer is counted by what it says. */
export async function mixedLoad(crowd: Crowd, service: ServiceProcess, counted: Counted, each: number): Promise<void> {
  const { url, ask } = service
  async function verify(name: string, fields: Record<string, string>): Promise<Answer> {
    const answer = await crowd.post(`${url}/api/v1/siteverify`, fields)
    const code = answer.body['success'] === true ? 'accepted' : (answer.body['error-codes'] as string[])[0]!
    add(counted.requests, `siteverify ${code}`)
    if (code !== 'invalid-input-secret') add(counted.verdicts, `hv_site_${name} ${code}`)
    const score = answer.body['score']
    if (typeof score === 'number') counted.scores.set(name, [...(counted.scores.get(name) ?? []), score])
    return answer
  }
  /** Asks, and asks again while the machine is too busy for Redis to answer in time; each answer is counted. */
  async function insist(operation: string, good: string, fields: Record<string, string>, from: string) {
    for (;;) {
      const headers = { ...BROWSER, origin: ask.origin, 'x-forwarded-for': from }
      const { status, body } = await crowd.post(`${url}/api/v1/${operation}`, fields, headers)
      add(counted.requests, `${operation} ${status === 200 ? good : (body['error-codes'] as string[])[0]}`)
      if (status !== 503) return body
    }
  }
  async function mint(name: string, i: number): Promise<string> {
    // Everybody from somewhere else: what history says of a crowd behind one address is not the question here.
    const from = `81.${i % 250}.${Math.floor(i / 250) + name.length}.9`
    const asked = { sitekey: `hv_site_${name}`, action: 'sign-up', proof: '1' }
    const issued = (await insist('challenge', 'issued', asked, from)) as unknown as ChallengeAnswer
    const { challenge } = issued
    const signals = JSON.stringify({ ...someone(), proof: await ask.prove(challenge), ...KINDS[i % KINDS.length] })
    const minted = await insist('solve', 'solved', { challenge, solution: await crowd.work(issued), signals }, from)
    add(counted.tokens, `hv_site_${name}`)
    return String(minted['token'])
  }

  const visitors = Array.from({ length: each }, (_, i) => i)
  for (const name of ['bookshop', 'openbank', 'newsletter']) {
    const tokens = await inTurns(visitors, 8, (i) => mint(name, i))
    if (name === 'newsletter') continue
    const secret = secretOf(name)
    await inTurns(tokens, 8, (response) => verify(name, { secret, response }))
    // Once more: duplicates. Then one site's tokens with a secret of nobody, and what is no token at all.
    await inTurns(tokens, 8, (response) => verify(name, { secret, response }))
    await inTurns(tokens, 8, (response) => verify(name, { secret: secretOf('nobody'), response }))
    await inTurns(tokens, 8, () => verify(name, { secret, response: 'x.y.z' }))
  }
  // One network that asks too often: 480 challenges may come at once.
  const asked = { sitekey: 'hv_site_bookshop', action: 'sign-up' }
  await inTurns(Array.from({ length: 640 }), 8, () => insist('challenge', 'issued', asked, '203.0.113.77'))
}
