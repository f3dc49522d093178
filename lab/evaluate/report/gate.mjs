import { markdownTable, median, two } from '../../stand/tables.mjs'
import { SILENT_THRESHOLD } from '../../stand/service.mjs'
import { THRESHOLD } from './statistics.mjs'

const UNTOUCHED = 'untouched, '
/** The visitor of the form that has the same browser, where it is not named like the one of the page without a touch. */
const AT_FORM = {
  'in front': 'auto-type',
  'private window': 'privacy settings',
  Firefox: 'Firefox, mouse',
  WebKit: 'WebKit, mouse',
  patchright: 'patchright, headed',
  'patchright, headless': 'patchright, values by script, headless',
  'Puppeteer with stealth': 'Puppeteer with stealth, headless',
  'DevTools protocol': 'DevTools protocol, insertText',
}

const range = (scores) => {
  const [least, most] = [Math.min(...scores), Math.max(...scores)]
  return two(least) === two(most)
    ? two(most)
    : `${two(median(scores))} (${two(least)}–${two(most)})`
}

/** Visits of a row that are let in with what they show at first. */
const atFirst = ({ firsts = [], threshold = THRESHOLD }) =>
  firsts.filter((score) => score >= threshold).length

/** What a visit shows at first, and how many are let in. */
function firstCell({ firsts = [], runs, ...row }) {
  return firsts.length === 0
    ? `no token in ${runs}`
    : `${range(firsts)}: ${atFirst({ firsts, ...row })} of ${runs}`
}

/**
 * How many are let in by a press, of those that were asked for it. A press has to reach 0.5 everywhere, and the page of the evaluation
 * asks no more than at first; a token between the two was never seen.
 */
function pressedCell(row) {
  if (!row.stepped) return '–'
  const passed = row.most >= THRESHOLD ? row.passed - atFirst(row) : 0
  return `${passed} of ${row.stepped}`
}

/** The same browser at a form, and how the evaluation calls it where that is another name. */
function formCells(row, name) {
  if (row === undefined) return ['–', '–']
  const other = row.name === name ? '' : ` (${row.name})`
  return [`${firstCell(row)}${other}`, pressedCell(row)]
}

/** What each browser without a touch gets at the gate, people first, and the same one at a form. */
export function gateTable(rows) {
  const named = (name) => rows.find((row) => row.name === name)
  const visitors = rows.filter(({ name }) => name.startsWith(UNTOUCHED))
  const body = visitors.map((row) => {
    const name = row.name.slice(UNTOUCHED.length)
    return [
      row.kind === 'person' ? `a person: ${name}` : name,
      firstCell(row),
      pressedCell(row),
      ...formCells(named(AT_FORM[name] ?? name), name),
    ]
  })
  return markdownTable(
    [
      'Browser',
      `Gate, silently, at ${SILENT_THRESHOLD}`,
      'Gate, by the press',
      `Form, at first, at ${THRESHOLD}`,
      'Form, by the step',
    ],
    body,
  )
}
