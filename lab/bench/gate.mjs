/**
 * What does a check cost? A site behind nginx by the sample of deploy/gate, and the same site without the check, in turns;
 * and the memory of the gate with so many clearances in use.
 *
 *     npm run bench -- gate [--quick] [--node24]
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Clearances } from '../../packages/gate/dist/clearances.js'
import { LIST_NAMES } from '../../packages/gate/dist/guest-lists.js'
import { readKeys, withNewKey } from '../../packages/gate/dist/keys.js'
import { freePort } from '../../test/support/ports.mjs'
import { folder } from '../stand/folder.mjs'
import { ROOT } from '../stand/machine.mjs'
import { start, until } from '../stand/processes.mjs'
import { markdownTable, median } from '../stand/tables.mjs'
import { NODE, QUICK, writeResult } from './harness/result.mjs'
import { ratio, rounds, spread, spreadText } from './harness/rounds.mjs'

const [ROUNDS, SECONDS, IN_USE] = QUICK ? [2, 1, 10_000] : [10, 3, 100_000]
/** Clearances that the load uses by turns. */
const VISITORS = 1000

const own = folder('hv-bench-gate')
const file = (name, text) => {
  writeFileSync(join(own.path, name), text, { mode: 0o600 })
  return join(own.path, name)
}
const key = withNewKey()
file('key.json', key)
file('secret', 'hv_secret_of_a_bench')
const policy = {
  hosts: ['127.0.0.1'],
  sitekey: 'hv_site_bench',
  secret_file: 'secret',
  rate: '9999999 per 1m',
}
const config = {
  version: 1,
  service: 'http://127.0.0.1:9',
  ops_listen: '127.0.0.1:0',
  key_file: 'key.json',
}
/** Flags of Node.js, as the systemd unit sets them. */
const [COMMAND] = /^ExecStart=.*/m.exec(
  readFileSync(join(ROOT, 'deploy/gate/hv-gate.service'), 'utf8'),
)
const FLAGS = COMMAND.match(/(?<= )--\S+/g)
/** @param guests the lists of guests that are let in */
const startGate = async (listen, guests = []) => {
  const settings = file(
    `gate-${listen.slice(0, 4)}-${guests.length}.yaml`,
    JSON.stringify({ ...config, listen, gates: [{ ...policy, guests }] }),
  )
  const gate = start(NODE, [
    ...FLAGS,
    join(ROOT, 'packages/gate/dist/main.js'),
    'serve',
    '--config',
    settings,
  ])
  const host = () => /"url":"(?:http:\/\/)?([^"]+)"/.exec(gate.said())?.[1]
  return { ...gate, host: await until(host, 'the gate', 20_000) }
}

/** Cookies of visitors who passed, as the gate gives them. */
const rate = { points: 600, duration: 60 }
const given = new Clearances(readKeys(key), {
  lifetime: 28_800,
  bind: 'network',
  networks: 4,
  rate,
})
const visit = { host: '127.0.0.1', isSecure: false, address: '127.0.0.1', headers: {} }
const mint = async (count) => {
  const all = []
  while (all.length < count) all.push((await given.issue(visit, 1)).cookie.split(';')[0])
  return all
}
const cookies = await mint(VISITORS)
const lua = file(
  'cookies.lua',
  `local all, i = {}, 0
for line in io.lines("${file('cookies', cookies.join('\n'))}") do all[#all + 1] = line end
request = function() i = i % #all + 1; return wrk.format("GET", "/page", { Cookie = all[i] }) end
done = function(s, l, r) io.write(string.format('{"requests":%d,"us":%d,"errors":%d,"p50":%d,"p99":%d}',
  s.requests, s.duration, s.errors.status + s.errors.read + s.errors.timeout, l:percentile(50), l:percentile(99))) end`,
)

const sample = readFileSync(join(ROOT, 'deploy/gate/nginx.conf'), 'utf8')
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
/** A gate, and behind nginx a site with its check and without. */
const behind = async (listen, guests) => {
  const gate = await startGate(listen, guests)
  const [checked, plain, app] = [await freePort(), await freePort(), await freePort()]
  const ours = sample
    .replace('127.0.0.1:8090', gate.host)
    .replace('127.0.0.1:3000', `127.0.0.1:${app}`)
    .replaceAll('listen 443 ssl http2', `listen 127.0.0.1:${checked}`)
    .replaceAll(/^ *ssl_.*$/gm, '')
    .replace('server_name www.example.com;', 'server_name 127.0.0.1;')
  const nginxConf = file(
    'nginx.conf',
    `daemon off; pid nginx-${app}.pid; ${process.getuid() === 0 ? 'user root;' : ''} events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000;
  ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
  ${ours}
  server { listen 127.0.0.1:${plain}; location / {
    proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; proxy_pass http://app; } }
  server { listen 127.0.0.1:${app}; location / { return 200 "the page"; } }
}`,
  )
  const nginx = start('nginx', ['-p', own.path, '-e', join(own.path, 'error.log'), '-c', nginxConf])
  const page = () =>
    fetch(`http://127.0.0.1:${checked}`, { headers: { cookie: cookies[0] } }).catch(() => undefined)
  await until(page, 'nginx', 20_000)
  return { gate, checked, plain, stop: () => Promise.all([nginx.stop(), gate.stop()]) }
}
const socket = await behind(`unix:${own.path}/gate.sock`)
const tcp = await behind('127.0.0.1:0')
// A rule of the owner says where webhooks arrive.
const listed = LIST_NAMES.filter((name) => name !== 'webhooks')
const lists = await behind('127.0.0.1:0', listed)

const slice =
  (connections) =>
  async ({ port, gate }) => {
    const before = gate.cpu()
    const args = ['-t1', `-c${connections}`, `-d${SECONDS}s`, '-s', lua, `http://127.0.0.1:${port}`]
    const { stdout } = await promisify(execFile)('wrk', args)
    const { requests, us, errors, p50, p99 } = JSON.parse(stdout.slice(stdout.lastIndexOf('{')))
    if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`)
    return {
      perSecond: (requests / us) * 1e6,
      p50,
      p99,
      micros: ((gate.cpu() - before) * 1e6) / requests,
    }
  }
const CONTENDERS = [
  { name: 'without a check', port: socket.plain, gate: socket.gate },
  { name: 'with the check, over a socket', port: socket.checked, gate: socket.gate },
  { name: 'with the check, over TCP', port: tcp.checked, gate: tcp.gate },
  { name: 'the same, with all lists of guests', port: lists.checked, gate: lists.gate },
]
const rows = []
const figures = { cookieBytes: cookies[0].length }
await rounds(2, CONTENDERS, slice(64))
for (const connections of [64, 1]) {
  const found = await rounds(ROUNDS, CONTENDERS, slice(connections))
  const without = found.get(CONTENDERS[0].name)
  for (const [name, all] of found) {
    const of = (what) => Math.round(median(all.map((one) => one[what])))
    const shares = all.map((one, i) => ratio([one], [without[i]], ({ perSecond }) => perSecond))
    const micros = all.map((one) => one.micros)
    const [share, cost] = [spread(shares, 2), spread(micros, 1)]
    figures[`${connections} ${name}`] = { share, micros: cost, perSecond: of('perSecond') }
    const shown = all === without ? ['1.00', '–'] : [spreadText(share, 2), spreadText(cost, 1)]
    rows.push([
      connections,
      name,
      of('perSecond').toLocaleString('en'),
      ...shown,
      of('p50'),
      of('p99'),
    ])
  }
}
await Promise.all([socket.stop(), tcp.stop(), lists.stop()])

const full = await startGate('127.0.0.1:0')
const megabytes = () => Math.round(full.rss() / 2 ** 20)
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const headers = {
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': '/',
  'x-forwarded-host': '127.0.0.1',
}
const more = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '127.0.0.1' }
const [host, port] = full.host.split(':')
const check = (cookie) =>
  new Promise((resolve, reject) => {
    const options = {
      host,
      port,
      path: '/check/forward',
      agent,
      headers: { ...headers, ...more, cookie },
    }
    get(options, (res) => res.resume().on('end', () => resolve(res.statusCode))).on('error', reject)
  })
await check(cookies[0])
figures.emptyMiB = megabytes()
for (let done = 0; done < IN_USE; done += VISITORS) {
  const statuses = await Promise.all((await mint(VISITORS)).map(check))
  if (statuses.some((status) => status !== 204)) throw new Error('a clearance did not count')
}
figures.fullMiB = megabytes()
agent.destroy()
await full.stop()
own.remove()

writeResult('gate', {
  title: 'What a check of the gate costs',
  text: `A page of 8 bytes behind nginx, by the sample of deploy/gate and without it, ${ROUNDS} slices of ${SECONDS} s of each in turns; nginx, the gate and wrk share
the machine. Medians; of the share and of the gate's processor time for a check, the range of the slices too. ${VISITORS} clearances are used by turns.

${markdownTable(['connections', '', 'requests/s', 'share', 'a check, µs', 'p50, µs', 'p99, µs'], rows)}

The cookie has ${figures.cookieBytes} bytes. With ${IN_USE.toLocaleString('en')} clearances in use the gate takes ${figures.fullMiB} MiB, ${figures.emptyMiB} before.`,
  figures,
})
