import { markdownTable, tally, two } from '../../stand/tables.mjs'
import { SILENT_THRESHOLD as SILENT } from '../../stand/service.mjs'
import { noteOf } from './statistics.mjs'

const isAgent = (row) => row.isAgent === true
const of = (kind) => (row) => row.kind === kind && !isAgent(row)
const PARTS = [
  [
    of('person'),
    'People',
    `They have to pass in every run; where a score is too low at first, with the step. Visitors called untouched, and "one key", meet a page that asks for ${SILENT}; all but the one
in the back have to be 0.3 above that, in log-odds.`,
  ],
  [
    isAgent,
    'AI agents',
    `The model is replaced by a fixed plan and by latencies (log-normal, median 2.5 s); all else is the program that drives. Separable ones are judged
as bots are; each row ends with the contributions that moved its last score most. [agents.md](../operate/agents.md) lets wanted ones in by name.`,
  ],
  [
    of('bot'),
    'Bots that can be told apart',
    `None of their tokens may be worth the threshold: 0.5, and ${SILENT} where nothing is filled in. Whatever can press presses the step by its own means.`,
  ],
  [
    of('stepped'),
    'Bots that the step lets in',
    `At first they score what people score whose tools press and type for them, such as voice control beside auto-type, and are asked for the step; a press lets in both.
Without the step none may pass. They pay for a real browser and for the larger work, at most twice an hour from one address ([price-list.md](price-list.md#a-driver-at-a-form)).`,
  ],
  [of('inseparable'), 'Bots that cannot be told apart by looking', 'They are listed, not judged.'],
]

/** On what the rows of a list were measured, in a sentence or two. */
export const measured = ({ machine, browsers, rows }) =>
  `${rows.length} visitors: ${measurements(rows)}. ${machine}; ${version(browsers.chromium)}; ${version(browsers.firefox)}; WebKitGTK of Debian.`

/** The tables of docs/design/evaluation.md, and on what they were measured. */
export function evaluationTables(list) {
  const { rows } = list
  const failures = rows.filter(({ failure }) => failure)
  const loads = rows.flatMap((row) => row.loads)
  const errors = new Set(rows.map((row) => row.errors))
  return `${measured(list)}
Load average ${Math.min(...loads)} to ${Math.max(...loads)}; ${errors.size === 1 && errors.has(0) ? 'no' : 'some'} errors in the service's log.
${failures.length === 0 ? 'Everything holds.' : `${failures.length} of ${rows.length} do not hold: ${failures.map(({ name }) => name).join('; ')}.`}

${PARTS.map(([belongs, title, rule]) => part(rows.filter(belongs), title, rule)).join('\n')}`
}

/** When, at which commit and with whose hands the rows were measured, and in how many visits each. */
function measurements(rows) {
  const groups = rows.map(
    ({ runs, date, commit, hands }) =>
      `with ${runs} ${runs === 1 ? 'visit' : 'visits'} each on ${date} at commit ${commit}, hands of people ${hands}`,
  )
  const counts = Object.entries(tally(groups))
  return counts.map(([how, number]) => `${number} ${how}`).join('; ')
}

const HEAD = ['Visitor', 'What it is', 'Score', 'Passed']

function part(rows, title, rule) {
  return rows.length === 0
    ? ''
    : `## ${title}\n\n${rule}\n\n${markdownTable(HEAD, rows.map(cells))}\n`
}

const SUFFIXES = { inseparable: ' (inseparable)', stepped: ' (by the step)' }

/** The cells of a row; of an agent, with what moved its score. */
function cells(row) {
  const { name, what, why = [], least, most, passed, forms, runs, kind } = row
  const suffix = (isAgent(row) && SUFFIXES[kind]) || ''
  const description = why.length > 0 ? `${what}. ${why.join(', ')}` : what
  const range = least === most ? '' : ` (${two(least)}–${two(most)})`
  const note = noteOf(row)
  return [
    `${name}${suffix}`,
    description,
    `${two(row.median)}${range}`,
    `${passed} of ${forms || runs}${note && `; ${note}`}`,
  ]
}

const version = (text) => text.replace(/ built on.*/, '')
