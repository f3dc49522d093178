import { ADDRESSES, outcomeOf } from '../campaign.mjs'
import { mouseUser } from '../forge.mjs'
import { visit } from '../visit.mjs'

const FORGED = { summary: mouseUser, patience: 5000 }
/** A press of the step's button that nobody made. */
const PRESS = { pressed: 1, waited: 3400 }
const SECOND = { summary: (work, ms) => ({ ...mouseUser(work, ms), step: PRESS }), patience: 5000 }
/** Every low score of this site carries a ticket: the kindest setting for whoever wants a second try. */
const policy = { step_up: 'ticket' }

/** A first visit that fails, and the second try that its ticket allows. */
async function secondTry({ service, aide }, address, first, second = {}) {
  const failed = await visit(service, aide, { address, patience: 0, ...first })
  if (failed.stepUp === undefined)
    return { ...failed, first: failed.score, unitsDone: failed.n ?? 0 }
  const tried = await visit(service, aide, { address, ...SECOND, ...second, ticket: failed.stepUp })
  const done = failed.n * (first.share ?? 1) + tried.n * (second.share ?? 1)
  return { ...tried, first: failed.score, unitsDone: done }
}

/** A second try is two challenges, and costs the work of both. */
const triesOf = (visits, addresses, began) => ({
  ...outcomeOf(visits),
  challenges: visits.length * 2,
  units: visits.map(({ unitsDone }) => unitsDone),
  firsts: visits.map(({ first }) => first),
  seconds: (performance.now() - began) / 1000,
  addresses,
})

/** CPU seconds of this process while it makes a visit. */
async function withCpu(making) {
  const from = process.cpuUsage()
  const result = await making
  const { user, system } = process.cpuUsage(from)
  return { result, cpu: (user + system) / 1e6 }
}

/** The least work of a second try: a quarter in both visits. */
const PARTS = { first: { summary: () => ({}), share: 1 / 4 }, second: { share: 1 / 4 } }

const TURNS = { short: 6, full: 40 }
const NOTHING_SHOWN = { summary: () => ({}) }

/** First visits of an emulator that speak against it: their second try is a perfect forgery. */
const FAILURES = [
  { name: 'no proof', what: 'no answer to the proof', first: { ...FORGED, proof: 'absent' } },
  {
    name: 'wrong answers',
    what: 'wrong answers to the proof',
    first: { ...FORGED, proof: 'wrong' },
  },
]

export const STEPS = [
  {
    name: 'stepped',
    what: 'a first visit that shows nothing, then the step with its press forged, all the work and right answers; in turns with ordinary visits',
    isQuick: true,
    policy,
    async run(stage, short) {
      const turns = short ? TURNS.short : TURNS.full
      const addresses = ADDRESSES.networks(turns * 2)
      const began = performance.now()
      const visits = []
      const ordinary = { units: 0, cpu: 0, accepted: 0 }
      let stepped = 0
      for (let turn = 0; turn < turns; turn++) {
        const usual = await withCpu(
          visit(stage.service, stage.aide, { address: addresses[turn * 2], ...FORGED }),
        )
        ordinary.units += usual.result.n ?? 0
        ordinary.cpu += usual.cpu
        ordinary.accepted += Number(usual.result.accepted)
        const tried = await withCpu(secondTry(stage, addresses[turn * 2 + 1], NOTHING_SHOWN))
        visits.push(tried.result)
        stepped += tried.cpu
      }
      const outcome = triesOf(visits, turns, began)
      const times = (one, other) =>
        Math.round((one / outcome.accepted / (other / ordinary.accepted)) * 10) / 10
      return {
        ...outcome,
        // The price is of the stepped tokens alone.
        otherCpuSeconds: -ordinary.cpu,
        inTurns: {
          units: times(outcome.unitsDone, ordinary.units),
          cpu: times(stepped, ordinary.cpu),
        },
      }
    },
  },
  {
    name: 'stepped, part',
    what: 'a first visit that shows nothing and does a quarter of the work, then the step with its press forged and a quarter of its work',
    policy,
    async run(stage, short) {
      const addresses = ADDRESSES.networks(short ? 4 : 20)
      const began = performance.now()
      const visits = await Promise.all(
        addresses.map((address) => secondTry(stage, address, PARTS.first, PARTS.second)),
      )
      return triesOf(visits, addresses.length, began)
    },
  },
  ...FAILURES.map(({ name, what, first }) => ({
    name: `stepped, ${name} at first`,
    what: `a first visit with ${what}, then the step as above`,
    policy,
    async run(stage, short) {
      const addresses = ADDRESSES.networks(short ? 4 : 20)
      const began = performance.now()
      const visits = await Promise.all(addresses.map((address) => secondTry(stage, address, first)))
      return triesOf(visits, addresses.length, began)
    },
  })),
]
