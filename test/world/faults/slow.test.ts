import { expect } from '@jest/globals'
import { decodeJwt } from 'jose'
import { type Answer, between, failedSince, longest, statuses } from './books.ts'
import { fault, type Run, type Stand } from './fault.ts'
import { sleep } from './moments.ts'
import { onRedis, onWire } from './stands.ts'

// Faults in which the store hangs, is slow, or loses a reply. Nobody waits long for an answer.

/** Genuine users whose token was answered as used, since someone else had spent it. */
const robbed = <S extends Stand>({ load }: Run<S>): readonly (Answer | undefined)[] =>
  load.genuine
    .map(({ answer }) => answer)
    .filter((answer) => answer?.code === 'timeout-or-duplicate')

fault({
  id: 'hung',
  what: 'Redis hangs 10 s',
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis }, books }) {
    redis.pause()
    const from = performance.now()
    await sleep(10_000)
    const hung = between(books, from, performance.now())
    redis.resume()
    expect(hung.length).toBeGreaterThan(30)
    expect(statuses(hung)).toEqual(new Set([503]))
  },
  holds({ books, struckAt, backAt }) {
    expect(
      longest(books.answers.filter(({ at }) => at > struckAt && at < backAt)),
    ).toBeLessThanOrEqual(1000)
  },
})

fault({
  id: 'reply lost',
  what: 'the reply is cut after the write, 20 times',
  freshWithin: 1000,
  ci: true,
  load: { users: 2, replayers: 1, pauseMs: 300 },
  stand: onWire,
  async strike({ stand: { wire, instances }, books }) {
    for (let round = 0; round < 20; round++) {
      const { url } = instances[round % 2]!
      const visit = await books.visit(url)
      if (!visit) continue
      wire.cutReplyTo(decodeJwt(visit.tokens[0]!).jti!)
      const answer = await books.spend(visit, url)
      expect(wire.requests()).toBe(2)
      expect(answer.body).toMatchObject({ success: true })
    }
  },
  holds: (run) => expect(robbed(run)).toEqual([]),
})

fault({
  id: 'slow replies',
  what: 'replies take 200 ms, then 1 s',
  ci: true,
  stand: onWire,
  async strike({ stand: { wire }, books, load }) {
    wire.delay(200)
    const slowFrom = performance.now()
    // A solve asks three times in turn, siteverify twice: a visit takes at least 1.2 s.
    await sleep(5000)
    const slow = load.genuine.filter(({ at }) => at > slowFrom)
    expect(slow.length).toBeGreaterThan(3)
    expect(slow.filter(({ answer }) => answer?.body['success'] !== true)).toEqual([])

    wire.delay(1000)
    const from = performance.now()
    await sleep(4000)
    const late = between(books, from, performance.now())
    expect(statuses(late)).toEqual(new Set([503]))
    expect(longest(late)).toBeLessThanOrEqual(1000)
    wire.delay(0)
  },
})

fault({
  id: 'scripts flushed',
  what: 'SCRIPT FLUSH in a loop',
  freshWithin: 1000,
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis } }) {
    for (const end = performance.now() + 4000; performance.now() < end; await sleep(2))
      await redis.cli('SCRIPT', 'FLUSH')
  },
  holds({ books, load, struckAt }) {
    expect(failedSince(books, struckAt)).toEqual([])
    expect(load.genuine.filter(({ answer }) => answer?.body['success'] !== true)).toEqual([])
  },
})
