import { pause } from '../../stand/processes.mjs'
import { keyboardUser, mouseUser, oneTap, touchUser } from '../forge.mjs'
import { patientVisit } from '../visit.mjs'
import { chrome, phone } from '../wire.mjs'

/** One IPv4 address, and all that sit behind it. */
const ADDRESS = '203.30.8.4'
/** Milliseconds: a third of the class signs in within the first minute, the rest by the end of the lesson. */
const MINUTE = 60_000
const LESSON = 10 * MINUTE
/** Pupils in turn: what they show, and how long they take for the form. */
const PUPILS = [
  { summary: keyboardUser, headers: chrome, patience: 6000 },
  { summary: mouseUser, headers: chrome, patience: 6000 },
  { summary: touchUser, headers: phone, patience: 6000 },
  { summary: mouseUser, headers: chrome, patience: 6000 },
  { summary: oneTap, headers: phone, patience: 2000 },
]

/**
 * Microseconds of a unit, all workers together (docs/design/work.md, "Difficulty"): of twenty devices one is a
 * cheap phone, five are notebooks of four slow cores, and the rest are ordinary.
 */
function deviceOf(number) {
  if (number % 20 === 19) return 76
  return number % 4 === 0 ? 12.5 : 5
}

/** When each pupil comes, in milliseconds. */
const arrivals = (early, all) =>
  Array.from({ length: all }, (_, i) =>
    i < early
      ? (i * MINUTE) / early
      : MINUTE + ((i - early) * (LESSON - MINUTE)) / Math.max(1, all - early),
  )

async function pupil({ service, aide }, number, comesAt) {
  await pause(comesAt)
  const result = await patientVisit(service, aide, {
    ...PUPILS[number % PUPILS.length],
    address: ADDRESS,
  })
  const work = ((result.n ?? 0) * deviceOf(number)) / 1e6
  return { ...result, turn: result.waited, wait: result.waited + work }
}

const share = (count, all) => Math.round((count / all) * 100) / 100
const tenth = (seconds) => Math.round(seconds * 10) / 10

/** People, and no attacker: what the defences against one busy address cost those who really sit there. */
export const SCHOOL = {
  name: 'school',
  what: '120 people behind one IPv4 address in ten minutes, 40 of them in the first; the short form has the 40 alone',
  async run(stage, short) {
    const [early, all] = short ? [40, 40] : [40, 120]
    const visits = await Promise.all(
      arrivals(early, all).map((at, number) => pupil(stage, number, at)),
    )
    const accepted = visits.filter((each) => each.accepted).length
    const waits = visits.map(({ wait }) => wait).sort((a, b) => a - b)
    return {
      asked: all,
      accepted,
      school: {
        waitedForTurn: visits.filter(({ turn }) => turn > 0).length,
        longestTurn: tenth(Math.max(...visits.map(({ turn }) => turn))),
        medianWait: tenth(waits[Math.floor(all / 2)]),
        longestWait: tenth(waits.at(-1)),
        overFiveSeconds: share(waits.filter((wait) => wait > 5).length, all),
        leastScore: Math.min(...visits.map(({ score = 0 }) => score)),
        mostUnits: Math.max(...visits.map(({ n = 0 }) => n)),
      },
    }
  },
}
