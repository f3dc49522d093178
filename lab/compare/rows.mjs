/** The rows of the comparison: what was found of each, and where we lose. */
import { median } from '../stand/tables.mjs'

/** Who waits for longer than this is counted. Milliseconds. */
export const LONG_MS = 2000

/** What programs are counted under, in the order of the table. */
export const KINDS = [
  'plain HTTP',
  'stock drivers',
  'drivers that hide',
  'agents',
  'robots without a driver',
]

const cell = (value, of, more = '') => ({ value, text: `${value} of ${of}${more}` })
const counted = (list, suits, more) => cell(list.filter(suits).length, list.length, more)
const number = (value, digits) => {
  const rounded = Number(value.toFixed(digits))
  return { value: rounded, text: rounded.toLocaleString('en') }
}

/**
 * How many of a kind were let in, of those whose form arrived. A visit without one is named, not counted: a busy machine brings it
 * about as well as a widget that gives no token.
 */
const passed = (kind) => (visits) => {
  const own = visits.filter((visit) => visit.kind === kind)
  if (own.length === 0) return undefined
  const arrived = own.filter(({ forms }) => forms > 0)
  const absent = own.length - arrived.length
  if (arrived.length === 0) return { text: `– (${absent} without a form)` }
  const more = absent > 0 ? ` (${absent} without a form)` : ''
  const { value, text } = counted(arrived, (visit) => visit.passed, more)
  // Not all bring a form everywhere, so shares are compared.
  return { value: value / arrived.length, text }
}

/** Forms of ten minutes, if the rest went on as the measured part did. */
function tenMinutes({ accepted, seconds }) {
  const value = Math.round((accepted * 600) / seconds)
  return { value, text: `${value} (${accepted} in ${seconds} s)` }
}

/** How many people wait for long. */
function waited(list) {
  const seconds = median(list.map(({ waitMs }) => waitMs)) / 1000
  return counted(list, ({ waitMs }) => waitMs > LONG_MS, `; median ${seconds.toFixed(1)} s`)
}

/** How many of some tokens were accepted more than once. */
function replayed({ twice, of, most, never }) {
  const often = twice > 0 ? `, up to ${most} times` : ''
  return cell(twice, of, `${often}${never > 0 ? `; ${never} not even once` : ''}`)
}
/** How many used tokens counted again after a fault, and how many that were out no longer count. */
const again = (found) => cell(found.again, found.of)
const lost = ({ out, kept }) => cell(out - kept, out)

/** `from`: the part of what was found that the row is made of; `of` makes the cell, and undefined where it does not apply. */
const row = (name, from, of, better = 'less') => ({ name, from, of, better })
/** The same question for a peer's default store, and for Redis. */
const both = (name, of) => [
  row(`${name}; default store`, 'alone', of),
  row(`${name}; two processes on Redis`, 'onRedis', of),
]
const ifAny = (found, of) => (found ? of(found) : undefined)

const VISITORS = [
  row('people who pass', 'visits', passed('people'), 'more'),
  ...KINDS.map((kind) => row(`programs that pass: ${kind}`, 'visits', passed(kind))),
  row('forms of one address flat out in ten minutes, extrapolated', 'flatOut', tenMinutes),
  row('the same, by a program that also forges what a browser says', 'forged', tenMinutes),
]

const COSTS = [
  row('people who wait more than 2 s, slow browser, form filled in for 5 s', 'slow', waited),
  row('people who wait more than 2 s, slow browser, sent at once', 'slowAtOnce', waited),
  row('presses of a visitor beside the form’s own', 'presses', (presses) => number(presses, 0)),
  row('bytes that a visit loads', 'fast', (visits) =>
    number(median(visits.map(({ bytes }) => bytes)), 0),
  ),
  row('seconds of the visitor’s processor, beyond the page’s own', 'fast', (visits) =>
    number(median(visits.map(({ more }) => more)), 1),
  ),
  row('ms of the server’s processor for a visit, store on Redis', 'cost', ({ ms }) =>
    number(ms, 1),
  ),
  row('ms of Redis’ processor for a visit', 'cost', ({ redisMs }) => number(redisMs, 2)),
]

const SINGLE_USE = [
  ...both('tokens accepted twice: sent again', (found) => replayed(found.again)),
  ...both('tokens accepted twice: sent twenty times at once', (found) => replayed(found.atOnce)),
  ...both('work that gave several forms: handed in twenty times at once', (found) =>
    replayed(found.handedIn),
  ),
  row('tokens accepted twice: at another process on the same Redis', 'onRedis', (found) =>
    replayed(found.atSecond),
  ),
  row('tokens accepted twice: after a restart; default store', 'alone', (found) =>
    again(found.restarted),
  ),
  row('tokens accepted twice: after an older copy of the file; default store', 'alone', (found) =>
    ifAny(found.restored, again),
  ),
  row('tokens accepted twice: after Redis was emptied', 'onRedis', (found) => again(found.emptied)),
  row('tokens accepted twice: after Redis was restored from an older copy', 'onRedis', (found) =>
    again(found.restored),
  ),
  row('tokens accepted twice: after Redis was stopped and came back empty', 'onRedis', (found) =>
    again(found.stopped),
  ),
  row('used tokens accepted while Redis is away', 'onRedis', ({ stopped }) =>
    cell(stopped.away, stopped.of),
  ),
  row('people refused whose token was out: restart; default store', 'alone', (found) =>
    lost(found.restarted),
  ),
  row('people refused whose token was out: Redis emptied', 'onRedis', (found) =>
    lost(found.emptied),
  ),
  row('people refused whose token was out: Redis restored', 'onRedis', (found) =>
    lost(found.restored),
  ),
]

/** Figures that differ by less than a twentieth are called alike, which is noise here. */
const NOISE = 0.05

/** Says of us beside the best of the others: `loses`, `alike` or `wins`. */
export function standing(values, better) {
  const [ours, ...others] = values
  const known = others.filter((value) => value !== undefined)
  if (ours === undefined || known.length === 0) return 'alike'
  const best = better === 'less' ? Math.min(...known) : Math.max(...known)
  const ahead = better === 'less' ? best - ours : ours - best
  if (Math.abs(ahead) <= NOISE * Math.max(Math.abs(best), Math.abs(ours))) return 'alike'
  return ahead < 0 ? 'loses' : 'wins'
}

const ORDER = ['loses', 'alike', 'wins']

const ROWS = [...VISITORS, ...COSTS, ...SINGLE_USE]
/** How the rows are called, whatever was measured. */
export const NAMES = ROWS.map(({ name }) => name)

/** All rows, those where we lose first. @param found of each contender, ours first; a part that could not be measured is absent */
export function rowsOf(found) {
  const rows = ROWS.map(({ name, better, from, of }) => {
    const cells = found.map((each) => (from in each ? of(each[from]) : undefined))
    const values = cells.map((each) => each?.value)
    return { name, better, standing: standing(values, better), cells }
  })
  return rows
    .filter(({ cells }) => cells.some(Boolean))
    .toSorted((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing))
}
