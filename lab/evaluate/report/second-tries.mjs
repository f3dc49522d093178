import { join } from 'node:path'
import { inTheirPlace, readList, writeList, writeParts } from '../../stand/lists.mjs'
import { markdownTable, median, two } from '../../stand/tables.mjs'
import { THRESHOLD } from './statistics.mjs'

/** What the page keeps of a visitor's runs. `failure`: why it does not show what it must, in a sentence. */
function secondTryRow({ name, kind, what, visits }, commit) {
  const runs = visits.map(({ first, asked = 0, scores = [], passed, problem }) => ({
    ...(first !== undefined && { first }),
    asked,
    last: scores.at(-1),
    passed,
    ...(problem !== undefined && { problem }),
  }))
  const gained = runs.some(({ passed, last = 0 }) => passed > 0 || last >= THRESHOLD)
  return {
    name,
    kind,
    what,
    commit,
    runs,
    ...(gained && { failure: 'a bot that can be told apart gained by a second try' }),
  }
}

/** Makes the rows of a result; where each visitor has five runs, puts them in the place of their earlier ones, and writes the page. */
export function keepSecondTries(root, { visitors, runs, date, commit, machine, browsers }) {
  const rows = visitors.map((visitor) => secondTryRow(visitor, commit))
  if (runs < 5) return rows
  const file = join(root, 'lab/results/second-tries.json')
  const list = {
    date,
    commit,
    machine,
    browsers,
    rows: inTheirPlace(readList(file).rows ?? [], rows, () => 0),
  }
  writeList(file, list)
  const commits = [...new Set(list.rows.map((row) => row.commit))].join(', ')
  const measured = `Measured ${date} at commit ${commits}, on ${machine}; ${browsers.chromium.replace(/ built on.*/, '')}.`
  const scores = `${measured}\n\n${markdownTable(SECOND_HEAD, list.rows.map(secondCells))}`
  writeParts(join(root, 'lab/results/second-tries.md'), 'evaluate -- --second-tries', { scores })
  return rows
}

function range(values) {
  const known = values.filter((n) => n !== undefined)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return known.length === 0 || least === most
    ? two(known[0])
    : `${two(median(known))} (${two(least)}–${two(most)})`
}

export const SECOND_HEAD = ['Visitor', 'First score', 'Asked', 'Score of the token', 'Passed', '']
export const secondCells = (row) => [
  row.name,
  range(row.runs.map(({ first, asked, last }) => (asked > 0 ? first : last))),
  `${row.runs.filter(({ asked }) => asked > 0).length} of ${row.runs.length}`,
  range(row.runs.map(({ last }) => last)),
  `${row.runs.filter(({ passed }) => passed > 0).length} of ${row.runs.length}`,
  row.failure ?? '',
]
