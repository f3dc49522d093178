import { readdirSync, readFileSync } from 'node:fs'
import { connection, requestText } from './connection.mjs'

/** Seconds of processor that a process has taken, all of its threads, to the microsecond. */
export function processorTime(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return (
    tasks.reduce(
      (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
      0,
    ) / 1e9
  )
}

/** Requests at a time, each on a connection of its own. */
const AT_ONCE = 64

/**
 * Whole visits of one contender, 64 requests at a time: all first calls, then all second ones, then all third ones. Time between them,
 * in which the browser works, is not the server's and is not counted.
 *
 * @param calls functions from what is known of a visit to `{path, body, type, headers}`.
 * @param count visits.
 * @param between what a browser does after an answer that takes a promise.
 * @returns microseconds of processor of each visit, visits a second and core, milliseconds of the three answers at the 99th centile.
 */
export async function visits({ url, pid, calls, isDone, between = async () => {} }, count) {
  const each = Array.from({ length: count }, () => ({ answers: [], ms: 0 }))
  const connections = await Promise.all(Array.from({ length: AT_ONCE }, () => connection(url)))
  let used = 0
  for (const call of calls) {
    const texts = each.map(({ answers }) => requestText(url, call(answers)))
    const bodies = []
    const before = processorTime(pid)
    let next = 0
    const askOn = async (connected) => {
      for (let i = next++; i < count; i = next++) {
        const from = performance.now()
        bodies[i] = await connected.ask(texts[i])
        each[i].ms += performance.now() - from
      }
    }
    await Promise.all(connections.map(askOn))
    used += processorTime(pid) - before
    for (const [i, { answers }] of each.entries()) {
      answers.push(JSON.parse(bodies[i]))
      await between(answers)
    }
  }
  for (const connected of connections) connected.end()
  const failed = each.find(({ answers }) => !isDone(answers.at(-1)))
  if (failed !== undefined) throw new Error(`a visit was not verified: ${JSON.stringify(failed.answers)}`)
  const waits = each.map(({ ms }) => ms).sort((a, b) => a - b)
  const micros = (used * 1e6) / count
  return { micros, perSecond: 1e6 / micros, p99: waits[Math.floor(count * 0.99)] }
}
