import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

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

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** @returns the answer's body, read as JSON, and the milliseconds until it was there. */
function post(url, { body, type, headers }) {
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const sent = { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const asked = request(url, { method: 'POST', agent, headers: sent }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      res.on('end', () => resolve({ answer: JSON.parse(text), ms: performance.now() - from }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/**
 * Whole visits of one contender, 64 at a time: all first calls, then all second ones, then all third ones. Time between them,
 * in which the browser works, is not the server's and is not counted.
 *
 * @param calls functions from what is known of a visit to `{path, body, type, headers}`.
 * @param count visits.
 * @param between what a browser does after an answer that takes a promise.
 * @returns microseconds of processor of each visit, visits a second and core, milliseconds of the three answers at the 99th centile.
 */
export async function visits({ url, pid, calls, isDone, between = async () => {} }, count) {
  const each = Array.from({ length: count }, () => ({ answers: [], ms: 0 }))
  let used = 0
  for (const call of calls) {
    const asks = []
    for (const visit of each) asks.push(call(visit.answers))
    const before = processorTime(pid)
    let next = 0
    const one = async () => {
      for (let i = next++; i < count; i = next++) {
        const { answer, ms } = await post(`${url}${asks[i].path}`, asks[i])
        each[i].answers.push(answer)
        each[i].ms += ms
      }
    }
    await Promise.all(Array.from({ length: 64 }, one))
    used += processorTime(pid) - before
    for (const { answers } of each) await between(answers)
  }
  const failed = each.find(({ answers }) => !isDone(answers.at(-1)))
  if (failed !== undefined) throw new Error(`a visit was not verified: ${JSON.stringify(failed.answers)}`)
  const waits = each.map(({ ms }) => ms).sort((a, b) => a - b)
  const micros = (used * 1e6) / count
  return { micros, perSecond: 1e6 / micros, p99: waits[Math.floor(count * 0.99)] }
}
