import { createHash } from 'node:crypto'
import { type Answer, type Crowd, inTurns } from './crowd.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'
import { CONFIG, type ServiceProcess } from '../../support/process.ts'
import type { Prove } from '../../support/prove.ts'
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

const ACTIONS = ['sign-up', 'comment', 'contact'] as const

/** People who show more or less of themselves, and some scripts: scores of all kinds. */
async function visitor(i: number, challenge: string, prove: Prove): Promise<string> {
  const work = { ms: 180 + ((i * 337) % 4200), workers: 4 }
  if (i % 9 === 0) return JSON.stringify({ v: 1, work })
  const person = { ...someone(), work, proof: await prove(challenge) }
  if (i % 7 === 0) return JSON.stringify({ ...person, input: undefined })
  if (i % 5 === 0) return JSON.stringify({ ...person, page: undefined })
  if (i % 11 === 0) return JSON.stringify({ ...person, automation: { ...PERSON.automation, webdriver: 1 } })
  return JSON.stringify(person)
}

/** A service with one keyring for all. */
type Visited = Pick<ServiceProcess, 'url' | 'ask'>

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

const add = (to: Map<string, number>, key: string, n = 1): void => void to.set(key, (to.get(key) ?? 0) + n)

/** A few thousand requests of all kinds, spread over the services; every answer is counted by what it says. */
export async function mixedLoad(
  crowd: Crowd,
  services: readonly Visited[],
  counted: Counted,
  each = 60,
): Promise<void> {
  const origin = 'https://shop.example.com'
  const urls = services.map(({ url }) => url)
  const { prove } = services[0]!.ask
  let turn = 0
  const next = (): string => urls[turn++ % urls.length]!

  const verify = async (name: string, fields: Record<string, string>): Promise<Answer> => {
    const answer = await crowd.post(`${next()}/api/v1/siteverify`, fields)
    const code = answer.body['success'] === true ? 'accepted' : (answer.body['error-codes'] as string[])[0]!
    add(counted.requests, `siteverify ${code}`)
    if (code !== 'invalid-input-secret') add(counted.verdicts, `hv_site_${name} ${code}`)
    const score = answer.body['score']
    if (typeof score === 'number') counted.scores.set(name, [...(counted.scores.get(name) ?? []), score])
    return answer
  }

  /** Asks, and asks again while the machine is too busy for Redis to answer in time; each answer is counted. */
  const insist = async (operation: string, good: string, url: string, fields: Record<string, string>, from: object) => {
    for (;;) {
      const { status, body } = await crowd.post(`${url}/api/v1/${operation}`, fields, { ...BROWSER, origin, ...from })
      add(counted.requests, `${operation} ${status === 200 ? good : (body['error-codes'] as string[])[0]}`)
      if (status !== 503) return { status, body }
    }
  }
  const mint = async (name: string, i: number): Promise<string> => {
    const asked = { sitekey: `hv_site_${name}`, action: ACTIONS[i % ACTIONS.length]!, proof: '1' }
    // Everybody from somewhere else: what history says of a crowd behind one address is not the question here.
    const from = { 'x-forwarded-for': `81.${i % 250}.${Math.floor(i / 250) + name.length}.9` }
    const issued = (await insist('challenge', 'issued', next(), asked, from)).body as unknown as ChallengeAnswer
    const signals = await visitor(i, issued.challenge, prove)
    const fields = { challenge: issued.challenge, solution: await crowd.work(issued), signals }
    const minted = await insist('solve', 'solved', next(), fields, from)
    add(counted.tokens, `hv_site_${name}`)
    return String(minted.body['token'])
  }

  for (const name of ['bookshop', 'openbank', 'newsletter']) {
    const tokens = await inTurns(
      Array.from({ length: each * urls.length }, (_, i) => i),
      8,
      (i) => mint(name, i),
    )
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
  await inTurns(Array.from({ length: 640 }), 8, () =>
    insist('challenge', 'issued', next(), asked, { 'x-forwarded-for': '203.0.113.77' }),
  )
}
