/**
 * `node lab/floods/restarts.mjs [PROXY…] [--rate 300] [--write]`: are requests lost while both processes of the service, and both
 * gates, are restarted one after the other, as docs/operate/operations.md and the guide of the gate say? By the units and the
 * proxies' samples of deploy/. `--write` puts the table into lab/results/restarts.md. Exit code 1: a request was lost.
 */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { freePort } from '../../test/support/ports.mjs'
import { send } from '../attackers/wire.mjs'
import { folder } from '../stand/folder.mjs'
import { writeParts } from '../stand/lists.mjs'
import { inWords, machine, ROOT } from '../stand/machine.mjs'
import { listen, pause, start, until } from '../stand/processes.mjs'
import { PROXIES, startGateProxy, startProxy } from '../stand/proxies.mjs'
import { startRedis } from '../stand/redis.mjs'
import { ACTION, SITEKEY } from '../stand/service.mjs'
import { markdownTable, tally } from '../stand/tables.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: 'string', default: '300' }, write: { type: 'boolean', default: false } },
})
const RATE = Number(values.rate)
/** Restarts of each process. */
const TIMES = 2
const PAGE = join(ROOT, 'lab/results/restarts.md')

const out = (text) => process.stdout.write(`${text}\n`)
const run = promisify(execFile)
const own = folder('hv-restarts')
const file = (name, value, mode = 0o600) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  writeFileSync(join(own.path, name), text, { mode })
  return join(own.path, name)
}

/** Two ports that follow each other, for an address and its listener for operators have the same end in the unit. */
async function ports() {
  return [await freePort(), await freePort()]
}

/** What systemd does by a unit: `%i` is the port. */
function unit(name, program) {
  const text = readFileSync(join(ROOT, 'deploy', name), 'utf8')
  const [, after] = /^ExecStartPost=(.*)$/m.exec(text) ?? []
  return (port, opsPort) => {
    const { args, env } = program(port, opsPort)
    let running
    async function up() {
      running = start(process.execPath, args, { env: { PATH: process.env.PATH, ...env } })
      if (after === undefined) return
      const command = after.replaceAll('%i', String(port)).replace('9465', String(opsPort))
      await run('/bin/sh', ['-c', command], { timeout: 90_000 })
    }
    return {
      up,
      /** As `systemctl restart`, which does not wait for more than the unit does. */
      async restart() {
        running.child.kill('SIGTERM')
        await running.gone
        await up()
      },
      listening: () => until(() => running.said().includes('"listening"'), running.said(), 60_000),
      stop: () => running.stop(),
    }
  }
}

const secret = `hv_secret_${randomBytes(32).toString('base64url')}`
const redis = await startRedis()
const keyring = join(own.path, 'keyring.json')
await run(process.execPath, [join(ROOT, 'dist/main.js'), 'keygen', '--keyring', keyring])
const config = file('config.yaml', {
  version: 1,
  trusted_proxies: ['127.0.0.1/32'],
  redis: { url: redis.url },
  sites: [
    {
      sitekey: SITEKEY,
      secrets: [{ sha256: createHash('sha256').update(secret).digest('hex') }],
      hostnames: ['localhost'],
      actions: [ACTION],
    },
  ],
})
const service = unit('systemd/human-verification@.service', (port, opsPort) => ({
  args: [join(ROOT, 'dist/main.js'), 'serve'],
  env: {
    HV_CONFIG: config,
    HV_KEYRING: keyring,
    HV_LISTEN: `127.0.0.1:${port}`,
    HV_OPS_LISTEN: `127.0.0.1:${opsPort}`,
  },
}))

const GATE = join(ROOT, 'packages/gate/dist/main.js')
await run(process.execPath, [GATE, 'keygen', join(own.path, 'gate-key.json')])
file('gate-secret', secret)
const gate = unit('gate/hv-gate.service', (port, opsPort) => ({
  args: [
    GATE,
    'serve',
    '--config',
    file(`gate-${port}.yaml`, {
      version: 1,
      service: 'http://127.0.0.1:9',
      listen: `127.0.0.1:${port}`,
      ops_listen: `127.0.0.1:${opsPort}`,
      key_file: 'gate-key.json',
      gates: [
        {
          hosts: ['127.0.0.1'],
          sitekey: SITEKEY,
          secret_file: 'gate-secret',
          rules: [{ name: 'open', when: { path: ['/open/*'] }, effect: 'allow' }],
        },
      ],
    }),
  ],
}))

const form = [
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Origin', 'http://localhost'],
]
/** A visitor of the service, who asks for a challenge or for the script; each is another address. */
function visitor(url, nth) {
  const from = { localAddress: `127.${1 + (nth % 200)}.${1 + (nth % 61)}.1`, agent: false }
  const body = new URLSearchParams({ sitekey: SITEKEY, action: ACTION }).toString()
  if (nth % 2 === 0) return send(`${url}/api/v1/challenge`, { ...from, headers: form, body })
  return send(`${url}/assets/captcha.js`, { ...from, method: 'GET', headers: [] })
}
/** A visitor of the site: at an open page, or at one that shows the page of the gate. */
function guest(url, nth) {
  const path = nth % 2 === 0 ? '/open/page' : '/page'
  const headers = [['Accept', 'text/html']]
  return send(url + path, { agent: false, method: 'GET', headers })
}
const GOOD = { visitor: [200], guest: [200, 403] }

/** Sends at the rate until `during` has ended. @returns the statuses. */
async function beside(ask, url, during) {
  const asked = []
  const timeout = 10_000
  const over = new AbortController()
  const began = performance.now()
  const sending = (async () => {
    while (!over.signal.aborted) {
      const due = ((performance.now() - began) / 1000) * RATE
      while (asked.length < due) {
        const answered = ask(url, asked.length, timeout)
        asked.push(
          answered.then(
            ({ status }) => status,
            (error) => error.code ?? error.message,
          ),
        )
      }
      await pause(5)
    }
  })()
  await pause(1000)
  const before = performance.now()
  await during()
  const seconds = (performance.now() - before) / 1000
  await pause(1000)
  over.abort()
  await sending
  return { statuses: await Promise.all(asked), seconds }
}

async function measure(what, proxy, { unitOf, startBehind, ask, good }) {
  const [one, other] = await ports()
  const processes = [unitOf(one, await freePort()), unitOf(other, await freePort())]
  for (const each of processes) await each.up()
  for (const each of processes) await each.listening()
  const { url, stop } = await startBehind([`127.0.0.1:${one}`, `127.0.0.1:${other}`])
  // A balancer looks first which of them are well.
  await until(async () => good.includes((await ask(url, 0)).status), `${what} at ${proxy}`, 20_000)
  const { statuses, seconds } = await beside(ask, url, async () => {
    for (let i = 0; i < TIMES; i++) for (const each of processes) await each.restart()
  })
  await stop()
  for (const each of processes) await each.stop()
  const lost = statuses.filter((status) => !good.includes(status))
  const row = [
    what,
    proxy,
    String(statuses.length),
    String(lost.length),
    (seconds / (2 * TIMES)).toFixed(1),
  ]
  out(`${row.join(' | ')}  ${JSON.stringify(tally(statuses.map(String)))}`)
  return { row, lost: lost.length }
}

const site = createServer((_req, res) => res.end('the site'))
const siteHost = `127.0.0.1:${await listen(site)}`
const results = []
const wanted = PROXIES.filter((each) => positionals.length === 0 || positionals.includes(each))
for (const proxy of wanted) {
  const behindService = (hosts) => startProxy(proxy, hosts)
  const behindGate = (hosts) => startGateProxy(proxy, hosts, siteHost)
  const cases = [
    ['service', { unitOf: service, startBehind: behindService, ask: visitor, good: GOOD.visitor }],
    ['gate', { unitOf: gate, startBehind: behindGate, ask: guest, good: GOOD.guest }],
  ]
  for (const [what, how] of cases) results.push(await measure(what, proxy, how))
}
site.close()
await redis.stop()
own.remove()

const head = ['Two processes of the', 'Proxy', 'Requests', 'Lost', 'A restart, s']
const command = inWords('npm run restarts', machine())
const parts = wanted.map((proxy) => {
  const rows = results.map(({ row }) => row).filter(([, each]) => each === proxy)
  return [proxy, `${markdownTable(head, rows)}\n\n${command}\n`]
})
out(`\n${parts.map(([, text]) => text).join('\n')}`)
if (values.write) writeParts(PAGE, 'restarts -- --write', Object.fromEntries(parts))
process.exit(results.some(({ lost }) => lost > 0) ? 1 : 0)
