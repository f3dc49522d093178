import { keyboardUser, oneTap, touchUser } from '../forge.mjs'
import { askFor, call, patientVisit, visit } from '../visit.mjs'
import { chrome, phone } from '../wire.mjs'
import { junk } from '../work.mjs'

/** The people of the evaluation who show least; `patience` in milliseconds, so that their claims are true. */
const VICTIMS = [
  { name: 'keyboard only', summary: keyboardUser, headers: chrome, patience: 6000 },
  { name: 'touch', summary: touchUser, headers: phone, patience: 6000 },
  { name: 'one tap', summary: oneTap, headers: phone, patience: 2000 },
  { name: 'low power', summary: keyboardUser, headers: chrome, patience: 6000, share: 1 / 4 },
]
const LANES = 16

/**
 * Where the attackers sit, and their victims: the number is the visitor's. `scorer`: who scores low; left out: an attacker.
 * The four of the /24 have asked for so much that each of their visits takes seconds of work.
 */
const PLACES = [
  {
    place: '/24',
    attacker: (i) => `203.40.5.${1 + (i % 4)}`,
    scorer: (i) => `203.40.5.${50 + (i % 40)}`,
    victim: (i) => `203.40.5.${200 + i}`,
  },
  {
    place: '/56',
    attacker: (i) => `2001:db8:50:${(0x1100 + (i % 16)).toString(16)}::1`,
    victim: (i) => `2001:db8:50:11${(0xf0 + i).toString(16)}::1`,
  },
  {
    place: '/48',
    attacker: (i) => `2001:db8:51:${(i % 4096).toString(16)}::1`,
    victim: (i) => `2001:db8:51:${(0xff00 + i).toString(16)}::1`,
  },
]

/** Scores of all victims, each from an address of its own. */
async function victimScores(stage, addressOf) {
  const scores = await Promise.all(
    VICTIMS.map(async ({ name, ...attempt }, i) => {
      const result = await patientVisit(stage.service, stage.aide, {
        ...attempt,
        address: addressOf(i),
      })
      const { accepted, score, code, n, waited } = result
      return [
        name,
        { score, accepted, ...(code && { code }), units: n, ...(waited > 0 && { waited }) },
      ]
    }),
  )
  return Object.fromEntries(scores)
}

/**
 * Counts the people who are refused after an attack: those who show least, as strangers and at the attacker's address.
 * Without an address, strangers only.
 */
export async function refusedBeside(stage, address) {
  const places = [(i) => `198.18.${i}.7`, ...(address === undefined ? [] : [() => address])]
  const verdicts = (
    await Promise.all(places.map((addressOf) => victimScores(stage, addressOf)))
  ).flatMap((scores) => Object.values(scores))
  return { asked: verdicts.length, refused: verdicts.filter(({ accepted }) => !accepted).length }
}

/** Solutions of the right shape without work, as fast as the addresses allow. */
async function sendJunk({ service }, count, addressOf) {
  let sent = 0
  let answered = 0
  const lane = async () => {
    while (sent < count) {
      const address = addressOf(sent++)
      const { status, body } = await askFor(service, address)
      if (status !== 200) continue
      const fields = { challenge: body.challenge, solution: junk(body.work), signals: '{}' }
      await call(service, 'solve', fields, { address })
      answered++
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return answered
}

/** Solves with all the work whose summaries show nothing, so that they score low. */
async function sendLow(stage, count, addressOf) {
  for (let i = 0; i < count; i++)
    await visit(stage.service, stage.aide, {
      address: addressOf(i),
      summary: () => ({}),
      patience: 0,
      proof: 'absent',
    })
}

export const NEIGHBOURS = PLACES.map(({ place, attacker, scorer = attacker, victim }) => ({
  name: `neighbour in the ${place}`,
  what: `junk solutions from the ${place}, then low scores: scores of the people there who show least`,
  isQuick: place === '/24',
  async run(stage, short) {
    const before = await victimScores(stage, victim)
    const junkSolves = await sendJunk(stage, short ? 220 : 1000, attacker)
    const afterJunk = await victimScores(stage, (i) => victim(i + 4))
    const lowScores = short ? 40 : 200
    await sendLow(stage, lowScores, scorer)
    const afterLow = await victimScores(stage, (i) => victim(i + 8))
    return { junkSolves, lowScores, victims: { before, afterJunk, afterLow } }
  },
}))
