/**
 * No repeat moves a counter: whatever was sent before and comes again, from the same address or another, under the same headers
 * or others, one by one or at once, changes nothing in limits, history, levels and ledger, in memory and in a real Redis.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '../../../src/domain/codes.ts'
import { type Jti, unixSeconds } from '../../../src/domain/words.ts'
import { issueChallenge } from '../../../src/operations/issue-challenge.ts'
import { solveChallenge } from '../../../src/operations/solve-challenge.ts'
import { history } from '../../../src/store/history/history.ts'
import { memoryCounters } from '../../../src/store/history/counters.ts'
import { memoryLedger } from '../../../src/store/ledger/memory-ledger.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits, redisLimits } from '../../../src/store/limits/limit-store.ts'
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

/** Two addresses of a network, one elsewhere, one whose budget of visits is used up, one that makes second tries. */
const ADDRESSES = [
  '203.0.113.7',
  '203.0.113.8',
  '2001:db8:7::1',
  '198.51.100.9',
  '192.0.2.7',
] as const
const [, BY_FALLBACK, , FULL, STEPPING] = ADDRESSES
/** 60 visits at once, and three second tries. */
const BUDGETS = { ...everyBudget(1_000_000, 3600), solve: everyBudget(18, 3600).solve, ticket: everyBudget(3, 3600).ticket } // prettier-ignore
const BEGIN = Date.now()
const visitAt = (now: number) => ({ jti: random.id() as Jti, sitekey: SITEKEY, until: unixSeconds(now + 600), cost: 2, extraBudgets: [] }) // prettier-ignore

/** In this process, on a clock that stands still: every count as a test can see it. */
async function inMemory() {
  const now = Math.floor(Date.now() / 1000)
  const ledger = memoryLedger({ random, clock: () => now * 1000 })
  const known = history(memoryCounters(), keepLog())
  const limiter = budgetLimiter(memoryLimits(), BUDGETS, undefined, () => BEGIN)
  const { tokens } = parts
  const place = { sitekey: SITEKEY, action: undefined }
  const hashes = ADDRESSES.map((address) => tokens.hashAddress(address)!)
  return {
    stores: { ledger, history: known, limiter, clock: { now: () => unixSeconds(now) } },
    counts: async () => [
      ledger.fullness(),
      known.load(place, unixSeconds(now)),
      await Promise.all(hashes.map((hash) => known.near(hash, unixSeconds(now)))),
    ],
    /** Of 60 visits at once, one of the first three is gone, and three of the last; of its second tries, two. */
    async left() {
      const tries = (hash: string) =>
        Array.from({ length: 70 }, () => limiter.visit(hash, visitAt(now)))
      const left = hashes.map(async (hash) => (await Promise.allSettled(tries(hash))).filter(({ status }) => status === 'fulfilled').length) // prettier-ignore
      await limiter.check('ticket', hashes.at(-1)!, SITEKEY)
      expect(await Promise.all(left)).toEqual([59, 59, 59, 0, 57])
    },
  }
}

/** What Redis answers of a key that has ended meanwhile. */
const GONE = new Set(['null', '[]'])

/** In Redis: every key but the repeater's own budget, which may only end. */
async function inRedis() {
  const prefix = random.id()
  const { link, ...stores } = await redis.open(prefix)
  const limiter = budgetLimiter(redisLimits(link), BUDGETS, undefined, () => BEGIN)
  const keys = async () => ((await redis.redis.cli('KEYS', `{${prefix}}:*`)) as string[]).filter((key) => !key.includes(':l:invalidSolution:')) // prettier-ignore
  const valueOf = async (key: string) =>
    redis.redis.cli((await redis.redis.cli('TYPE', key)) === 'string' ? 'GET' : 'HGETALL', key)
  let seen: Record<string, unknown> | undefined
  return {
    stores: { ...stores, limiter, clock: parts.clock },
    async counts() {
      const entries = (await keys())
        .toSorted()
        .map(async (key) => [key, await valueOf(key)] as const)
      const found = Object.fromEntries(
        (await Promise.all(entries)).filter(([, value]) => !GONE.has(JSON.stringify(value))),
      )
      seen ??= found
      return { ...seen, ...found }
    },
    async left() {},
  }
}

const WORK = { ...site().work, maxLevel: 1, fallback: true }
const parts = memoryParts([site({ stepUp: 'managed', work: WORK })], Date.now, keepLog())
const prove = proverWith(() => parts.tokens)

const OTHERS = {
  same: {},
  neighbour: { address: '203.0.113.99' },
  elsewhere: { address: '192.0.2.200' },
  agent: { facts: () => ({ ...CHROMIUM_REQUEST, userAgent: 'python-requests/2.32' }) },
}
const repeat = fc.record({
  index: fc.nat(7),
  from: fc.constantFrom(...(Object.keys(OTHERS) as (keyof typeof OTHERS)[])),
  times: fc.integer({ min: 1, max: 20 }),
  atOnce: fc.boolean(),
})

const kindOf = (answer: object) => Object.keys(answer)[0]

test.each([
  { where: 'memory', open: inMemory, runs: 12 },
  { where: 'Redis', open: inRedis, runs: 6 },
])('no repeat moves any counter, in $where', async ({ open, runs }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(repeat, { minLength: 1, maxLength: 6 }), async (repeats) => {
      const service = await open()
      const ports = { ...parts, ...service.stores }
      const [issue, solve] = [issueChallenge(ports), solveChallenge(ports).solve]
      const send = (body: SolveRequest, from: Parameters<typeof caller>[0]): Promise<{ token?: string; ticket?: string }> =>
          solve(body, caller(from)).catch((thrown: unknown) => (thrown instanceof Fault ? { [thrown.code]: thrown } : Promise.reject(thrown))) // prettier-ignore
      for (let i = 0; i < 60; i++)
        await ports.limiter.visit(parts.tokens.hashAddress(FULL)!, visitAt(ports.clock.now()))
      const sent: { body: SolveRequest; address: string; answer: unknown }[] = []
      /** Solves a challenge and sends the body; its ticket comes back, where it gets one. */
      async function visit(
        address: string,
        {
          askedAt = address,
          signals = PERSON as object,
          ...step
        }: { askedAt?: string; signals?: object; ticket?: string } = {},
      ) {
        // prettier-ignore
        const algorithm = address === BY_FALLBACK ? 'pb.1' : 's32.1'
        const { challenge, work: todo } = await issue({ sitekey: SITEKEY, action: 'sign-up', proof: 1, algorithm, ...step } as never, caller({ address: askedAt })) // prettier-ignore
        const body = { challenge, solution: work(challenge, todo), signals: { ...signals, proof: await prove(challenge) }, step_up: '1', ...step } as SolveRequest // prettier-ignore
        const answer = await send(body, { address })
        sent.push({ body, address, answer: kindOf(answer) })
        return answer.ticket!
      }
      for (const address of ADDRESSES.slice(0, 4)) await visit(address)
      const ticket = await visit(STEPPING, { askedAt: FULL, signals: {} })
      await visit('192.0.2.99', { askedAt: STEPPING, ticket })
      for (let i = 0; i < 2; i++) await visit(STEPPING, { ticket })
      const answers = ['token', 'token', 'token', 'rate-limit-exceeded', 'ticket', 'invalid-input-ticket', 'token', 'ticket-expired'] // prettier-ignore
      expect(sent.map(({ answer }) => answer)).toEqual(answers)

      const before = await service.counts()
      for (const { index, from, times, atOnce } of repeats) {
        const { body, address, answer } = sent[index]!
        const again = () => send(body, { address, ...OTHERS[from] }).then(kindOf)
        const kinds: unknown[] = []
        if (atOnce) kinds.push(...(await Promise.all(Array.from({ length: times }, again))))
        else for (let i = 0; i < times; i++) kinds.push(await again())
        const isKnown = from === 'same' || answer === 'invalid-input-ticket'
        expect(new Set(kinds)).toEqual(new Set([isKnown ? answer : 'challenge-expired']))
      }
      expect(await service.counts()).toEqual(before)
      await service.left()
    }),
    { numRuns: runs },
  )
})
