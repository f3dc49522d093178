/**
 * `npm run dos -- [NAME…] [--seconds 10] [--write]`: floods against the built service, one after the other, while another
 * visitor asks for challenges. Prints a table; `--write` puts it into lab/results/floods.md. Exit code 1: a visitor was not
 * answered with 200, or not within 250 ms at the 95th percentile.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { call } from '../attackers/visit.mjs'
import { solve } from '../attackers/work.mjs'
import { writeParts } from '../stand/lists.mjs'
import { inWords, machine, ROOT } from '../stand/machine.mjs'
import { pause, start } from '../stand/processes.mjs'
import { ACTION, SITEKEY, startService } from '../stand/service.mjs'
import { markdownTable } from '../stand/tables.mjs'
import { FLOODS } from './floods.mjs'

const PAGE = join(ROOT, 'lab/results/floods.md')
/** Milliseconds at the 95th percentile. */
const GOAL = 250

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
})
const wanted = FLOODS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
if (wanted.length === 0) {
  process.stderr.write(
    `npm run dos -- [NAME…] [--seconds 10] [--write]; NAME is one of ${FLOODS.map(({ name }) => name).join(', ')}\n`,
  )
  process.exit(2)
}

const out = (text) => process.stdout.write(`${text}\n`)
const program = (file, ...args) =>
  start(process.execPath, [join(import.meta.dirname, file), ...args.map(String)])

async function said(process) {
  await process.gone
  const line = process.said().trim().split('\n').at(-1)
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`a program of the flood said: ${process.said().slice(-500)}`)
  }
}

/** Of sorted numbers. */
const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

async function run(flood, service) {
  const before = service.cpu()
  const sending = program(
    'sender.mjs',
    flood.name,
    service.url,
    values.seconds,
    service.secret,
    used.token,
    used.body,
  )
  // The flood is on its way before the first visitor comes.
  await pause(500)
  const visiting = program('visitor.mjs', service.url, Number(values.seconds) - 1)
  const [sent, visits] = [await said(sending), await said(visiting)]
  const refused = visits.filter(({ status }) => status !== 200).length
  const waits = visits.map(({ ms }) => ms).sort((a, b) => a - b)
  const row = {
    flood,
    perSecond: Math.round(sent.sent / Number(values.seconds)),
    answers: Object.entries(sent.statuses)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', '),
    sender: (sent.cpuMs * 1000) / sent.sent,
    ours: ((service.cpu() - before) * 1e6) / sent.sent,
    visitors: visits.length,
    refused,
    p50: percentile(waits, 0.5),
    p95: percentile(waits, 0.95),
    rss: service.rss() / 2 ** 20,
  }
  out(
    `${flood.name}: ${row.answers}; visitors ${visits.length - refused} of ${visits.length}, p95 ${Math.round(row.p95)} ms`,
  )
  return row
}

const whole = (value) => Math.round(value).toLocaleString('en')
const COLUMNS = {
  Flood: ({ flood }) => flood.what,
  'Requests a second': ({ perSecond }) => whole(perSecond),
  'Sender, µs each': ({ sender }) => whole(sender),
  'Service, µs each': ({ ours }) => whole(ours),
  'Visitors answered 200': ({ visitors, refused }) => `${visitors - refused} of ${visitors}`,
  'Visitor p50, p95': ({ p50, p95 }) => `${whole(p50)}, ${whole(p95)} ms`,
  'Memory after it': ({ rss }) => `${whole(rss)} MB`,
}
const cells = (row) => Object.values(COLUMNS).map((cell) => cell(row))

/** A genuine response token that has been verified once, and the body that it was given for. Its score does not matter. */
async function usedUp({ url, secret }) {
  const ask = async (operation, fields) =>
    (
      await call({ url, page: 'http://localhost' }, operation, fields, {
        address: '198.51.100.250',
      })
    ).body
  const { challenge, work } = await ask('challenge', { sitekey: SITEKEY, action: ACTION })
  const solution = await solve(challenge, work)
  const fields = { challenge, solution, signals: '{}' }
  const { token: response } = await ask('solve', fields)
  if (response === undefined) throw new Error('the service gave no token')
  await ask('siteverify', { secret, response })
  return { token: response, body: new URLSearchParams(fields).toString() }
}

const service = await startService()
const used = await usedUp(service)
const rows = []
for (const flood of wanted) rows.push(await run(flood, service))
const errors = service.errors().length
await service.stop()

const command = `npm run dos -- --seconds ${values.seconds}`
const text = `${markdownTable(Object.keys(COLUMNS), rows.map(cells))}\n\n${inWords(command, machine())} One process with the embedded ledger, all floods in this order.\n`
out(`\n${text}`)
if (values.write) writeParts(PAGE, 'dos -- --write', { floods: text })
const missed = rows.filter(({ refused, p95 }) => refused > 0 || p95 >= GOAL)
for (const { flood, refused, p95 } of missed)
  out(`MISSED: ${flood.name}: ${refused} visitors refused, p95 ${whole(p95)} ms`)
if (errors > 0) out(`MISSED: the service logged ${errors} errors`)
process.exitCode = missed.length > 0 || errors > 0 ? 1 : 0
