/**
 * People beside somebody who pays for nothing, through the real service at its default limits: what was not worked for
 * takes nothing of anybody's score, and a moment of their time.
 */
import { afterEach, expect, jest, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { seconds } from '../../../src/domain/words.ts'
import { loadConfig } from '../../../src/settings/load.ts'
import { parseSolution } from '../../../src/work/solution.ts'
import { spellSolution } from '../../../src/work/spell-solution.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../../src/store/limits/limit-store.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'
import { ORIGIN, SECRET, site, SITEKEY, testService } from '../../support/app.ts'
import { BROWSER, post, work } from '../../support/visitor.ts'

jest.setTimeout(120_000)

const { limits } = loadConfig('config/demo.yaml', {})
const WORK = { level: 0, maxLevel: 8, humanCost: seconds(2), fallback: true }

const { now } = Date
afterEach(() => void jest.restoreAllMocks())

/** A service whose clock can be ahead: a slow device takes its time. Limits go by `Date.now`, which jumps when a visitor must wait. */
async function start() {
  let [ahead, skipped] = [0, 0]
  jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped)
  const on = await testService({
    limiter: budgetLimiter(memoryLimits(), limits),
    trustedProxies: ['127.0.0.0/8'],
    siteList: [site({ work: WORK })],
    nowMs: () => Date.now() + ahead,
  })
  const wait = async (ms: number) => {
    const until = Date.now() + ms
    // Who was told to wait at the same time goes on at the same time.
    await sleep(30)
    skipped += Math.max(0, until - Date.now())
  }
  const advance = (ms: number): void => {
    ahead += ms
  }
  return { ...on, advance, wait }
}
type Service = Awaited<ReturnType<typeof start>>

const from = (address: string) => ({ ...BROWSER, 'x-forwarded-for': address, origin: ORIGIN })
const ask = (on: Service, address: string) =>
  post(
    `${on.base}/api/v1/challenge`,
    { sitekey: SITEKEY, action: 'sign-up', proof: '1' },
    from(address),
  )
const solve = (on: Service, address: string, fields: Record<string, string>) =>
  post(`${on.base}/api/v1/solve`, fields, from(address))

const page = { visible: 1, focused: 1 }
const VISITORS = {
  'keyboard only': {
    signals: { input: { trusted: 60, keys: 24, keyGap: 140, keyGapLong: 300 }, page },
    share: 1,
  },
  touch: { signals: { input: { trusted: 30, presses: 4, touches: 4, keys: 12 }, page }, share: 1 },
  'one tap': { signals: { input: { trusted: 3, presses: 1, touches: 1 }, page }, share: 1 },
  slow: {
    signals: { input: { trusted: 60, keys: 24, keyGap: 140, keyGapLong: 300 }, page },
    share: 1 / 4,
  },
}
/** What they have where nobody else is. */
const SCORES = [0.82, 0.82, 0.62, 0.57]
type Visitor = (typeof VISITORS)[keyof typeof VISITORS]

/** Asks until there is room, as the widget does. @returns the answer, and the milliseconds until it came. */
async function patiently(on: Service, call: () => ReturnType<typeof post>) {
  for (let waited = 0; ;) {
    const began = performance.now()
    const { status, headers, body } = await call()
    waited += performance.now() - began
    if (status !== 429 && status !== 503) return { status, body, waited }
    const ms = Number(headers.get('retry-after')) * 1000
    await on.wait(ms)
    waited += ms
  }
}

/** A whole visit. @returns the score, the units that were asked for, and how long the visitor waited for the service. */
async function visit(on: Service, address: string, { signals, share }: Visitor) {
  const { body, waited } = await patiently(on, () => ask(on, address))
  const { challenge, work: asked } = body as unknown as ChallengeAnswer
  let solution = work(challenge, asked)
  if (share < 1) {
    const samples = parseSolution(solution, asked.n)!
    solution = spellSolution(asked.n, samples.slice(0, Math.ceil(samples.length * share)))
    on.advance(asked.b + 1000)
  }
  const fields = {
    challenge,
    solution,
    signals: JSON.stringify({ ...signals, proof: await on.ask.prove(challenge) }),
  }
  const answer = await patiently(on, () => solve(on, address, fields))
  const response = String(answer.body['token'])
  const { body: verdict } = await post(`${on.base}/api/v1/siteverify`, { secret: SECRET, response })
  return {
    score: verdict['score'] as number,
    success: verdict['success'],
    units: asked.n,
    waited: waited + answer.waited,
  }
}

/** 300 unsolved challenges, and 300 solutions of the right shape without any work, as fast as one device sends them. */
async function beNasty(on: Service, addressOf: (i: number) => string): Promise<number> {
  const junk = Buffer.alloc(1024).toString('base64url')
  let refused = 0
  for (let i = 0; i < 300; i += 20) {
    const asked = Array.from({ length: 40 }, async (_, k) => {
      const address = addressOf(i + (k % 20))
      const { status, body } = await patiently(on, () => ask(on, address))
      if (status !== 200 || k % 2 === 0) return
      const fields = { challenge: String(body['challenge']), solution: junk, signals: '{}' }
      if ((await patiently(on, () => solve(on, address, fields))).status === 400) refused++
    })
    await Promise.all(asked)
  }
  return refused
}

const hex = (n: number) => n.toString(16)
const PLACES = [
  { place: 'the same IPv4 address', nasty: () => '203.0.113.7', person: () => '203.0.113.7' },
  { place: 'the same /24', nasty: (i: number) => `198.51.100.${i % 100}`, person: (i: number) => `198.51.100.${200 + i}` },
  { place: 'the same /64', nasty: (i: number) => `2001:db8:1:100::${hex(i)}`, person: (i: number) => `2001:db8:1:100::ff${i}` },
  { place: 'the same /56', nasty: (i: number) => `2001:db8:2:1${hex(i % 16).padStart(2, '0')}::1`, person: (i: number) => `2001:db8:2:1f${i}::1` },
  { place: 'the same /48', nasty: (i: number) => `2001:db8:3:${hex(i % 250)}00::1`, person: (i: number) => `2001:db8:3:ff0${i}::1` },
] // prettier-ignore

// Redis keeps the same promise as memory (test/world/store/limits.test.ts).
test.each(PLACES)(
  '300 junk solutions and 300 unsolved challenges from $place cost people nothing',
  async ({ nasty, person }) => {
    const on = await start()
    const people = Object.values(VISITORS)
    const before = await Promise.all(people.map((each, i) => visit(on, person(i), each)))
    expect(before.map(({ score }) => score)).toEqual(SCORES)
    expect(await beNasty(on, nasty)).toBeGreaterThanOrEqual(290)
    const after = await Promise.all(people.map((each, i) => visit(on, person(i + 4), each)))
    after.forEach(({ score, success, units, waited }, i) => {
      expect(success).toBe(true)
      expect(score).toBeGreaterThanOrEqual(before[i]!.score - 0.05)
      expect(units).toBe(before[i]!.units)
      expect(waited).toBeLessThan(before[i]!.waited + 2500)
    })
  },
)
