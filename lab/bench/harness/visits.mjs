import { once } from 'node:events'
import { connect } from 'node:net'
import { pause } from '../../stand/processes.mjs'
import { onBothCores } from './servers.mjs'

/** A request as it is written, so that nothing of it is made while a server is measured. */
function requestText(url, { path, body, type, headers }) {
  const all = {
    Host: new URL(url).host,
    'Content-Type': type,
    ...headers,
    'Content-Length': Buffer.byteLength(body),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/**
 * A connection that is kept, for one request at a time. Node.js' own client takes longer for a request than the service does, so
 * the service would wait for it, and that is what would be measured.
 */
async function connection(url) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let answer = ''
  let waiting
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
    const body = bodyOf(answer)
    if (body === undefined) return
    answer = ''
    waiting.resolve(body)
  })
  socket.on('error', () => {})
  socket.on('close', () => waiting?.reject(new Error(`the connection was closed after: ${answer}`)))
  return {
    /** Sends a request, and returns the answer's body. */
    ask(text) {
      socket.write(text)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
    end() {
      waiting = undefined
      socket.destroy()
    },
  }
}

/** The body of a whole answer; undefined: more is to come. */
function bodyOf(answer) {
  const headEnds = answer.indexOf('\r\n\r\n')
  if (headEnds < 0) return undefined
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${answer}`)
  const body = answer.slice(headEnds + 4)
  return Buffer.byteLength(body) < Number(length) ? undefined : body
}

/** Requests at a time, each on a connection of its own. */
const AT_ONCE = 64
/** Milliseconds in which a server accepts so many connections, which is not counted. */
const ACCEPTED_MS = 50

/**
 * Makes whole visits of one contender, 64 requests at a time: all first calls, then all second ones, then all third ones. Time
 * between them, in which the browser works, is not the server's and is not counted. `calls` make requests of what is
 * known of a visit.
 */
export async function visits({ url, cpu, calls, isDone }, count) {
  const each = Array.from({ length: count }, () => ({ answers: [], ms: 0 }))
  let used = 0
  for (const call of calls) {
    const asked = await onBothCores(() => Promise.all(each.map(({ answers }) => call(answers))))
    const texts = asked.map((request) => requestText(url, request))
    const bodies = []
    // Anew for each call: a server closes those on which nothing comes for five seconds.
    const connections = await Promise.all(Array.from({ length: AT_ONCE }, () => connection(url)))
    await pause(ACCEPTED_MS)
    const before = cpu()
    let next = 0
    const askOn = async (connected) => {
      for (let i = next++; i < count; i = next++) {
        const from = performance.now()
        bodies[i] = await connected.ask(texts[i])
        each[i].ms += performance.now() - from
      }
    }
    await Promise.all(connections.map(askOn))
    used += cpu() - before
    for (const connected of connections) connected.end()
    for (const [i, { answers }] of each.entries()) answers.push(JSON.parse(bodies[i]))
    // A machine that is busy with others: what was refused would be measured as if it were a visit.
    const refused = bodies.find((body) => JSON.parse(body)['error-codes']?.length > 0)
    if (refused !== undefined) throw new Error(`a call was refused: ${refused}`)
  }
  const failed = each.find(({ answers }) => !isDone(answers.at(-1)))
  if (failed !== undefined)
    throw new Error(`a visit was not verified: ${JSON.stringify(failed.answers)}`)
  const waits = each.map(({ ms }) => ms).sort((a, b) => a - b)
  const micros = (used * 1e6) / count
  return { micros, perSecond: 1e6 / micros, p99: waits[Math.floor(count * 0.99)] }
}
