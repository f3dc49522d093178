import { join } from 'node:path'
import { inTheirPlace, readList, writeList, writeParts } from '../../stand/lists.mjs'
import { tally } from '../../stand/tables.mjs'
import { gateTable } from './gate.mjs'
import { evaluationTables, measured } from './page.mjs'
import { secondTries } from './second-tries.mjs'

const ORDER = ['person', 'bot', 'stepped', 'inseparable']
/** People first, bots that nobody can tell apart last. */
export const byKind = ({ kind }) => ORDER.indexOf(kind)

/** The lists of lab/results/ that an evaluation writes. */
const listsOf = (root) =>
  ['evaluation', 'fired-rules'].map((name) => join(root, `lab/results/${name}.json`))

/**
 * Puts the visitors of a result in the place of their earlier rows in the lists of lab/results/, and writes the pages. `npm run docs`
 * writes from the second list which rules fired in which engine.
 */
export function keep(root, { machine, browsers, visitors, ...facts }) {
  const files = listsOf(root)
  const [earlier, fired] = files.map(readList)
  const rows = visitors.map((visitor) => evaluationRow(visitor, facts))
  const seen = visitors.flatMap((visitor) => firedRow(visitor, facts) ?? [])
  writeList(files[0], { machine, browsers, rows: inTheirPlace(earlier.rows ?? [], rows, byKind) })
  writeList(files[1], {
    rows: inTheirPlace(fired.rows ?? [], seen, ({ isPerson }) => (isPerson ? 0 : 1)),
  })
  writePages(root)
}

/** Writes the pages of the evaluation, of the gate and of the step from the list. */
export function writePages(root) {
  const list = readList(listsOf(root)[0])
  writeParts(join(root, 'docs/design/evaluation.md'), 'evaluate', {
    scores: evaluationTables(list),
  })
  writeParts(join(root, 'docs/design/price-list.md'), 'evaluate', { gate: gateTable(list.rows) })
  const isMeant = ({ kind, firsts }) => /^(bot|stepped)$/.test(kind) && firsts !== undefined
  const programs = list.rows.filter(isMeant)
  writeParts(join(root, 'lab/results/second-tries.md'), 'evaluate', {
    scores: `${measured({ ...list, rows: programs })}\n\n${secondTries(programs)}`,
  })
}

const SHOWN = 6
/** The contributions that moved a visit's score most, in words: `webdriver-true −4`. */
const strongest = (contributions) =>
  contributions
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, SHOWN)
    .map(({ name, value }) => `\`${name}\` ${value < 0 ? '−' : '+'}${Math.abs(value)}`)

/** What lab/results/evaluation.json keeps of a visitor, and the page shows. */
function evaluationRow({ visits, ...row }, { commit, date, hands, errors }) {
  const loads = visits.map(({ load }) => load)
  const { contributions = [], model } = visits.findLast(({ score }) => score !== undefined) ?? {}
  return {
    ...row,
    ...(row.isAgent && { why: strongest(contributions) }),
    model,
    commit,
    date,
    hands,
    errors,
    loads: [Math.min(...loads), Math.max(...loads)],
  }
}

/** Engines, by what the widget finds that only they can do (`environment.engine`); WebKitGTK is none of them for sure. */
const ENGINES = ['WebKit', 'Chromium', 'Firefox', 'WebKit']

/** In what a visitor's visits ran, and in how many of them each rule fired; undefined where none was scored. */
function firedRow({ name, kind, isBrowser = true, visits }, { commit, date }) {
  const scored = visits.filter(({ score }) => score !== undefined)
  if (scored.length === 0) return undefined
  const fired = tally(
    scored.flatMap(({ contributions }) => [...new Set(contributions.map((each) => each.name))]),
  )
  const { signals, model } = scored.at(-1)
  const engine = isBrowser ? ENGINES[signals?.environment?.engine ?? 0] : 'no browser'
  return {
    name,
    isPerson: kind === 'person',
    engine,
    model,
    commit,
    date,
    visits: scored.length,
    fired,
  }
}
