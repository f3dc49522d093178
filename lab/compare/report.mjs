import { inWords } from '../stand/machine.mjs'
import { markdownTable, textTable } from '../stand/tables.mjs'
import { ABSENT } from './absent.mjs'
import { KINDS } from './rows.mjs'

const cell = (each) => each?.text ?? '–'
const headOf = ({ contenders }) => ['', ...contenders.map(({ name }) => name)]
const bodyOf = (rows) => rows.map(({ name, cells }) => [name, ...cells.map(cell)])

/** What could not be measured, and why. */
const gaps = ({ parts }) =>
  Object.values(parts).flatMap(({ problems }) => problems.map((each) => `Not measured: ${each}`))

/** When each part was measured, and beside what. */
const runs = ({ parts }) =>
  markdownTable(
    ['Part', 'Commit', 'Day', 'Load average'],
    Object.entries(parts).map(([part, { commit, date, load }]) => [part, commit, date, load]),
  )

/** For a terminal. */
export const textOf = (result) =>
  [
    ...tablesOf(result).map(
      ({ title, rows }) => `\n${title}\n\n${textTable(headOf(result), bodyOf(rows))}`,
    ),
    ...gaps(result),
  ].join('\n')

const TITLES = {
  loses: 'Where this service loses',
  alike: 'Where they are alike',
  wins: 'Where this service is ahead',
}

const tablesOf = ({ rows }) =>
  Object.entries(TITLES)
    .map(([standing, title]) => ({ title, rows: rows.filter((row) => row.standing === standing) }))
    .filter((part) => part.rows.length > 0)

const versions = ({ versions: list }) =>
  list.map(({ name, version, license }) => `${name} ${version} (${license})`).join(', ')

function outcomeOf(visit) {
  if (!visit || visit.forms === 0) return 'brings no form'
  return visit.passed ? 'passes' : 'is refused'
}

/** Who came, and whether each was let in. */
function visitsTable({ contenders, parts }) {
  if (!parts.visits) return 'Not measured.'
  const visits = contenders.map(({ name }) => ({ name, visits: parts.visits.found[name] ?? [] }))
  const place = ({ name, kind }) => `${['people', ...KINDS].indexOf(kind)} ${name}`
  const sorted = visits[0].visits.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
  const of = (list, name) => list.find((visit) => visit.name === name)
  return markdownTable(
    ['Visitor', 'Counted as', ...visits.map(({ name }) => name)],
    sorted.map(({ name, kind }) => [
      name,
      kind,
      ...visits.map(({ visits: list }) => outcomeOf(of(list, name))),
    ]),
  )
}

/** The page of a result. */
export function pageOf(result) {
  const { contenders, size } = result
  const tables = tablesOf(result).map(
    ({ title, rows }) => `## ${title}\n\n${markdownTable(headOf(result), bodyOf(rows))}\n`,
  )
  return `# Beside Cap and ALTCHA

${inWords('npm run compare -- --write', result)}

Each stands in the same page and the same handler, as its own guide shows it, with its defaults; the adapters are
in \`lab/compare/peers/\`, and their authors can correct them there (CONTRIBUTING.md). Licences are as the packages say.

${markdownTable(
  ['', 'Versions and licences', 'Set up as in', 'Stores'],
  contenders.map((each) => [each.name, versions(each), each.guide, each.stores.join(', ')]),
)}

${[...tables, ...gaps(result)].join('\n')}
## Who passed

One visit each, people first pressing what the widget wants pressed, programs by their own means.

${visitsTable(result)}

## When it was measured

${runs(result)}

## Who is not here

A peer has to install from a registry (npm, the Go module proxy, crates.io, PyPI, Maven Central, Debian), set up as its guide shows it.

${markdownTable(
  ['', 'Tried on', 'What was found'],
  ABSENT.map(({ name, day, tried }) => [name, day, tried]),
)}

## How to read it

- ${contenders.map(({ name, notes }) => `**${name}.** ${notes}`).join('\n- ')}
- A visit that brings no form is named and not counted: on a busy machine the work of a widget may not be over in four minutes.
- Tokens: ${size.tokens} of each question, and as many that were out with their visitors when the store lost what it knew. The store that comes
  first is the default; with Redis there are two processes. They are taken with the least work and, of ours, without a threshold: what
  is asked is whether a token counts twice, not who gets one.
- Waits: ${size.waits} visits each by a driven Chromium with an empty cache, from the first press that wants a token to the form at the handler;
  a quarter of its speed: all of its processes are stopped for three of every four milliseconds. Where nothing has to be pressed, work is done
  while the form is filled in.
- Flat out: two processes on the machine of the server, for ${size.seconds} s; ten minutes are extrapolated, though the work of ours rises with the rate
  (price-list.md measures ten minutes).
- Bytes: what the captcha’s own requests load, files compressed by brotli for all. Processor of the server: its own process, warm.
- A row is a loss or a lead where the difference is more than a twentieth of the larger figure.
`
}
