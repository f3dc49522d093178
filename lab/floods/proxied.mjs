/**
 * `node lab/floods/proxied.mjs [PROXY…] [--seconds 6] [--write]`: strangers at the proxies' samples for the service and for a site
 * behind the gate, and visitors beside them, at the stranger's own address and elsewhere. `--write` puts each table into
 * lab/results/proxied.md. Exit code 1: a visitor elsewhere was not served, or fewer than nine in ten at the stranger's address.
 */

import { Agent, createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { send } from '../attackers/wire.mjs'
import { startGate } from '../stand/gate.mjs'
import { writeParts } from '../stand/lists.mjs'
import { inWords, machine, ROOT } from '../stand/machine.mjs'
import { listen, pause, until } from '../stand/processes.mjs'
import { PROXIES, startGateProxy, startProxy } from '../stand/proxies.mjs'
import { ACTION, SITEKEY, startService } from '../stand/service.mjs'
import { markdownTable } from '../stand/tables.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '6' },
    write: { type: 'boolean', default: false },
  },
})
const SECONDS = Number(values.seconds)
const PAGE = join(ROOT, 'lab/results/proxied.md')
const [STRANGER, ELSEWHERE] = ['127.0.7.7', '127.0.8.8']
const out = (text) => process.stdout.write(`${text}\n`)

/** Keeps so many connections open, each with these first bytes; `drip`: sends one more byte now and then. */
function hold(url, count, bytes, drip) {
  const { hostname, port } = new URL(url)
  const open = new Set()
  let isOn = true
  function add() {
    if (!isOn) return
    const socket = connect({ host: hostname, port: Number(port), localAddress: STRANGER })
    open.add(socket)
    const timer = drip && setInterval(() => socket.write('1'), 2000)
    socket.on('connect', () => socket.write(bytes))
    socket.on('error', () => {}).on('data', () => {})
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearInterval(timer)
      open.delete(socket)
      setTimeout(add, 500)
    })
  }
  for (let i = 0; i < count; i++) add()
  return () => {
    isOn = false
    for (const socket of open) socket.destroy()
  }
}
/** Asks so many times a second, a multiple of ten, over a few connections. */
function flood(url, perSecond, path, headers = []) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const asked = { method: 'HEAD', headers, agent, localAddress: STRANGER }
  const timer = setInterval(() => {
    for (let i = 0; i < perSecond / 10; i++) send(url + path, asked).catch(() => {})
  }, 100)
  return () => {
    clearInterval(timer)
    agent.destroy()
  }
}
const SLOW = (path, length) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: ${length}\r\n\r\na=`
const MANY = Array.from({ length: 90 }, (_, i) => [`X-${i}`, 'a'.repeat(100)])
const HTML = [['Accept', 'text/html']]
const SCRIPT = '/assets/captcha.js'

const OF_SERVICE = {
  nobody: () => () => {},
  '300 bodies that come slowly': (url) => hold(url, 300, SLOW('/api/v1/solve', 900), true),
  '300 idle connections': (url) =>
    hold(url, 300, 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
  '300 heads that come slowly': (url) => hold(url, 300, 'GET /health HTTP/1.1\r\nHost: ', true),
  '200 times 90 headers a second': (url) => flood(url, 200, '/nothing', MANY),
  'the script, 80 a second': (url) => flood(url, 80, SCRIPT),
  'the script, 300 a second': (url) => flood(url, 300, SCRIPT),
}
const OF_GATE = {
  nobody: () => () => {},
  '300 bodies that come slowly': (url) => hold(url, 300, SLOW('/.hv/pass', 900), true),
  '300 idle connections': (url) => hold(url, 300, 'GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
  '300 heads that come slowly': (url) => hold(url, 300, 'GET /page HTTP/1.1\r\nHost: ', true),
  '200 times 90 headers a second': (url) => flood(url, 200, '/page', MANY),
  'the page, 80 a second': (url) => flood(url, 80, '/page', HTML),
  'the page, 300 a second': (url) => flood(url, 300, '/page', HTML),
}

const FORM = [
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Origin', 'http://localhost'],
]
const body = new URLSearchParams({ sitekey: SITEKEY, action: ACTION }).toString()
const challenge = (url, localAddress) =>
  send(`${url}/api/v1/challenge`, {
    headers: FORM,
    body,
    agent: false,
    localAddress,
    timeout: 5000,
  })
const openPage = (url, localAddress) =>
  send(`${url}/open/page`, {
    method: 'GET',
    headers: [],
    agent: false,
    localAddress,
    timeout: 5000,
  })

/** @returns the share that was answered with 200, and the 95th percentile of the waits. */
async function visits(ask, url, address) {
  const answers = []
  for (const ends = performance.now() + SECONDS * 1000; performance.now() < ends;) {
    const began = performance.now()
    const status = await ask(url, address).then(
      (answer) => answer.status,
      () => 0,
    )
    answers.push({ isGood: status === 200, ms: performance.now() - began })
    await pause(200)
  }
  const waits = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const good = answers.filter(({ isGood }) => isGood).length
  return { good, all: answers.length, p95: waits[Math.floor(waits.length * 0.95)] }
}

const rows = []
let missed = 0
async function measure(what, proxy, { strangers, startBehind, ask }) {
  const { url, stop } = await startBehind()
  await until(async () => (await ask(url, ELSEWHERE)).status === 200, `${what} at ${proxy}`, 20_000)
  for (const [stranger, begin] of Object.entries(strangers)) {
    const end = begin(url)
    await pause(1500)
    const [same, other] = await Promise.all([
      visits(ask, url, STRANGER),
      visits(ask, url, ELSEWHERE),
    ])
    end()
    await pause(500)
    const shown = ({ good, all, p95 }) => `${good} of ${all}, ${Math.round(p95)} ms`
    rows.push([what, proxy, stranger, shown(same), shown(other)])
    out(rows.at(-1).join(' | '))
    if (other.good < other.all || same.good < same.all * 0.9) missed++
  }
  await stop()
}

const site = createServer((_req, res) => res.end('the site'))
const siteHost = `127.0.0.1:${await listen(site)}`
const wanted = PROXIES.filter((each) => positionals.length === 0 || positionals.includes(each))
for (const proxy of wanted) {
  const service = await startService()
  const startBehind = () => startProxy(proxy, [new URL(service.url).host])
  await measure('service', proxy, { strangers: OF_SERVICE, startBehind, ask: challenge })
  await service.stop()
  const gate = await startGate()
  const startAtGate = () => startGateProxy(proxy, [gate.host], siteHost)
  await measure('gate', proxy, { strangers: OF_GATE, startBehind: startAtGate, ask: openPage })
  await gate.stop()
}
site.close()
const head = [
  'Sample for the',
  'Proxy',
  'A stranger sends',
  'A visitor at his address',
  'Elsewhere',
]
const command = inWords(`npm run proxied -- --seconds ${SECONDS}`, machine())
const parts = wanted.map((proxy) => {
  const own = rows.filter(([, each]) => each === proxy)
  return [proxy, `${markdownTable(head, own)}\n\n${command}\n`]
})
out(`\n${parts.map(([, text]) => text).join('\n')}`)
if (values.write) writeParts(PAGE, 'proxied -- --write', Object.fromEntries(parts))
process.exit(missed > 0 ? 1 : 0)
