/** Sends one flood for some seconds and prints what it sent and what it cost: `node sender.mjs NAME URL SECONDS SECRET TOKEN BODY`. */
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { send } from '../attackers/wire.mjs'
import { FLOODS } from './floods.mjs'

/** Connections at a time. */
const MOST_CONNECTIONS = 12_000

const [name, url, seconds, secret, usedToken, solved] = process.argv.slice(2)
const {
  next,
  connections,
  asks = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n',
  most = MOST_CONNECTIONS,
  again,
} = FLOODS.find((flood) => flood.name === name)
const { hostname, port } = new URL(url)
/** Requests at a time, each on a connection of its own. */
const AT_ONCE = 32

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
const ends = performance.now() + Number(seconds) * 1000
const statuses = {}
let sent = 0
const count = (status) => {
  sent++
  statuses[status] = (statuses[status] ?? 0) + 1
}

/** @returns {Promise<unknown>} the answer's JSON, where it is any */
async function ask({ path, method, headers = {}, body }) {
  const what = { method, headers: Object.entries(headers), body, agent }
  const { status, text } = await send(`${url}${path}`, what).catch(() => ({
    status: 'none',
    text: '',
  }))
  count(status)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function askOn() {
  while (performance.now() < ends) {
    const what = await next({ ask, secret, usedToken, solved })
    if (what) await ask(what)
  }
}

/** Opens connections, asks on each, and keeps them; those that are closed are opened again. Asks again after `again` answers. */
async function holdConnections() {
  let open = 0
  let nth = 0
  while (performance.now() < ends) {
    for (let i = 0; i < 50 && open < most; i++) {
      const from = connections === 'one address' ? '127.0.0.2' : `127.0.${1 + (nth % 200)}.2`
      nth++
      open++
      count('connection')
      const socket = connect({ host: hostname, port: Number(port), localAddress: from })
      socket.on('error', () => {})
      socket.once('close', () => open--)
      socket.write(asks)
      let answers = 0
      socket.on('data', (data) => {
        answers += String(data).split('HTTP/1.1 ').length - 1
        if (again && answers % again === 0) socket.write(asks)
      })
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const from = process.cpuUsage()
if (connections) await holdConnections()
else await Promise.all(Array.from({ length: AT_ONCE }, askOn))
const { user, system } = process.cpuUsage(from)
process.stdout.write(`${JSON.stringify({ sent, statuses, cpuMs: (user + system) / 1000 })}\n`)
process.exit(0)
