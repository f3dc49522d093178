import { inTheirPlace } from '../../stand/lists.mjs'
import { markdownTable, median, two } from '../../stand/tables.mjs'
import { THRESHOLD } from './statistics.mjs'

/** What a page keeps of a visitor's runs. */
export const secondTryRow = ({ name, kind, what, visits }, commit) => ({
  name,
  kind,
  what,
  commit,
  runs: visits.map(({ first, asked = 0, scores = [], passed, problem }) => ({
    ...(first !== undefined && { first }),
    asked,
    last: scores.at(-1),
    passed,
    ...(problem !== undefined && { problem }),
  })),
})

/** The written result with the rows of this run in the place of the earlier ones. */
export function withSecondTries({ rows: before = [] }, rows, { date, commit, machine, browsers }) {
  return { date, commit, machine, browsers, rows: inTheirPlace(before, rows, () => 0) }
}

/** Why a row does not show what it must, in a sentence; undefined when it does. */
export const secondTryFailure = ({ runs }) =>
  runs.some(({ passed, last = 0 }) => passed > 0 || last >= THRESHOLD)
    ? 'a bot that can be told apart gained by a second try'
    : undefined

function range(values) {
  const known = values.filter((n) => n !== undefined)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return known.length === 0 || least === most ? two(known[0]) : `${two(median(known))} (${two(least)}–${two(most)})`
}

const HEAD = ['Visitor', 'First score', 'Asked', 'Score of the token', 'Passed', '']
const cells = (row) => [
  row.name,
  range(row.runs.map(({ first, asked, last }) => (asked > 0 ? first : last))),
  `${row.runs.filter(({ asked }) => asked > 0).length} of ${row.runs.length}`,
  range(row.runs.map(({ last }) => last)),
  `${row.runs.filter(({ passed }) => passed > 0).length} of ${row.runs.length}`,
  secondTryFailure(row) ?? '',
]

/** lab/results/second-tries.md, from second-tries.json beside it. */
export function secondTriesPage({ date, machine, browsers, rows }) {
  const commits = [...new Set(rows.map(({ commit }) => commit))]
  return `<!-- Written by \`npm run evaluate -- --second-tries\`; do not edit. -->
# Second tries

This page has the scores of the separable bots of [evaluation.md](../../docs/design/evaluation.md) on a site with \`step_up: managed\` and the default
threshold of 0.5; [refused.md](../../docs/widget/refused.md) says how the step works. The widget asks a bot only where more evidence could help it; a
bot that moves devices of the X server and is asked presses the button. No person of the evaluation is refused at first.

Measured ${date} at commit ${commits.join(', ')}, on ${machine}; ${browsers.chromium.replace(/ built on.*/, '')}.

${markdownTable(HEAD, rows.map(cells))}

A row keeps the figures of its last run of five or more. [price-list.md](../../docs/design/price-list.md#a-second-try) has what the step costs a program
that forges it.
`
}
