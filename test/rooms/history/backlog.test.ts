/** A store that is slow, or hangs: what waits for it has a bound, and so has the end of the process. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { type Backlog, backlog } from '../../../src/history/backlog.ts'
import type { Bump, Counted, Counters } from '../../../src/history/counters.ts'

const NOW = unixSeconds(1_800_000_000)
let stored: Bump[]
let answer: () => void
let waiting: Backlog
beforeEach(() => {
  jest.useFakeTimers()
  stored = []
  const answered: Promise<void> = new Promise((resolve) => (answer = resolve))
  waiting = backlog(
    {
      async count(bumps) {
        stored.push(...bumps)
        await answered
        return bumps.map(() => ({ first: true, values: [] }))
      },
    },
    { clock: { now: () => NOW }, everyMs: 250, capacity: 100, learned: () => {}, lost: () => {} },
  )
})
afterEach(async () => {
  answer()
  await waiting.close()
  jest.useRealTimers()
})

/** Visits of as many addresses, each a second time. */
function visits(from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const subject = { subject: `s${i}`, place: 'p', bucket: seconds(600), keep: seconds(600), read: [] }
    for (let again = 0; again < 2; again++) waiting.add(subject, [['f', 1]])
  }
}

test('while the store hangs, no more waits than the capacity, however long that takes', async () => {
  visits(0, 50)
  await jest.advanceTimersByTimeAsync(250)
  for (let i = 1; i <= 40; i++) {
    visits(i * 50, i * 50 + 50)
    await jest.advanceTimersByTimeAsync(250)
  }
  expect(stored).toHaveLength(50)
  answer()
  await jest.advanceTimersByTimeAsync(1000)
  expect(stored).toHaveLength(150)
  expect(new Set(stored.flatMap(({ add }) => add.map(([, by]) => by)))).toEqual(new Set([2]))
})

test('its end sends what is left', async () => {
  answer()
  visits(0, 90)
  await waiting.close()
  expect(stored).toHaveLength(90)
})

test('its end waits for a store that hangs for a second', async () => {
  visits(0, 50)
  await jest.advanceTimersByTimeAsync(250)
  visits(50, 90)
  let closed = false
  void waiting.close().then(() => (closed = true))
  await jest.advanceTimersByTimeAsync(900)
  expect(closed).toBe(false)
  await jest.advanceTimersByTimeAsync(200)
  expect(closed).toBe(true)
})

test('its end rejects nothing while the store hangs, and waits for it no longer than that', async () => {
  visits(0, 50)
  await jest.advanceTimersByTimeAsync(250)
  const closed = waiting.close()
  await jest.advanceTimersByTimeAsync(1100)
  await expect(closed).resolves.toBeUndefined()
})

describe('a store that answers', () => {
  interface Call {
    readonly names: readonly string[]
    readonly now: number
  }
  let calls: Call[]
  let heard: string[]
  let on: Backlog
  let broken: boolean
  const clock = { now: () => unixSeconds(Math.floor(Date.now() / 1000)) }
  const answerOf = ({ subject }: Bump): Counted => ({ first: true, values: [{ current: subject.length, previous: 0 }] })
  const counters: Counters = {
    async count(bumps, now) {
      calls.push({ names: bumps.map(({ subject, once }) => `${subject}${once ?? ''}`), now })
      stored.push(...bumps)
      if (broken) throw new Error('no answer')
      return bumps.map(answerOf)
    },
  }
  beforeEach(() => {
    jest.setSystemTime(NOW * 1000)
    ;[calls, heard, stored, broken] = [[], [], [], false]
    on = backlog(counters, {
      clock,
      everyMs: 250,
      learned: ({ subject }, { values }, now) => void heard.push(`${subject} ${values[0]!.current} ${now}`),
      lost: ({ subject, add }) => void heard.push(`${subject} lost ${add.length}`),
    })
  })
  afterEach(() => on.close())
  const subject = (name: string, change: Partial<Bump> = {}) => ({
    subject: name,
    place: 'p',
    bucket: seconds(600),
    keep: seconds(600),
    read: ['f'],
    ...change,
  })

  test('is sent a subject once, with all that was added up, and is heard', async () => {
    on.add(subject('long'), [['f', 1], ['g', 2]]) // prettier-ignore
    on.add(subject('b'), [['f', 5]])
    on.add(subject('long'), [['g', 3], ['h', 4]]) // prettier-ignore
    await jest.advanceTimersByTimeAsync(249)
    expect(calls).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect(stored).toEqual([
      { ...subject('long'), add: [['f', 1], ['g', 5], ['h', 4]] }, // prettier-ignore
      { ...subject('b'), add: [['f', 5]] },
    ])
    expect(heard).toEqual([`long 4 ${NOW}`, `b 1 ${NOW}`])
    await jest.advanceTimersByTimeAsync(750)
    expect(calls).toHaveLength(1)
    on.add(subject('b'), [['f', 1]])
    await jest.advanceTimersByTimeAsync(250)
    expect(stored.slice(2)).toEqual([{ ...subject('b'), add: [['f', 1]] }])
    expect(calls[1]).toEqual({ names: ['b'], now: NOW + 1 })
  })
  test('is asked for every field that somebody wants of a subject', async () => {
    const fields = ['f', 'g']
    on.add(subject('a', { read: fields }), [])
    on.add(subject('a', { read: fields }), [])
    on.add(subject('a', { read: ['g', 'h'] }), [])
    await on.close()
    expect(stored.map(({ read }) => read)).toEqual([['f', 'g', 'h']])
  })
  test('is sent what counts once as calls of their own, and each once', async () => {
    for (const once of ['x', 'y', 'x']) on.add(subject('t', { once }), [['f', 1]])
    on.add(subject('t'), [['f', 1]])
    await on.close()
    expect(calls.map(({ names }) => names)).toEqual([['tx', 'ty', 't']])
    expect(stored.map(({ add }) => add)).toEqual([[['f', 1]], [['f', 1]], [['f', 1]]])
  })
  test('has 64 subjects in a call at the most', async () => {
    for (let i = 0; i < 128; i++) on.add(subject(`s${i}`), [['f', 1]])
    await jest.advanceTimersByTimeAsync(250)
    expect(calls.map(({ names }) => names.length)).toEqual([64, 64])
    expect(new Set(calls.flatMap(({ names }) => names)).size).toBe(128)
  })
  test('that fails has lost that batch, which is told, and no later one', async () => {
    broken = true
    on.add(subject('lost'), [['f', 1]])
    await jest.advanceTimersByTimeAsync(250)
    broken = false
    on.add(subject('next'), [['f', 1]])
    await jest.advanceTimersByTimeAsync(250)
    expect(calls.map(({ names }) => names)).toEqual([['lost'], ['next']])
    expect(heard).toEqual(['lost lost 1', `next 4 ${NOW}`])
  })
  test('is sent nothing by the clock after the end', async () => {
    const before = jest.getTimerCount()
    await on.close()
    expect(jest.getTimerCount()).toBe(before - 1)
  })
  test('is sent 10,000 subjects at a time where no other bound is set; what comes on top is lost, and told', async () => {
    for (let i = 0; i <= 10_000; i++) on.add(subject(`s${i}`), [['f', 1]])
    on.add(subject('s0'), [['f', 1]])
    expect(heard).toEqual(['s10000 lost 1'])
    await on.close()
    expect(stored).toHaveLength(10_000)
    expect(stored[0]!.add).toEqual([['f', 2]])
  })
})

// A service that ends does not wait for the next sending.
test('its clock keeps no process alive', async () => {
  jest.useRealTimers()
  const pending = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = pending()
  const idle = backlog(
    { count: async () => [] },
    { clock: { now: () => NOW }, everyMs: 250, learned: () => {}, lost: () => {} },
  )
  expect(pending()).toBe(before)
  await idle.close()
})
