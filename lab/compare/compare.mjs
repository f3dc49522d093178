/** Judges this service beside others: the same visitors, the same replays, the same faults: `npm run compare -- --help`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machine, ROOT } from '../stand/machine.mjs'
import { median } from '../stand/tables.mjs'
import { serverCost } from './cost.mjs'
import { flatOut } from './flat-out.mjs'
import { pageOf, textOf } from './report.mjs'
import { rowsOf } from './rows.mjs'
import { singleUseAlone, singleUseOnRedis } from './single-use.mjs'
import { versionsOf } from './start.mjs'
import { chosen, visitsAt } from './visitors.mjs'
import { NOTHING, waits } from './waiting.mjs'
import altcha from './peers/altcha.mjs'
import cap from './peers/cap.mjs'
import ours from './peers/ours.mjs'

const USAGE = `npm run compare -- [--quick] [--all] [--only NAME]… [--lanes N] [--write]

Puts this service, Cap and ALTCHA into the same page and the same handler, each as its guide shows it, and sends each the same visitors,
replays and faults. Prints the table, rows where this service loses first.

  --quick       one person, two programs and a few tokens: under three minutes; nothing can be written
  --all         every person and program of the evaluation that comes to a form, in place of a bounded choice
  --only NAME   beside ours, peers whose name contains NAME; may be repeated
  --lanes N     displays at once; default 2
  --write       writes lab/results/compare.md and compare.json`

const PEERS = [cap, altcha]
const flag = { type: 'boolean', default: false }
const OPTIONS = {
  quick: flag,
  all: flag,
  write: flag,
  help: { ...flag, short: 'h' },
  only: { type: 'string', multiple: true, default: [] },
  lanes: { type: 'string', default: '2' },
}

/** How much of each is measured. */
const WHOLE = { tokens: 20, waits: 7, seconds: 60, cost: { warm: 200, count: 200 } }
const SHORT = { tokens: 5, waits: 1, seconds: 10, cost: { warm: 40, count: 40 } }

const say = (line) => console.error(line)

/** Measures one after the other. What fails is left out and named, and the rest goes on. */
async function measured(name, measures, problems) {
  const found = {}
  for (const [part, measure] of Object.entries(measures)) {
    say(`${name}: ${part}`)
    try {
      found[part] = await measure()
    } catch (error) {
      problems.push(`${name}, ${part}: ${String(error.message).split('\n')[0]}`)
      say(problems.at(-1))
    }
  }
  return found
}

/** All that is asked of one contender. */
async function foundOf(peer, { size, visitors, lanes, bare, problems }) {
  const { tokens, seconds } = size
  const fill = { visits: size.waits, fillMs: 5000, bare }
  const slow = { ...fill, isSlow: true }
  const found = await measured(
    peer.name,
    {
      alone: () => singleUseAlone(peer, tokens),
      onRedis: () => singleUseOnRedis(peer, tokens),
      cost: () => serverCost(peer, size.cost),
      fast: () => waits(peer, fill),
      slow: () => waits(peer, slow),
      slowAtOnce: () => waits(peer, { ...slow, fillMs: 0 }),
      flatOut: () => flatOut(peer, seconds),
      ...(peer.canForge && { forged: () => flatOut(peer, seconds, { forges: true }) }),
      visits: () => visitsAt(peer, visitors, { lanes, say }),
    },
    problems,
  )
  // Where nothing is judged there is nothing to forge.
  const forged = peer.canForge ? {} : { forged: found.flatOut }
  return { ...forged, ...found, presses: peer.box ? 1 : 0 }
}

/** This service, and the peers that were asked for. */
function contendersOf({ only }) {
  const parts = only.map((part) => part.toLowerCase())
  const isAsked = ({ name }) =>
    parts.length === 0 || parts.some((part) => name.toLowerCase().includes(part))
  return [ours, ...PEERS.filter(isAsked)]
}

const about = (peer) => ({
  name: peer.name,
  versions: versionsOf(peer),
  guide: peer.guide,
  stores: peer.stores,
  notes: peer.notes,
})

async function compare(values) {
  const size = values.quick ? SHORT : WHOLE
  const visitors = await chosen(values)
  const contenders = contendersOf(values)
  const empty = await waits(NOTHING, { visits: size.waits, fillMs: 5000 })
  const bare = median(empty.map(({ cpu }) => cpu))
  const problems = []
  const found = []
  const how = { size, visitors, lanes: Number(values.lanes), bare, problems }
  for (const peer of contenders) found.push(await foundOf(peer, how))
  return {
    ...machine(),
    size,
    contenders: contenders.map(about),
    rows: rowsOf(found),
    problems,
    visits: contenders.map(({ name }, i) => ({ name, visits: found[i].visits ?? [] })),
    waits: contenders.map(({ name }, i) => {
      const { fast, slow, slowAtOnce, cost } = found[i]
      return { name, fast, slow, slowAtOnce, cost }
    }),
  }
}

async function main() {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return console.log(USAGE)
  if (!existsSync(join(ROOT, 'dist/main.js')))
    throw new TypeError('dist is empty: npm run build makes it')
  if (values.write && (values.quick || values.only.length > 0))
    throw new TypeError('--write needs the whole comparison: without --quick and --only')
  const result = await compare(values)
  console.log(textOf(result))
  mkdirSync(join(ROOT, 'build'), { recursive: true })
  const names = values.write ? ['build/compare', 'lab/results/compare'] : ['build/compare']
  for (const name of names) {
    writeFileSync(join(ROOT, `${name}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
    writeFileSync(join(ROOT, `${name}.md`), pageOf(result))
  }
}

await main().catch((error) => {
  console.error(error instanceof TypeError || !process.env.DEBUG ? error.message : error)
  process.exitCode = 2
})
