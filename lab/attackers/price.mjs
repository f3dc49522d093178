import { median } from '../stand/tables.mjs'

const round = (n, digits) => Number(n.toFixed(digits))
const spread = (list) => [Math.min(...list), median(list), Math.max(...list)]

/** Makes a row of the list from the outcome of a run. */
export function priced({ name, what, standsFor }, outcome) {
  const { asked, accepted, seconds, cpuSeconds, unitMicroseconds, unitsDone = 0, ...more } = outcome
  const { scores = [], units = [], ...rest } = more
  const row = {
    name,
    what,
    cpuSeconds: round(cpuSeconds, 2),
    unitMicroseconds: round(unitMicroseconds, 1),
  }
  if (seconds === undefined) return { ...row, ...(asked && { asked, accepted }), ...findings(rest) }
  const took = standsFor ?? seconds
  return {
    ...row,
    asked,
    accepted,
    challenges: rest.challenges,
    addresses: rest.addresses,
    seconds: round(took, 1),
    refusals: rest.refusals,
    ...(scores.length > 0 && { scores: spread(scores) }),
    ...(rest.inTurns && { inTurns: rest.inTurns }),
    ...(rest.firsts && { firsts: spread(rest.firsts) }),
    ...(units.length > 0 && { units: spread(units) }),
    ...(accepted > 0 && priceOf({ accepted, cpuSeconds, unitsDone, seconds: took })),
  }
}

const priceOf = ({ accepted, seconds, cpuSeconds, unitsDone }) => ({
  cpuSecondsForThousand: round((cpuSeconds / accepted) * 1000, 1),
  minutesForThousand: round(((seconds / accepted) * 1000) / 60, 1),
  /** Units of work that were done for one token: counted, so that it does not depend on the machine or its load. */
  unitsForOne: Math.round(unitsDone / accepted),
})

const findings = ({ victims, junkSolves, lowScores, oracle, challenges, school }) => ({
  ...(victims && { victims, junkSolves, lowScores }),
  ...(oracle && { oracle, challenges }),
  ...(school && { school }),
})

/** The work of a visit may fall by so much between runs of the same code. */
const MAY_FALL = 0.1
/** So much of what an oracle tells rightly is chance. */
const ORACLE_MAY_RISE = 0.15
/** Standard deviations by which the share that passes may rise, and so much in any case: short runs have 12 to 250 visits. */
const DEVIATIONS = 3
const MAY_RISE = 0.02
/** The most of a school that may wait for more than five seconds. */
const MAY_WAIT = 0.25
/** So many times the work of an ordinary token a stepped one has to take. */
const STEP_AT_LEAST = 8
/** The default threshold of a site. */
const THRESHOLD = 0.5

const share = ({ asked, accepted }) => (asked ? accepted / asked : 0)

/** The share from which on more pass than chance explains, where so many passed before. */
function mostByChance(row, was) {
  const visits = Math.min(row.asked ?? 1, was.asked ?? 1)
  const p = Math.max(share(was), 1 / visits)
  return share(was) + Math.max(MAY_RISE, DEVIATIONS * Math.sqrt((p * (1 - p)) / visits))
}

/**
 * Units of work for one visit, accepted or not. With the share that is accepted it makes the price; apart, each can be
 * compared, while a price that few tokens stand for is chance.
 */
const unitsForVisit = (row) =>
  row.unitsForOne === undefined ? undefined : Math.round(row.unitsForOne * share(row))

/**
 * Names the rows in which a visit takes less work by more than a tenth, more pass than by chance, more is given away, or a
 * person beside the attacker is refused who was not. `written` has the rows of the same
 * length of run.
 */
export function fallenPrices(rows, written) {
  const earlier = new Map(written.map((row) => [row.name, row]))
  return rows.flatMap((row) => {
    const was = earlier.get(row.name)
    return was === undefined ? [] : worse(row, was).map((text) => `${row.name}: ${text}`)
  })
}

function* differences(row, was) {
  if (unitsForVisit(row) < unitsForVisit(was) * (1 - MAY_FALL))
    yield `a visit costs ${unitsForVisit(row)} units of work; it was ${unitsForVisit(was)}`
  if (share(row) > mostByChance(row, was))
    yield `${row.accepted} of ${row.asked} accepted; it was ${was.accepted} of ${was.asked}`
  if (row.oracle?.share > was.oracle?.share + ORACLE_MAY_RISE)
    yield `an oracle tells ${row.oracle.share} rightly; it was ${was.oracle.share}`
  if (row.inTurns?.units < STEP_AT_LEAST)
    yield `a stepped token takes ${row.inTurns.units} times the work of an ordinary one; it has to be ${STEP_AT_LEAST}`
  if (row.school) yield* schoolFaults(row)
  yield* lostVictims(row.victims ?? {}, was.victims ?? {})
}

function* schoolFaults({ asked, accepted, school }) {
  if (accepted < asked) yield `${accepted} of ${asked} people behind one address pass`
  if (school.overFiveSeconds > MAY_WAIT)
    yield `${school.overFiveSeconds * 100} % of a school wait for more than five seconds`
}

/** People beside the attacker who are refused now and were not, by the moment of the attack. */
function* lostVictims(victims, before) {
  for (const [moment, scores] of Object.entries(victims))
    for (const [who, { score = 0 }] of Object.entries(scores)) {
      const earlier = before[moment]?.[who]?.score ?? 0
      if (score < THRESHOLD && earlier >= THRESHOLD)
        yield `${who} scores ${score} (${moment}); it was ${earlier}`
    }
}

const worse = (row, was) => [...differences(row, was)]
