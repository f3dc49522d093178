/** Judges this service beside others: the same visitors, the same replays, the same faults: `npm run compare -- --help`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

const USAGE = `npm run compare -- [--quick] [--all] [--only NAME]… [--part NAME]… [--lanes N] [--write | --page]

Puts this service, Cap and ALTCHA into the same page and the same handler, each as its guide shows it, and sends each the same visitors,
replays and faults. Prints the table, rows where this service loses first.

  --quick       one person, two programs and a few tokens: under three minutes; nothing can be written
  --all         every person and program of the evaluation that comes to a form, in place of a bounded choice
  --only NAME   beside ours, peers whose name contains NAME; may be repeated
  --part NAME   alone, onRedis, cost, fast, slow, slowAtOnce, flatOut, forged or visits; may be repeated. The others are those of the last
                result that was written, each with the day and the commit of its run
  --lanes N     displays at once; default 2
  --write       writes lab/results/compare.md and compare.json
  --page        measures nothing, and writes compare.md again from compare.json`

const PEERS = [cap, altcha]
const flag = { type: 'boolean', default: false }
const OPTIONS = {
  quick: flag,
  all: flag,
  write: flag,
  page: flag,
  help: { ...flag, short: 'h' },
  only: { type: 'string', multiple: true, default: [] },
  part: { type: 'string', multiple: true, default: [] },
  lanes: { type: 'string', default: '2' },
}

/** How much of each is measured. */
const WHOLE = { tokens: 10, waits: 5, seconds: 60, cost: { warm: 200, count: 200 } }
const SHORT = { tokens: 5, waits: 1, seconds: 10, cost: { warm: 40, count: 40 } }

const say = (line) => console.error(line)

/** What is asked of each contender, in this order. A part that does not apply to one is undefined. */
function partsOf({ size, visitors, lanes, bare }) {
  const fill = { visits: size.waits, fillMs: 5000, bare }
  const slow = { ...fill, isSlow: true }
  const { tokens, seconds } = size
  return {
    alone: (peer) => singleUseAlone(peer, tokens),
    onRedis: (peer) => singleUseOnRedis(peer, tokens),
    cost: (peer) => serverCost(peer, size.cost),
    fast: (peer) => waits(peer, fill),
    slow: (peer) => waits(peer, slow),
    slowAtOnce: (peer) => waits(peer, { ...slow, fillMs: 0 }),
    flatOut: (peer) => flatOut(peer, seconds),
    forged: (peer) => (peer.canForge ? flatOut(peer, seconds, { forges: true }) : undefined),
    visits: (peer) => visitsAt(peer, visitors, { lanes, say }),
  }
}

/**
 * Asks each contender each part, in turns. What fails is left out and named, and the rest goes on.
 *
 * @returns by part, what was found of each contender, and the run
 */
async function askAll(contenders, parts) {
  const asked = {}
  for (const [part, measure] of Object.entries(parts)) {
    const found = {}
    const problems = []
    for (const peer of contenders) {
      say(`${part}: ${peer.name}`)
      try {
        found[peer.name] = await measure(peer)
      } catch (error) {
        problems.push(`${peer.name}, ${part}: ${String(error.message).split('\n')[0]}`)
        say(problems.at(-1))
      }
    }
    const { commit, date, load } = machine()
    asked[part] = { commit, date, load, problems, found }
    writeFileSync(join(ROOT, 'build/compare-parts.json'), JSON.stringify(asked))
  }
  return asked
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

const BUILT = join(ROOT, 'build/compare')
const RESULT = join(ROOT, 'lab/results/compare')

/** The last result that was written. */
const written = () => JSON.parse(readFileSync(`${RESULT}.json`, 'utf8'))
const writtenParts = () => (existsSync(`${RESULT}.json`) ? written().parts : {})

/** What was found of one contender, all parts together. */
function foundOf({ name, canForge, box }, parts) {
  const found = Object.entries(parts).map(([part, { found: each }]) => [part, each[name]])
  const measured = Object.fromEntries(found.filter(([, value]) => value !== undefined))
  const known = { ...measured, presses: box ? 1 : 0 }
  // Where nothing is judged there is nothing to forge.
  return canForge || !known.flatOut ? known : { ...known, forged: known.flatOut }
}

async function compare(values) {
  const size = values.quick ? SHORT : WHOLE
  const visitors = await chosen(values)
  const contenders = contendersOf(values)
  const isAsked = (part) => values.part.length === 0 || values.part.includes(part)
  const empty = isAsked('fast') ? await waits(NOTHING, { visits: size.waits, fillMs: 5000 }) : []
  const bare = median(empty.map(({ cpu }) => cpu))
  const all = partsOf({ size, visitors, lanes: Number(values.lanes), bare })
  const unknown = values.part.filter((part) => !Object.hasOwn(all, part))
  if (unknown.length > 0) throw new TypeError(`no part is named ${unknown.join(', ')}`)
  const some = Object.fromEntries(Object.entries(all).filter(([part]) => isAsked(part)))
  const parts = {
    ...(values.part.length > 0 && writtenParts()),
    ...(await askAll(contenders, some)),
  }
  const found = contenders.map((peer) => foundOf(peer, parts))
  return { ...machine(), size, contenders: contenders.map(about), rows: rowsOf(found), parts }
}

async function main() {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return console.log(USAGE)
  if (values.page) return writeFileSync(`${RESULT}.md`, pageOf(written()))
  if (!existsSync(join(ROOT, 'dist/main.js')))
    throw new TypeError('dist is empty: npm run build makes it')
  if (values.write && (values.quick || values.only.length > 0))
    throw new TypeError('--write needs the whole comparison: without --quick and --only')
  mkdirSync(join(ROOT, 'build'), { recursive: true })
  const result = await compare(values)
  console.log(textOf(result))
  for (const file of values.write ? [BUILT, RESULT] : [BUILT]) {
    writeFileSync(`${file}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
    writeFileSync(`${file}.md`, pageOf(result))
  }
}

await main().catch((error) => {
  console.error(error instanceof TypeError || !process.env.DEBUG ? error.message : error)
  process.exitCode = 2
})
