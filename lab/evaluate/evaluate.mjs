/** Drives visitors against the service as it is built, and says what they score: `npm run evaluate -- --help`. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { people } from './person/people.mjs'
import { byKind, keep, writePages } from './report/rows.mjs'
import { cells, HEAD, summarise } from './report/statistics.mjs'
import { displays, PROGRAMS } from './screen/display.mjs'
import { machine, ROOT } from '../stand/machine.mjs'
import { startRedis } from '../stand/redis.mjs'
import { startService } from '../stand/service.mjs'
import { textTable } from '../stand/tables.mjs'
import { oneVisit } from './visit.mjs'
import { ensurePrograms } from '../../test/support/programs.mjs'

const USAGE = `npm run evaluate -- [--runs N] [--quick] [--only NAME]… [--lanes N] [--seed TEXT]
                        [--traces DIR] [--keep] [--pages]

Drives the development set of visitors against the built service and prints what they score. Everybody who is asked for the step of a second
try presses its button, programs by their own means. Writes build/evaluation.json, and when the whole set was run docs/design/evaluation.md,
a part of docs/design/price-list.md, lab/results/second-tries.md and the lists of lab/results that they are made of. Exit code 1: a person below the threshold, or a separable bot let in.

  --runs N      visits of each visitor, 1 to 50; default 5
  --quick       one run, and docs/design/evaluation.md stays as it is
  --only NAME   visitors whose name contains NAME; may be repeated
  --lanes N     displays at once, 1 to 4; default 2
  --seed TEXT   other synthetic people for another seed; default 1
  --traces DIR  people's hands from recordings in this folder (lab/README.md, "Recorded hands"); without it, the hands are
                synthetic (docs/design/risk.md)
  --keep        writes the lists and the pages with these visitors in the place of their earlier rows, however few they are
  --pages       visits nothing, and writes the pages again from the lists`

const [flag, value] = [{ type: 'boolean', default: false }, { type: 'string' }]
const FLAGS = { quick: flag, keep: flag, pages: flag, help: { ...flag, short: 'h' } }
const VALUES = { runs: value, seed: value, traces: value, lanes: { ...value, default: '2' } }

function readOptions() {
  const { values } = parseArgs({
    options: { ...FLAGS, ...VALUES, only: { ...value, multiple: true, default: [] } },
  })
  if (values.seed !== undefined && values.traces !== undefined)
    throw new TypeError(
      '--seed chooses synthetic people and --traces recorded ones: give one of the two',
    )
  return {
    ...values,
    runs: wholeNumber('--runs', values.runs ?? (values.quick ? '1' : '5'), 50),
    lanes: wholeNumber('--lanes', values.lanes, 4),
  }
}

function wholeNumber(name, text, most) {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1 || n > most)
    throw new TypeError(`${name}: expected a whole number from 1 to ${most}, got ${text}`)
  return n
}

/** The visitors of visitors/, people first; only those that were asked for. */
async function visitors({ only }) {
  const files = readdirSync(join(import.meta.dirname, 'visitors'))
  const lists = await Promise.all(
    files.map(async (file) => (await import(`./visitors/${file}`)).default),
  )
  const asked = lists
    .flat()
    .filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
  if (asked.length === 0) throw new TypeError(`no visitor is named like ${only.join(', ')}`)
  return asked.sort((a, b) => byKind(a) - byKind(b) || (a.name < b.name ? -1 : 1))
}

async function evaluate(options, hands, facts, say) {
  if (!existsSync(join(ROOT, 'dist/main.js')))
    throw new TypeError('dist is empty: npm run build makes it')
  const set = await visitors(options)
  ensurePrograms([
    'redis',
    'chromium',
    ...set.flatMap(({ screen, needs = [] }) => [...needs, ...(PROGRAMS[screen] ?? [])]),
  ])
  const endings = []
  try {
    const redis = await startRedis()
    endings.unshift(redis.stop)
    const service = await startService({ redisUrl: redis.url, policy: { step_up: 'managed' } })
    endings.unshift(service.stop)

    const jobs = Array.from({ length: options.runs }, (_, run) =>
      set.map((visitor) => ({ visitor, run })),
    ).flat()
    const runs = new Map(set.map((visitor) => [visitor, []]))
    const learnt = new Map()
    let number = 0
    const lane = async () => {
      const own = displays()
      endings.unshift(own.stop)
      for (let job = jobs.shift(); job; job = jobs.shift()) {
        const { visitor, run } = job
        const display = visitor.screen && (await own.of(visitor.screen))
        const around = { service, display, person: hands.person, learnt }
        const result = await oneVisit(visitor, { run, number: ++number, ...around })
        runs.get(visitor).push({ run, ...result })
        say(progress(visitor, result, jobs.length))
      }
    }
    await Promise.all(Array.from({ length: options.lanes }, lane))
    const results = set.map((visitor) => ({
      ...summarise(visitor, runs.get(visitor)),
      visits: runs.get(visitor),
    }))
    return { ...facts, runs: options.runs, errors: service.errors().length, visitors: results }
  } finally {
    for (const end of endings) await Promise.resolve(end()).catch(() => {})
  }
}

/** Versions of the browsers; empty where there is none. */
function browsers() {
  const version = (program) =>
    spawnSync(program, ['--version'], {
      encoding: 'utf8',
      env: { ...process.env, HOME: '/tmp' },
    }).stdout?.trim() ?? ''
  return { chromium: version('chromium'), firefox: version('firefox-esr') }
}

function progress({ name, kind }, { score, passed, seconds, problem, load }, left) {
  const said = [
    score?.toFixed(2) ?? '–',
    passed > 0 ? 'passed' : 'not passed',
    `${seconds} s`,
    `load ${load}`,
  ]
  return `${name} (${kind}): ${said.join(', ')}${problem ? `; ${problem}` : ''}; ${left} to go`
}

async function main() {
  const options = readOptions()
  if (options.help) return console.log(USAGE)
  if (options.pages) return writePages(ROOT)
  const file = join(ROOT, 'build/evaluation.json')
  const hands = people(options.traces, options.seed)
  const facts = { ...machine(), browsers: browsers(), hands: hands.kind }
  const result = await evaluate(options, hands, facts, (line) => console.error(line))
  mkdirSync(join(ROOT, 'build'), { recursive: true })
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
  const rows = result.visitors
  const whole = options.only.length === 0 && !options.quick
  if (whole || options.keep) keep(ROOT, result)
  const colour = process.stdout.isTTY && !process.env.NO_COLOR
  const isRed = (row) => colour && rows[row].failure !== undefined
  console.log(`\n${textTable(HEAD, rows.map(cells), isRed)}\n`)
  const failures = rows.filter(({ failure }) => failure)
  console.log(
    failures.length === 0
      ? 'Everything holds.'
      : `${failures.length} of ${rows.length} do not hold.`,
  )
  process.exitCode = failures.length === 0 ? 0 : 1
}

await main().catch((error) => {
  console.error(
    error instanceof TypeError || process.env.DEBUG === undefined ? error.message : error,
  )
  process.exitCode = 2
})
