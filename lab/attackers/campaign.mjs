import { setTimeout } from 'node:timers/promises'
import { addressPool } from './addresses.mjs'
import { visit } from './visit.mjs'

/**
 * Makes at most `visits` visits in at most `ms` milliseconds, `lanes` at a time, and adds up their outcomes. An address that got
 * a `Retry-After` is not used until then; the visit goes on from another address, or waits.
 */
export async function campaign({ service, aide }, { addresses, visits = Infinity, ms = 600_000, lanes = 24, attempt }) {
  const pool = addressPool(addresses)
  const began = performance.now()
  const end = began + ms
  const outcome = { asked: 0, accepted: 0, challenges: 0, unitsDone: 0, scores: [], units: [], refusals: {} }
  let started = 0
  let lastAddress
  const lane = async () => {
    while (started < visits && performance.now() < end) {
      const number = started++
      const address = await pool.take(end)
      if (address === undefined) return
      lastAddress = address
      const made = attempt(address, number)
      const result = await visit(service, aide, { address, deadline: end, ...made })
      // What comes after the time is over is of no use, and on a busy machine it is minutes of work.
      if (performance.now() >= end) return
      outcome.challenges++
      outcome.unitsDone += (result.n ?? 0) * (made.share ?? 1)
      if (result.wait) {
        started--
        count(outcome.refusals, result.code)
        pool.giveBack(address, result.wait * 1000)
        continue
      }
      pool.giveBack(address)
      if (result.passedOver) {
        started--
        continue
      }
      outcome.asked++
      if (result.accepted) outcome.accepted++
      else count(outcome.refusals, result.code)
      if (result.score !== undefined) outcome.scores.push(result.score)
      if (result.n !== undefined) outcome.units.push(result.n)
    }
  }
  const over = new AbortController()
  const all = Promise.all(Array.from({ length: Math.min(lanes, visits) }, lane))
  await Promise.race([all, setTimeout(ms, undefined, { signal: over.signal })])
  over.abort()
  return { ...outcome, seconds: (performance.now() - began) / 1000, addresses: pool.used(), lastAddress }
}

const count = (counts, name) => (counts[name] = (counts[name] ?? 0) + 1)
