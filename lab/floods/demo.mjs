/**
 * `npm run dos:demo -- [--seconds 600] [--write]`: strangers attack `hv demo --public` while visitors fill in its form. Programs
 * that do the work without a browser, floods of challenges, forms, bodies and made-up tokens. Prints a table; `--write` puts it
 * into lab/results. Exit code 1: a visitor got no verdict, or the process kept growing or wrote about those who came.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { call } from '../attackers/visit.mjs'
import { send } from '../attackers/wire.mjs'
import { stopWork, workFor } from '../attackers/worker.mjs'
import { inWords, machine, ROOT } from '../stand/machine.mjs'
import { pause, start } from '../stand/processes.mjs'
import { markdownTable } from '../stand/tables.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    write: { type: 'boolean', default: false },
  },
})
const SECONDS = Number(values.seconds)
const PORT = 18_480
const url = `http://127.0.0.1:${PORT}`
const PAGE = 'http://localhost'
const SITE = { sitekey: 'hv_site_demopx-kFQkgnI3lniO4', action: 'sign-up' }

const demo = start(
  process.execPath,
  ['dist/main.js', 'demo', '--public', PAGE, '--trusted-proxies', '127.0.0.1'],
  {
    cwd: ROOT,
    env: { ...process.env, HV_LISTEN: `127.0.0.1:${PORT}`, HV_OPS_LISTEN: '127.0.0.1:0' },
  },
)
const rssMiB = () => Math.round(demo.rss() / 2 ** 20)
while (
  !(await fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await pause(100)

const byte = () => Math.floor(Math.random() * 256)
const stranger = () => `${60 + (byte() & 31)}.${byte()}.${byte()}.${byte()}`
let visitorsCame = 0
/** Of networks that no stranger has. */
const visitor = () => `203.${(++visitorsCame >> 8) & 255}.${visitorsCame & 255}.7`
const form = (path, fields, from) =>
  send(`${url}${path}`, {
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Accept', 'text/html'],
      ['Origin', PAGE],
      ['X-Forwarded-For', from],
    ],
    body: new URLSearchParams(fields).toString(),
    timeout: 10_000,
  })

/** A whole visit without a browser: challenge, work, token, form. @returns the status of the form */
async function wholeVisit(from) {
  const service = { url, page: PAGE }
  const issued = await call(service, 'challenge', SITE, { address: from })
  if (issued.status !== 200) return `challenge ${issued.status}`
  const { challenge, work } = issued.body
  const solution = await workFor(challenge, work, 1)
  const answer = { challenge, solution, signals: '{}' }
  const solved = await call(service, 'solve', answer, { address: from })
  if (solved.status !== 200) return `solve ${solved.status}`
  return (await form('/sign-up', { name: 'Ada', 'svc-response': solved.body.token }, from)).status
}

const end = performance.now() + SECONDS * 1000
const counts = {}
/** Attacks until the end, so often a second. */
async function attacks(name, perSecond, act) {
  while (performance.now() < end) {
    void act(stranger()).then(
      (status) => count(`${name}: ${status?.status ?? status}`),
      () => count(`${name}: no answer`),
    )
    await pause(1000 / perSecond)
  }
}
const count = (key) => {
  counts[key] = (counts[key] ?? 0) + 1
}
const GARBAGE = `${'e'.repeat(60)}.${'y'.repeat(500)}.${'z'.repeat(43)}`
const ATTACKS = [
  attacks('work without a browser', 1, wholeVisit),
  attacks('challenges', 60, (from) =>
    call({ url, page: PAGE }, 'challenge', SITE, { address: from }),
  ),
  attacks('forms without a token', 25, (from) => form('/sign-up', { name: 'x' }, from)),
  attacks('forms with a made-up token', 25, (from) =>
    form('/sign-up', { 'svc-response': GARBAGE }, from),
  ),
  attacks('forms of one address', 10, () => form('/sign-up', { name: 'x' }, '60.1.1.1')),
  attacks('large bodies', 5, (from) => form('/sign-up', { name: 'a'.repeat(60_000) }, from)),
  attacks('the published secret', 5, (from) =>
    form(
      '/api/v1/siteverify',
      { secret: 'hv_secret_demo_vke3pF6jgFUNwiJDlZ0oQoLgYoq_lj3obRpreV0sW6M', response: 'x' },
      from,
    ),
  ),
  attacks('unknown paths', 10, (from) => form(`/${byte()}`, {}, from)),
]

const visits = []
async function visitorsCome() {
  while (performance.now() < end) {
    const began = performance.now()
    void wholeVisit(visitor()).then(
      (status) => visits.push({ status, ms: performance.now() - began }),
      () => visits.push({ status: 0, ms: performance.now() - began }),
    )
    await pause(2000)
  }
}
const memory = [rssMiB()]
async function memoryEachMinute() {
  while (performance.now() < end) {
    await pause(Math.min(60_000, end - performance.now() + 1))
    memory.push(rssMiB())
  }
}
await Promise.all([...ATTACKS, visitorsCome(), memoryEachMinute()])
await pause(5000)

const said = demo.said().trim().split('\n')
await demo.stop()
await stopWork()
// 422 is a verdict: a visitor without a browser scores too low.
const judged = visits.filter(({ status }) => status === 422 || status === 200).length
const waits = visits.map(({ ms }) => ms).sort((a, b) => a - b)
const at = (share) => Math.round(waits[Math.floor(waits.length * share)] ?? 0).toLocaleString('en')
const mentions = said.filter((line) =>
  /\b(60|203)\.\d+\.\d+\b|siteverify|"decision"/.test(line),
).length
const text = `# A public demonstration under attack

${inWords(`npm run dos:demo -- --seconds ${values.seconds}`, machine())} \`hv demo --public\`, one process behind one trusted proxy.

**${judged} of ${visits.length} visitors** got a verdict on their form, in ${at(0.5)} ms (median) and ${at(0.95)} ms (95th percentile), their work included.
Resident memory at the start and after each minute, MiB: ${memory.join(', ')}. Lines of the log: ${said.length}, of which ${mentions} mention a visitor.

${markdownTable(
  ['Attack and answer', 'Count'],
  Object.entries(counts)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([key, n]) => [key, n.toLocaleString('en')]),
)}
`
process.stdout.write(text)
if (values.write) writeFileSync(join(ROOT, 'lab/results/demo.md'), text)
process.exitCode = judged < visits.length || mentions > 0 ? 1 : 0
