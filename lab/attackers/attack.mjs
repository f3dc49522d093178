/** Measures the price of a token for somebody who has read the source: `npm run attack -- --help`. */
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inTheirPlace, readList, writeList, writeParts } from '../stand/lists.mjs'
import { machine, ROOT } from '../stand/machine.mjs'
import { ATTACKERS } from './kinds/all.mjs'
import { refusedBeside } from './kinds/neighbours.mjs'
import { fallenPrices, priced } from './price.mjs'
import { inColumns, lowestPrice, priceParts } from './report.mjs'
import { attackFrom, openStage } from './stage.mjs'

const RESULTS = join(ROOT, 'lab/results/price-list.json')
const PAGE = join(ROOT, 'docs/design/price-list.md')

const USAGE = `npm run attack -- [options]

Attacks a service of its own on loopback and writes the price of a token: to standard output, to
lab/results/price-list.json and to docs/design/price-list.md. Needs Chromium.

  --short       some hundred visits each, in place of ten minutes: about 20 minutes in all
  --quick       the short form of the attackers that tell most in little time, for CI: about three minutes
  --only NAME   attackers whose name contains NAME; may be repeated. Others keep their figures of the last run
  --check       writes nothing; fails if the work of a visit or the share that is refused fell against the written list`

const flag = { type: 'boolean', default: false }
const OPTIONS = { short: flag, quick: flag, check: flag, help: { ...flag, short: 'h' } }

function chosen({ only, quick }) {
  if (quick) return ATTACKERS.filter(({ isQuick }) => isQuick)
  const names = new Set(ATTACKERS.map(({ name }) => name))
  // A whole name is meant alone, though others begin with it.
  const isMeant = (part, name) => (names.has(part) ? name === part : name.includes(part))
  const asked = ATTACKERS.filter(
    ({ name }) => only.length === 0 || only.some((part) => isMeant(part, name)),
  )
  if (asked.length === 0)
    throw new TypeError(`no attacker is named like ${only.join(', ')}: ${[...names].join('; ')}`)
  return asked
}

/** Runs one attacker against a service that has seen nobody. */
async function rowOf(attacker, commit, { short }) {
  const stage = await openStage(attacker.policy)
  try {
    const outcome = await attackFrom(stage, { name: attacker.name, short })
    const people = await refusedBeside(stage, outcome.lastAddress)
    return {
      ...priced(attacker, outcome),
      people,
      commit,
      load: Math.round(loadavg()[0] * 10) / 10,
    }
  } finally {
    await stage.close()
  }
}

/** The written list with the rows of this run in the place of the earlier ones. */
function updated(list, rows, { short }, facts) {
  const length = short ? 'short' : 'full'
  const order = ATTACKERS.map(({ name }) => name)
  const all = inTheirPlace(list[length] ?? [], rows, ({ name }) => order.indexOf(name))
  return { ...list, ...facts, [length]: all.filter(({ name }) => order.includes(name)) }
}

async function main() {
  const { values } = parseArgs({
    options: { ...OPTIONS, only: { type: 'string', multiple: true, default: [] } },
  })
  const options = { ...values, short: values.short || values.quick }
  if (options.help) return console.log(USAGE)
  if (!existsSync(join(ROOT, 'dist/main.js')))
    throw new TypeError('dist is empty: npm run build makes it')
  const list = readList(RESULTS)
  const { date, commit, machine: where } = machine()
  const rows = []
  for (const attacker of chosen(options)) {
    const row = await rowOf(attacker, commit, options)
    rows.push(row)
    // After each row: an hour of attacks is not lost with the last one.
    if (!options.check) {
      const whole = updated(list, rows, options, { date, machine: where })
      writeList(RESULTS, whole)
      writeParts(PAGE, 'attack', priceParts(whole))
      writeParts(join(ROOT, 'SECURITY.md'), 'attack', { lowest: lowestPrice(whole) })
    }
    console.error(inColumns([row]).split('\n').slice(1).filter(Boolean).join('\n'))
  }
  console.log(`\n${inColumns(rows)}\n`)
  if (options.check) {
    const fallen = fallenPrices(rows, list[options.short ? 'short' : 'full'] ?? [])
    console.log(fallen.length === 0 ? 'No price fell.' : fallen.join('\n'))
    process.exitCode = fallen.length === 0 ? 0 : 1
  }
}

await main().catch((error) => {
  console.error(
    error instanceof TypeError || process.env.DEBUG === undefined ? error.message : error,
  )
  process.exitCode = 2
})
