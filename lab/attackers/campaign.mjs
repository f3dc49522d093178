import { setTimeout as pause } from 'node:timers/promises'
import { tally } from '../stand/tables.mjs'
import { visit } from './visit.mjs'

/**
 * Makes at most `visits` visits in at most `ms` milliseconds, `lanes` at a time, and adds up their outcomes. An address that got
 * a `Retry-After` is not used until then; the visit goes on from another address, or waits.
 */
export async function campaign(
  { service, aide },
  { addresses, visits = Infinity, ms = 600_000, lanes = 24, attempt },
) {
  const free = [...addresses]
  const used = new Set()
  const results = []
  const began = performance.now()
  const end = began + ms
  let started = 0
  let lastAddress
  const lane = async () => {
    while (started < visits && performance.now() < end) {
      const number = started++
      while (free.length === 0 && performance.now() < end)
        await pause(Math.min(200, end - performance.now()))
      const address = free.shift()
      if (address === undefined) return
      used.add(address)
      lastAddress = address
      const made = attempt(address, number)
      const result = await visit(service, aide, { address, deadline: end, ...made })
      // What comes after the time is over is of no use, and on a busy machine it is minutes of work.
      if (performance.now() >= end) return
      results.push({ ...result, unitsDone: (result.n ?? 0) * (made.share ?? 1) })
      if (!isAsked(result)) started--
      if (result.wait) void pause(result.wait * 1000).then(() => free.push(address))
      else free.push(address)
    }
  }
  const over = new AbortController()
  const all = Promise.all(Array.from({ length: Math.min(lanes, visits) }, lane))
  await Promise.race([all, pause(ms, undefined, { signal: over.signal })])
  over.abort()
  return {
    ...outcomeOf(results),
    seconds: (performance.now() - began) / 1000,
    addresses: used.size,
    lastAddress,
  }
}

/** Whether a visit was made: not told to wait, and not passed over. */
const isAsked = ({ wait, passedOver }) => !wait && !passedOver

/** What visits came to together; `unitsDone` of a visit: the units of work that were done for it. */
export function outcomeOf(visits) {
  const asked = visits.filter(isAsked)
  return {
    asked: asked.length,
    accepted: asked.filter(({ accepted }) => accepted).length,
    challenges: visits.length,
    unitsDone: visits.reduce((sum, { unitsDone }) => sum + unitsDone, 0),
    scores: asked.flatMap(({ score }) => score ?? []),
    units: asked.flatMap(({ n }) => n ?? []),
    refusals: tally(visits.flatMap(({ code }) => code ?? [])),
  }
}

/** What an attacker has. An address that stands so many times in a list can be used for so many visits at a time. */
export const ADDRESSES = {
  one: (lanes) => Array(lanes).fill('203.20.7.9'),
  oneBlock: () => Array.from({ length: 254 }, (_, i) => `203.21.7.${i + 1}`),
  /** One /64 of each of 4,096 in one /48: more than can be used up. */
  one48: () =>
    Array.from({ length: 4096 }, (_, i) => `2001:db8:77:${(i * 13 + 1).toString(16)}::1`),
  /** So many addresses, each in a /24 of its own. */
  networks: (count) =>
    Array.from(
      { length: count },
      (_, i) => `${60 + (i >> 8)}.${i & 255}.${(i * 7) & 255}.${1 + (i % 250)}`,
    ),
}
