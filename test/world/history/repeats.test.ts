/**
 * No repeat moves a counter: whatever was sent before and comes again, from the same address or another, under the same headers
 * or others, one by one or at once, changes nothing in limits, history, levels and ledger, in memory and in a real Redis.
 */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '../../../src/domain/codes.ts'
import { type Jti, seconds, unixSeconds } from '../../../src/domain/words.ts'
import { issueChallenge } from '../../../src/operations/issue-challenge.ts'
import { solveChallenge } from '../../../src/operations/solve-challenge.ts'
import { history } from '../../../src/store/history.ts'
import { memoryCounters } from '../../../src/store/counters.ts'
import { memoryLedger } from '../../../src/store/memory-ledger.ts'
import { debtLimiter } from '../../../src/store/debt-limiter.ts'
import { memoryDebts, redisDebts } from '../../../src/store/debts.ts'
import type { SolveRequest } from '../../../src/wire.ts'
import { caller } from '../../rooms/operations/parts.ts'
import { memoryParts, site, SITEKEY } from '../../support/app.ts'
import { keepLog, random } from '../../support/ledger-contract.ts'
import { everyBudget } from '../../support/ledger-on-redis.ts'
import { proverWith } from '../../support/prove.ts'
import { redisStores } from '../../support/redis-stores.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'
import { PERSON, work } from '../../support/visitor.ts'

const redis = await redisStores()

/** Two addresses of a network, one elsewhere, one whose budget of visits is used up. */
const ADDRESSES = ['203.0.113.7', '203.0.113.8', '2001:db8:7::1', '198.51.100.9'] as const
const FULL = ADDRESSES[3]
const BY_FALLBACK = ADDRESSES[1]
/** 60 visits at once. */
const BUDGETS = { ...everyBudget(1_000_000, 3600), solve: { points: 18, per: seconds(3600) } }
const BEGIN = Date.now()

/** In this process, on a clock that stands still: every count as a test can see it. */
async function inMemory() {
  const now = Math.floor(Date.now() / 1000)
  const ledger = memoryLedger({ random, clock: () => now * 1000 })
  const known = history(memoryCounters(), keepLog())
  const limiter = debtLimiter(memoryDebts(), BUDGETS, undefined, () => BEGIN)
  const { tokens } = parts
  const place = { sitekey: SITEKEY, action: undefined }
  const marks = ADDRESSES.map((address) => tokens.markAddress(address)!)
  return {
    stores: { ledger, history: known, limiter, clock: { now: () => unixSeconds(now) } },
    counts: async () => [
      ledger.fullness(),
      known.load(place, unixSeconds(now)),
      await Promise.all(marks.map((mark) => known.near(mark, unixSeconds(now)))),
    ],
    /** The first three have 60 visits at once, of which one is gone. */
    async left() {
      const visit = () => ({
        jti: random.id() as Jti,
        sitekey: SITEKEY,
        until: unixSeconds(now + 600),
        halves: 2,
        besides: [],
      })
      const tries = (mark: string) => Array.from({ length: 70 }, () => limiter.visit(mark, visit()))
      const left = marks.map(async (mark) => (await Promise.allSettled(tries(mark))).filter(({ status }) => status === 'fulfilled').length) // prettier-ignore
      expect(await Promise.all(left)).toEqual([59, 59, 59, 0])
    },
  }
}

/** In Redis: every key but the repeater's own budget, which may only end. */
async function inRedis() {
  const prefix = random.id()
  const { link, ...stores } = await redis.open(prefix)
  const limiter = debtLimiter(redisDebts(link), BUDGETS, undefined, () => BEGIN)
  const keys = async () => ((await redis.redis.cli('KEYS', `{${prefix}}:*`)) as string[]).filter((key) => !key.includes(':l:solve:')) // prettier-ignore
  let seen: Record<string, unknown> | undefined
  return {
    stores: { ...stores, limiter, clock: parts.clock },
    async counts() {
      const entries = (await keys())
        .toSorted()
        .map(async (key) => [key, await redis.redis.cli('HGETALL', key)] as const)
      const found = Object.fromEntries((await Promise.all(entries)).filter(([, fields]) => String(fields) !== ''))
      seen ??= found
      return { ...seen, ...found }
    },
    async left() {},
  }
}

const parts = memoryParts([site({ work: { ...site().work, maxLevel: 8, fallback: true } })], Date.now, keepLog())
const prove = proverWith(() => parts.tokens)

const OTHERS = {
  same: {},
  neighbour: { address: '203.0.113.99' },
  elsewhere: { address: '192.0.2.200' },
  agent: { facts: () => ({ ...CHROMIUM_REQUEST, userAgent: 'python-requests/2.32' }) },
}
const repeat = fc.record({
  body: fc.nat(ADDRESSES.length - 1),
  from: fc.constantFrom(...(Object.keys(OTHERS) as (keyof typeof OTHERS)[])),
  times: fc.integer({ min: 1, max: 20 }),
  atOnce: fc.boolean(),
})

describe.each([
  { where: 'memory', open: inMemory, runs: 20 },
  { where: 'Redis', open: inRedis, runs: 8 },
])('in $where', ({ open, runs }) => {
  test('no repeat moves any counter', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(repeat, { minLength: 1, maxLength: 6 }), async (repeats) => {
        const service = await open()
        const ports = { ...parts, ...service.stores }
        const [issue, solve] = [issueChallenge(ports), solveChallenge(ports)]
        const send = (body: SolveRequest, from: Parameters<typeof caller>[0]) =>
          solve(body, caller(from)).then(() => 'token', (thrown: unknown) => (thrown instanceof Fault ? thrown.code : Promise.reject(thrown))) // prettier-ignore
        const full = parts.tokens.markAddress(FULL)!
        for (let i = 0; i < 60; i++)
          await ports.limiter.visit(full, { jti: random.id() as Jti, sitekey: SITEKEY, until: unixSeconds(ports.clock.now() + 600), halves: 2, besides: [] }) // prettier-ignore
        const bodies: SolveRequest[] = []
        for (const address of ADDRESSES) {
          const algorithm = address === BY_FALLBACK ? 'pb.1' : 's32.1'
          const asked = await issue({ sitekey: SITEKEY, action: 'sign-up', proof: 1, algorithm } as never, caller({ address })) // prettier-ignore
          const signals = { ...PERSON, proof: await prove(asked.challenge) } as SolveRequest['signals']
          const body = { challenge: asked.challenge, solution: work(asked.challenge, asked.work), signals }
          expect(await send(body, { address })).toBe(address === FULL ? 'rate-limit-exceeded' : 'token')
          bodies.push(body)
        }

        const before = await service.counts()
        for (const { body, from, times, atOnce } of repeats) {
          const again = () => send(bodies[body]!, { address: ADDRESSES[body]!, ...OTHERS[from] })
          const said = ADDRESSES[body] === FULL ? 'rate-limit-exceeded' : 'token'
          const codes: string[] = []
          if (atOnce) codes.push(...(await Promise.all(Array.from({ length: times }, again))))
          else for (let i = 0; i < times; i++) codes.push(await again())
          expect(new Set(codes)).toEqual(new Set([from === 'same' ? said : 'challenge-expired']))
        }
        expect(await service.counts()).toEqual(before)
        await service.left()
      }),
      { numRuns: runs },
    )
  })
})
