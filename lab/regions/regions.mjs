/**
 * `npm run regions [-- NAME…] [--seconds 6] [--rtt 80] [--write]`: two regions on this machine, each with a Redis and the built
 * service, and a link between them that delays and is cut. What does each layout accept twice, and what does the other region
 * cost? `--write` keeps the page as regions.md of lab/results. Exit code 1: a token was accepted twice, or the control, a plain
 * SET NX, accepted none twice.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stopWork } from '../attackers/worker.mjs'
import { inWords, machine, ROOT } from '../stand/machine.mjs'
import { pause } from '../stand/processes.mjs'
import { markdownTable, median, tally } from '../stand/tables.mjs'
import { LAYOUTS, REGIONS } from './layouts.mjs'
import { startLoad } from './load.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '6' },
    rtt: { type: 'string', default: '80' },
    write: { type: 'boolean', default: false },
  },
})
const [SECONDS, ROUND_TRIP_MS] = [Number(values.seconds), Number(values.rtt)]
const PAGE = join(ROOT, 'lab/results/regions.md')
const out = (text) => process.stdout.write(`${text}\n`)

/** Both regions, then the link down, then up again; tokens are kept from each phase to the next. */
async function passThrough({ start }) {
  const world = await start({ roundTripMs: ROUND_TRIP_MS })
  const load = startLoad(world)
  const fresh = () =>
    Promise.all(
      world.sites.flatMap((site) => REGIONS.map((region) => load.fresh(site, region))),
    ).then((all) => Math.max(...all))
  await Promise.all(world.sites.map((site) => load.fresh(site, site.home)))
  await pause(SECONDS * 1000)

  const held = await load.hoard(40)
  for (const link of world.links) link.cut()
  load.at.phase = 'down'
  await world.promote?.()
  await load.spend(held.slice(0, 20))
  await pause(SECONDS * 1000)

  for (const link of world.links) link.mend()
  load.at.phase = 'mended'
  const freshMs = await fresh()
  await load.spend(held)
  await pause((SECONDS * 1000) / 2)
  await load.stop()
  await load.spend(load.tokens.slice(-200))
  await world.stop()
  return { load, freshMs }
}

const ms = (value) => (value === undefined ? '–' : value.toFixed(0))
/** Milliseconds of accepted answers: the middle one, and that which 95 of 100 stay below. */
function times(asked, operation) {
  const sorted = asked
    .filter((each) => each.operation === operation && each.status === 200)
    .map((each) => each.ms)
    .sort((a, b) => a - b)
  if (sorted.length === 0) return '–'
  return `${ms(median(sorted))} (${ms(sorted[Math.floor(sorted.length * 0.95)])})`
}

/** What an outage of the link means at an entrance: the share of requests that were answered 200, and when the others failed. */
function outage(asked) {
  const failed = asked.filter(({ status }) => status !== 200)
  if (failed.length === 0) return `all ${asked.length} answered`
  const codes = Object.keys(tally(failed.map(({ status, code }) => `${status} \`${code}\``)))
  const late = Math.max(...failed.map((each) => each.ms))
  const typical = ms(median(failed.map((each) => each.ms)))
  return `${failed.length} of ${asked.length}: ${codes.join(', ')} after ${typical} ms, ${ms(late)} at most`
}

function latencyRows({ name, isFar }, { load, freshMs }) {
  return [false, true].flatMap((far) => {
    const mine = load.asked.filter((each) => isFar(each) === far)
    if (mine.length === 0) return []
    const up = mine.filter(({ phase }) => phase === 'up')
    const down = mine.filter(({ phase }) => phase === 'down')
    const cells = ['challenge', 'solve', 'siteverify'].map((operation) => times(up, operation))
    return [[name, far ? 'far' : 'near', ...cells, outage(down), far ? ms(freshMs) : '–']]
  })
}

const chosen = LAYOUTS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
)
const single = []
const latency = []
let isBroken = false
for (const layout of chosen) {
  const result = await passThrough(layout)
  const { tokens, at } = result.load
  const accepted = tokens.filter((token) => token.accepted > 0).length
  const twice = tokens.filter((token) => token.accepted > 1).length
  const row = [layout.name, tokens.length, accepted, at.presented, twice].map(String)
  single.push(row)
  out(row.join(' | '))
  if (layout.isFar) latency.push(...latencyRows(layout, result))
  isBroken ||= layout.isControl === true ? twice === 0 : twice > 0
}
await stopWork()

const promise = markdownTable(
  ['Layout', 'Tokens', 'Accepted', 'Times presented', 'Accepted twice'],
  single,
)
const price = markdownTable(
  [
    'Layout',
    'Entrance',
    '`challenge`, ms',
    '`solve`, ms',
    '`siteverify`, ms',
    'Link down: not answered 200',
    'New visits accepted again, ms',
  ],
  latency,
)
const page = `# Two regions

${inWords('npm run regions', machine())}

Two regions on one machine, each with a Redis and the built service, and between them a link that delays each byte by half of ${ROUND_TRIP_MS} ms and is cut for some
seconds (\`lab/stand/link.mjs\`). In each region visitors get tokens, customers' servers verify them, and replayers present every token at both entrances, at
once and again: before, during and after the cut, those too that nobody presented until then. Everything is counted from HTTP answers. The layouts with SET NX are
the control: the same programs, with a ledger that is a plain \`SET NX\`, must accept tokens twice, or the load would see nothing.

${promise}

What the other region costs: the middle answer, and in brackets that which 95 of 100 stay below. "near" is an entrance in the region of the site's ledger,
"far" one in the other. In the layout with a home region an entrance is a router, which is local; a far request travels once to the service at home. With one ledger
the service is local, and each call of Redis travels.

${price}
`
out(`\n${page}`)
if (values.write) writeFileSync(PAGE, page)
process.exit(isBroken ? 1 : 0)
