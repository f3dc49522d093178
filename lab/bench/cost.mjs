/**
 * What does a stranger's request cost the service, beside what it costs the stranger? Each public endpoint is asked by a sender
 * that writes finished bytes into sixteen connections and reads the answer's length, each request from another network, so
 * that no limit spares the service the work. Goal: at most 8 : 1 (docs/design/performance.md).
 *
 *     npm run bench -- cost [--quick] [--node24]
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { call } from '../attackers/visit.mjs'
import { junk, solve } from '../attackers/work.mjs'
import { startGate } from '../stand/gate.mjs'
import { ACTION, SITEKEY, startService } from '../stand/service.mjs'
import { markdownTable, median, tally } from '../stand/tables.mjs'
import { NODE, QUICK, writeResult } from './harness/result.mjs'
import { onBothCores, OTHER } from './harness/servers.mjs'

const [ROUNDS, REQUESTS] = QUICK ? [1, 600] : [3, 1200]
const CONNECTIONS = 16
const GOAL = 8
const ORIGIN = 'http://localhost'
/** Else the tokens after the first six hundred would be refused unread. */
const LIMITS = { limits: { junk: '100000000 per 1m' } }
const CORE = { core: 1 - OTHER, node: NODE }

let nth = 0
/** Another network for each request. */
const address = () => `${20 + ((nth >> 16) & 63)}.${(nth >> 8) & 255}.${nth++ & 255}.7`
const GARBAGE = `${'e'.repeat(60)}.${'y'.repeat(500)}.${'z'.repeat(43)}`
const MANY = Array.from({ length: 90 }, (_, i) => `X-${i}: a\r\n`).join('')

/** What nginx tells the gate of a request. */
const AT_GATE = `X-Original-URI: /\r\nX-Original-Method: GET\r\nX-Forwarded-Host: 127.0.0.1\r\nX-Forwarded-Proto: https\r\n`

const bytes = (method, path, headers, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${address()}\r\n${headers}` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const form = (path, fields, headers = `Origin: ${ORIGIN}\r\n`) => {
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n'
  return bytes('POST', path, `${headers}${type}`, String(new URLSearchParams(fields)))
}
const api = (operation, fields, headers) => form(`/api/v1/${operation}`, fields, headers)
const ASKED = { sitekey: SITEKEY, action: ACTION }

/** Waits for one whole answer. @returns {Promise<string>} its status */
function answer(socket) {
  return new Promise((resolve, reject) => {
    let text = ''
    const ends = (how) => {
      socket.removeAllListeners()
      how()
    }
    socket.on('error', (error) => ends(() => reject(error)))
    socket.on('close', () => ends(() => reject(new Error(`closed after "${text.slice(0, 99)}"`))))
    socket.on('data', (part) => {
      text += part.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0
      if (text.length < head + 4 + Number(length)) return
      ends(() => resolve(text.slice(9, 12)))
    })
  })
}

/** Sends these requests. @returns what it cost here, in microseconds each, and the statuses */
async function sendAll(host, requests) {
  const [hostname, port] = host.split(':')
  const left = [...requests]
  const statuses = []
  const lane = async (socket) => {
    while (left.length > 0) {
      socket.write(left.pop())
      statuses.push(await answer(socket))
    }
    socket.destroy()
  }
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const before = process.cpuUsage()
  await Promise.all(sockets.map(lane))
  const { user, system } = process.cpuUsage(before)
  return { micros: (user + system) / requests.length, statuses: tally(statuses) }
}

const ask = async (service, operation, fields) =>
  (await call({ url: service.url, page: ORIGIN }, operation, fields, { address: address() })).body

/** Challenges that were asked for before. */
async function issued(service, count, more = {}) {
  const all = []
  const lane = async () => {
    while (all.length < count) all.push(await ask(service, 'challenge', { ...ASKED, ...more }))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  return all
}
const junkOf = ({ challenge, work }) =>
  api('solve', { challenge, solution: junk(work), signals: '{}' })

/** A token that was verified, and the body that it was given for. */
async function used(service) {
  const { challenge, work } = await ask(service, 'challenge', ASKED)
  const solution = await onBothCores(() => solve(challenge, work))
  const fields = { challenge, solution, signals: '{}' }
  const { token } = await ask(service, 'solve', fields)
  await ask(service, 'siteverify', { secret: service.secret, response: token })
  return { token, fields }
}

const many = (make, count = REQUESTS) => Array.from({ length: count }, () => make())
const TABLE = {
  'the script': () => many(() => bytes('GET', '/assets/captcha.js', 'Accept-Encoding: br\r\n')),
  health: () => many(() => bytes('GET', '/health', '')),
  challenge: () => many(() => api('challenge', ASKED)),
  'challenge, 90 headers': () =>
    many(() => api('challenge', ASKED, `Origin: ${ORIGIN}\r\n${MANY}`)),
  'challenge, `pb.1`': () => many(() => api('challenge', { ...ASKED, algorithm: 'pb.1' })),
  'solve, a wrong solution': async ({ service }) => (await issued(service, REQUESTS)).map(junkOf),
  'solve, a wrong solution of `pb.1`': async ({ service }) =>
    (await issued(service, REQUESTS, { algorithm: 'pb.1' })).map(junkOf),
  'solve, a body again': async ({ service }) => {
    const { fields } = await used(service)
    return many(() => api('solve', fields))
  },
  'siteverify, a wrong secret': () =>
    many(() => api('siteverify', { secret: `hv_secret_${'a'.repeat(43)}`, response: 'x' })),
  'siteverify, a made-up token': ({ service: { secret } }) =>
    many(() => api('siteverify', { secret, response: GARBAGE })),
  'siteverify, a used token': async ({ service }) => {
    const { token } = await used(service)
    return many(() => api('siteverify', { secret: service.secret, response: token }))
  },
  'gate, a page without a clearance': {
    isAtGate: true,
    make: () => many(() => bytes('GET', '/check/nginx', `${AT_GATE}Accept: text/html\r\n`)),
  },
  'gate, an exchange of a made-up token': {
    isAtGate: true,
    make: () =>
      many(() =>
        form(
          '/.hv/pass',
          { 'svc-response': GARBAGE, action: 'gate' },
          `${AT_GATE}Sec-Fetch-Site: same-origin\r\n`,
        ),
      ),
  },
}

/** Measures one row at a service and a gate that have seen nobody. */
async function measure(name) {
  const row = TABLE[name]
  const { isAtGate = false, make = row } = row
  const service = await startService({ measured: CORE, settings: LIMITS })
  const gate = isAtGate && (await startGate({ service, measured: CORE }))
  try {
    const [host, ours] = gate
      ? [gate.host, () => gate.cpu() + service.cpu()]
      : [new URL(service.url).host, service.cpu]
    // Both sides are warm when the second half is measured.
    const requests = await make({ service })
    const half = Math.floor(requests.length / 2)
    await sendAll(host, requests.slice(0, half))
    const before = ours()
    const { micros, statuses } = await sendAll(host, requests.slice(-half))
    return { ours: ((ours() - before) * 1e6) / half, theirs: micros, statuses }
  } finally {
    if (gate) await gate.stop()
    await service.stop()
  }
}

// The sender's own code is warm from here on.
await measure('challenge')
const results = []
for (const name of Object.keys(TABLE)) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(name))
  const ratios = rounds.map(({ ours, theirs }) => ours / theirs)
  results.push({
    name,
    ours: Math.round(median(rounds.map(({ ours }) => ours))),
    theirs: Math.round(median(rounds.map(({ theirs }) => theirs))),
    ratio: Number(median(ratios).toFixed(1)),
    range: [Math.min(...ratios), Math.max(...ratios)].map((each) => Number(each.toFixed(1))),
    statuses: Object.keys(Object.assign({}, ...rounds.map(({ statuses }) => statuses))),
  })
  process.stderr.write(`${JSON.stringify(results.at(-1))}\n`)
}
const cells = ({ name, ours, theirs, ratio, range, statuses }) => [
  name,
  statuses.join(', '),
  String(ours),
  String(theirs),
  `${ratio} (${range.join('–')})`,
]
const over = results.filter(({ ratio }) => ratio > GOAL).map(({ name }) => name)
writeResult('cost', {
  title: 'What a stranger’s request costs, and whom',
  text: `${ROUNDS} processes for each row, ${REQUESTS / 2} requests after as many that warmed both sides; ${CONNECTIONS} connections, each request from another network.
The ratio is the service's processor time to the sender's: median, and range over the processes. The sender is a Node.js program that does no more than write
and count bytes; one in C spends less. At the gate its time and the service's are added. ${over.length === 0 ? `All are at most ${GOAL} : 1.` : `Above ${GOAL} : 1: ${over.join('; ')}.`}

${markdownTable(['Request', 'Status', 'Service, µs', 'Sender, µs', 'Ratio'], results.map(cells))}`,
  figures: Object.fromEntries(results.map(({ name, ...figures }) => [name, figures])),
})
