import { markdownTable, tally, textTable, two } from '../stand/tables.mjs'

const DASH = '–'
const number = (n, digits = 0) =>
  n === undefined ? DASH : n.toLocaleString('en', { maximumFractionDigits: digits })
const score = (row) => (row.scores ? row.scores.map(two).join(' / ') : DASH)

/** Rows that have a price, the cheapest first, then rows that got no token. */
function cheapestFirst(rows) {
  const price = (row) => row.cpuSecondsForThousand ?? Infinity
  return rows.filter(({ seconds }) => seconds !== undefined).sort((a, b) => price(a) - price(b))
}

const COLUMNS = {
  Attacker: ({ name }) => name,
  Accepted: ({ accepted, asked }) => `${accepted} of ${asked}`,
  Score: score,
  'CPU s / 1,000': ({ cpuSecondsForThousand }) => number(cpuSecondsForThousand),
  'Units / token': ({ unitsForOne }) => number(unitsForOne),
  'Minutes / 1,000': ({ minutesForThousand }) => number(minutesForThousand, 1),
  Addresses: ({ addresses }) => number(addresses),
  'People refused': ({ people }) => (people ? `${people.refused} of ${people.asked}` : DASH),
}
const HEAD = Object.keys(COLUMNS)
const cells = (row) => Object.values(COLUMNS).map((cell) => cell(row))

/** For a terminal: the cheapest first; then findings that are no price. */
export const inColumns = (rows) =>
  [textTable(HEAD, cheapestFirst(rows).map(cells)), '', ...rows.flatMap(finding)].join('\n')

const schoolText = ({ asked, accepted, school }) =>
  `${accepted} of ${asked} pass, the least score is ${school.leastScore.toFixed(2)}; ${school.waitedForTurn} waited for their turn, ${school.longestTurn} s at the longest; with the work of their devices half waited ${school.medianWait} s or less, the last one ${school.longestWait} s, and ${Math.round(school.overFiveSeconds * 100)} % for more than 5 s; the most that was asked for are ${number(school.mostUnits)} units`

/** A score, or why there is none; and for how long the visitor waited its turn before. */
const victimText = ({ score: scored, code, waited } = {}) =>
  `${scored === undefined ? (code ?? DASH) : two(scored)}${waited ? ` after ${Math.round(waited)} s` : ''}`

function finding(row) {
  const { name, oracle, victims, challenges, school } = row
  if (school) return [`${name}: ${schoolText(row)}`]
  if (oracle)
    return [
      `${name}: ${(oracle.share * 100).toFixed(0)} % of ${challenges} challenges told rightly, by ${oracle.field}`,
    ]
  if (!victims) return []
  const told = Object.keys(victims.before).map((who) => {
    const values = Object.values(victims).map((each) => victimText(each[who]))
    return `${who} ${values.join(' → ')}`
  })
  return [`${name}: ${told.join('; ')}`]
}

/** Dollars that an hour of a rented core costs. */
const CORE_HOUR = 0.02
const dollars = (row) => ((row.cpuSecondsForThousand / 3600) * CORE_HOUR).toFixed(4)

/** The least that any row pays for a token, second tries included: for docs/design/price-list.md and SECURITY.md. */
export function lowestPrice(list) {
  const [lowest, ...rest] = cheapestFirst(merged(list))
  const whole = rest.find(({ unitsForOne }) => unitsForOne >= 18_432)
  return `The lowest price that a program of ours pays is $${dollars(lowest)} for a thousand tokens (${number(lowest.cpuSecondsForThousand)} CPU seconds at $${CORE_HOUR} a core hour, ${number(lowest.unitsForOne)} units of work each): ${lowest.what}.
With all of the work it is $${dollars(whole)} (${number(whole.cpuSecondsForThousand)} CPU seconds).`
}

/** The parts of docs/design/price-list.md, from lab/results/price-list.json. */
export function priceParts(list) {
  const rows = merged(list)
  // What gave itself away at first is told of the second try.
  const priced = cheapestFirst(rows).filter(({ name }) => !name.endsWith(' at first'))
  const priceRows = priced.map((row) => {
    const [name, ...figures] = cells(row)
    return [`${name}${row.length === 'short' ? '' : ' (ten minutes)'}`, row.what, ...figures]
  })
  const schools = rows.filter(({ school }) => school)
  const oracles = rows.filter(({ oracle }) => oracle)
  return {
    tokens: `${rows.length} rows were measured, ${commits(rows)}; the last on ${list.date}, on ${list.machine}, at loads of ${loadOf(rows)}.
One unit of work takes ${unitOf(rows)} µs there.

${markdownTable(['Attacker', 'Method', ...HEAD.slice(1)], priceRows)}`,
    lowest: lowestPrice(list),
    'second try': stepText(rows),
    neighbours: victimTable(rows),
    school: schools
      .map(
        (row) => `- ${row.length === 'short' ? 'The first 40 alone' : 'All'}: ${schoolText(row)}.`,
      )
      .join('\n'),
    oracle: oracles.flatMap((row) => finding(row).map((text) => `- ${text}.`)).join('\n'),
  }
}

/** What a second try after a low score costs a program, and what it is worth to one that gave itself away. */
function stepText(rows) {
  const [stepped, ...caught] = rows.filter(
    ({ name }) => name.startsWith('stepped') && name !== 'stepped, part',
  )
  const { inTurns, accepted, asked, unitsForOne, cpuSecondsForThousand } = stepped
  const told = caught.map(
    ({ name, ...row }) =>
      `${name.replace('stepped, ', '')} ${row.accepted} of ${row.asked} (score ${score(row)})`,
  )
  return `${accepted} of ${asked} pass, for ${number(unitsForOne)} units or ${number(cpuSecondsForThousand)} CPU s per 1,000. That is **${inTurns.units} times**
the work of an ordinary token and ${inTurns.cpu} times its CPU time, measured in turns, for the same score. Evidence against the first visit is carried
over. With the same forgery in the second visit, these pass: ${told.join('; ')}.`
}

/** One row for each network: each visitor's score before, after the junk and after the low scores. */
function victimTable(rows) {
  const attacked = rows.filter(({ victims }) => victims)
  const visitors = Object.keys(attacked[0]?.victims.before ?? {})
  const cell = ({ before, afterJunk, afterLow }, who) =>
    [before, afterJunk, afterLow].map((each) => victimText(each?.[who])).join(', ')
  return markdownTable(
    ['Network', ...visitors],
    attacked.map(({ name, victims, junkSolves, lowScores }) => [
      `${name.replace('neighbour in the ', '')} (${junkSolves} junk, ${lowScores} low)`,
      ...visitors.map((who) => cell(victims, who)),
    ]),
  )
}

const loadOf = (rows) => {
  const loads = rows.map(({ load }) => load).filter((load) => load !== undefined)
  return loads.length > 0 ? `${Math.min(...loads)} to ${Math.max(...loads)}` : 'not noted'
}

const unitOf = (rows) => {
  const costs = rows.map(({ unitMicroseconds }) => unitMicroseconds).filter((cost) => cost > 0)
  return number(costs.reduce((sum, cost) => sum + cost, 0) / costs.length, 1)
}

/** How many rows were measured at which commit. */
const commits = (rows) =>
  Object.entries(tally(rows.map(({ commit }) => commit)))
    .map(([commit, count]) => `${count} at commit ${commit}`)
    .join(', ')

/** One row for each attacker: of the long run where there is one. */
function merged({ short = [], full = [] }) {
  const long = new Map(full.map((row) => [row.name, { ...row, length: 'full' }]))
  const rows = short.map((row) => long.get(row.name) ?? { ...row, length: 'short' })
  return [
    ...rows,
    ...[...long.values()].filter(({ name }) => !short.some((row) => row.name === name)),
  ]
}
