import { markdownTable, textTable, two } from '../stand/tables.mjs'

const DASH = '–'
const number = (n, digits = 0) => (n === undefined ? DASH : n.toLocaleString('en', { maximumFractionDigits: digits }))
const score = (row) => (row.scores ? row.scores.map(two).join(' / ') : DASH)

/**
 * Rows that have a price, the cheapest first, then rows that got no token.
 *
 * @param {readonly any[]} rows
 * @returns {any[]}
 */
export function cheapestFirst(rows) {
  const price = (row) => row.cpuSecondsForThousand ?? Infinity
  return rows.filter(({ seconds }) => seconds !== undefined).sort((a, b) => price(a) - price(b))
}

const HEAD = [
  'Attacker',
  'Accepted',
  'Score',
  'CPU s / 1,000',
  'Units / token',
  'Minutes / 1,000',
  'Addresses',
  'People refused',
]
const cells = (row) => [
  row.name,
  `${row.accepted} of ${row.asked}`,
  score(row),
  number(row.cpuSecondsForThousand),
  number(row.unitsForOne),
  number(row.minutesForThousand, 1),
  number(row.addresses),
  row.people ? `${row.people.refused} of ${row.people.asked}` : DASH,
]

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

/**
 * The page docs/design/price-list.md.
 *
 * @param {object} list the contents of lab/results/price-list.json
 */
export function pricePage(list) {
  const rows = merged(list)
  const priceRows = cheapestFirst(rows).map((row) => {
    const [name, ...figures] = cells(row)
    return [`${name}${row.length === 'short' ? '' : ' (ten minutes)'}`, row.what, ...figures]
  })
  return `# Price list

<!-- Written by \`npm run attack\`; do not edit. -->

The source of this service is public, so everything that a browser says can be forged by somebody who reads it. That
somebody is not kept out; a token costs them something, and this page says what. Each row is a program of
\`lab/attackers/\` that attacks a service with default settings on loopback, the cheapest first. The visitor's
address is the one that a trusted proxy names, so that one machine can play a thousand networks.

- **Accepted** counts visits whose token the customer's \`siteverify\` accepted, of those that were not told to wait.
- **Score** is the least, the median and the largest.
- **CPU s** is the CPU time of the attacker's own process for 1,000 accepted tokens. Proofs are answered with the
  service's own keys, which no emulator can do for less, so the prices are a lower bound; the hybrid row pays for a real
  engine. A written emulator adds 2 to 4 ms for each token.
- **Minutes** is the wall clock for 1,000 accepted tokens at the rate of the run, with the addresses that are named. It
  depends on what else the machine does (\`load\` in the results: ${loadOf(rows)}); CPU time hardly does.
  On a busy machine a source that is flat out makes fewer visits in ten minutes, so its work rises less: on an idle one it
  gets more tokens, and each of them costs more ([computed](work.md#the-rise-with-the-rate) for whole cores).
- Rows without "ten minutes" come from the short form of some hundred visits. The work of a source rises with its visits
  of the last ten minutes, so a short run of a source that is flat out shows a lower price than ten minutes of it.
- An "ordinary rate" is all that one source gets in ten minutes without a rise of the work; the minutes say so.
- **People refused** counts the people who show least (keyboard only, touch, one tap, a slow device that hands in a quarter of
  the work) and are refused after the attack: four strangers, and four at an address of the attacker.

Measured ${list.date}, commit ${list.commit}, on ${list.machine}. One unit of work takes ${unitOf(rows)} µs there.${notes(list)}

## Tokens

${markdownTable(['Attacker', 'Method', ...HEAD.slice(1)], priceRows)}

An ordinary phone pays beside it: 18,432 units are 0.37 s of its two workers, 0.7 s of core time; a cheap one takes 1.4 s, 2.8 s of core
time for its one token, twenty times what the attacker of this page spends ([work.md](work.md)). What the defences against replays
stop is a whole recording; cut to three numbers it is nobody's, and costs what every token costs.

## A second try

${stepText(rows)}

## People beside an attacker

The attacker sends solutions without work, then solves with work that score low, all from one network. Visitors of the
same network who show least are scored before, after the first and after the second.

${markdownTable(['Network', 'Visitor', 'Before', 'After junk', 'After low scores'], victimRows(rows))}

## A school behind one address

People and a script behind one address differ by what they spend alone, so the work follows the rate. 120 people sign in within
ten minutes, 40 of them in the first; each waits its turn as the widget does, with the devices of
\`lab/attackers/kinds/school.mjs\`, of which one in twenty is a cheap phone.

${rows
  .filter(({ school }) => school)
  .map((row) => `- ${row.length === 'short' ? 'The first 40 alone' : 'All'}: ${schoolText(row)}.`)
  .join('\n')}

## What answers give away

${rows
  .filter(({ oracle }) => oracle)
  .flatMap((row) => finding(row).map((text) => `- ${text}.`))
  .join('\n')}

## Run it

\`\`\`
npm run attack -- --help
npm run attack -- --short --check
\`\`\`

\`--check\` fails if a visit takes a tenth less work, or if more visits pass than chance explains: the two make the price. Work is
counted in units, so that a slow or busy machine does not fail. \`.ci/run\` does so with \`--quick\`.
`
}

/** What a second try after a low score costs a program, and what it is worth to one that gave itself away. */
function stepText(rows) {
  const [stepped, ...caught] = rows.filter(({ name }) => name.startsWith('stepped'))
  if (!stepped?.inTurns) return 'Not measured yet.'
  const { inTurns, accepted, asked, unitsForOne, cpuSecondsForThousand } = stepped
  const told = caught.map(
    ({ name, ...row }) => `${name.replace('stepped, ', '')} ${row.accepted} of ${row.asked} (score ${score(row)})`,
  )
  return `A low score can be followed by the step ([refused.md](../widget/refused.md)). The program's first visit shows nothing; in the second it
forges the press and a whole person. ${accepted} of ${asked} pass, for ${number(unitsForOne)} units or ${number(cpuSecondsForThousand)} CPU s per 1,000: **${inTurns.units} times** the work of
an ordinary token, ${inTurns.cpu} times its CPU time, measured in turns. An ordinary forgery of the same program costs less and scores no less: the step
is worth nothing to it. Evidence against the first visit is carried over. With the same forgery in the second visit, these pass: ${told.join('; ')}.`
}

function victimRows(rows) {
  return rows
    .filter(({ victims }) => victims)
    .flatMap(({ name, victims, junkSolves, lowScores }) =>
      Object.keys(victims.before).map((who) => {
        const cell = (each) => victimText(each?.[who])
        return [
          `${name.replace('neighbour in the ', '')} (${junkSolves} junk, ${lowScores} low)`,
          who,
          cell(victims.before),
          cell(victims.afterJunk),
          cell(victims.afterLow),
        ]
      }),
    )
}

const loadOf = (rows) => {
  const loads = rows.map(({ load }) => load).filter((load) => load !== undefined)
  return loads.length > 0 ? `${Math.min(...loads)} to ${Math.max(...loads)} here` : 'not noted'
}

const unitOf = (rows) => {
  const costs = rows.map(({ unitMicroseconds }) => unitMicroseconds).filter((cost) => cost > 0)
  return number(costs.reduce((sum, cost) => sum + cost, 0) / costs.length, 1)
}

/** Notes that rows carry, each once with its rows. */
function notes(list) {
  const texts = new Map()
  for (const { name, note } of merged(list)) if (note) texts.set(note, [...(texts.get(note) ?? []), name])
  return [...texts].map(([note, names]) => `\n${note}: ${names.join('; ')}.`).join('')
}

/** One row for each attacker: of the long run where there is one. */
function merged({ short = [], full = [] }) {
  const long = new Map(full.map((row) => [row.name, { ...row, length: 'full' }]))
  const rows = short.map((row) => long.get(row.name) ?? { ...row, length: 'short' })
  return [...rows, ...[...long.values()].filter(({ name }) => !short.some((row) => row.name === name))]
}
