/**
 * What the rise of the work costs a script and people, without a network and without work: the service's own counters,
 * budgets and rule at simulated seconds. rise.test.ts holds what comes of it.
 */
import { unitsAtLevel } from '../../../src/domain/challenge.ts'
import { memoryCounters } from '../../../src/store/counters.ts'
import { history } from '../../../src/store/history.ts'
import { placesOf, visitWindows } from '../../../src/store/limits.ts'
import { isOutpaced, levelOf } from '../../../src/work/difficulty.ts'

/** Seconds: how long the sources of the price list go on. */
const TEN_MINUTES = 600
/** A bucket of history begins here. */
const BEGIN = 1_800_000_000
const STEP = 0.25
/** Seconds of CPU time of one unit, and of the rest of a visit, as `npm run attack` measured them. */
const UNIT = 8.3e-6
const REST = 0.008
/** Seconds that a challenge lives, and that a person takes from the challenge to the solve beside the work. */
const LIFE = 600
const FORM = 10

/** Microseconds of a unit, all workers together: the school's devices, and a carrier's telephones. */
export const DEVICES = {
  school: (number) => (number % 20 === 19 ? 76 : number % 4 === 0 ? 12.5 : 5),
  carrier: (number) => (number % 10 === 9 ? 76 : number % 2 === 1 ? 20 : 12.5),
}

/**
 * Where visits come from.
 *
 * @typedef {{ family: 4 | 6, addresses: number }} Source the addresses of one network, used in turns
 */

/** An address mark: 8 letters of the network, 4 of the /56, 10 of the address. */
const markOf = ({ family }, number) =>
  `${family === 4 ? 'network4' : 'network6'}${(family === 4 ? number : number % 256).toString(36).padStart(4, '0')}${number.toString(36).padStart(10, '0')}`

/** A service that has seen nobody; `phase`: seconds since history's bucket began. */
function serviceOf(work, phase) {
  let seconds = 0
  const now = () => BEGIN + phase + Math.floor(seconds)
  const log = { info() {}, warn() {}, error() {} }
  const known = history(memoryCounters(), log)
  const rate = { points: 18, per: 60 }
  const windows = new Map()
  const calm = { recent: 0, usual: 0 }
  const place = { sitekey: 'hv_site_simulated', action: undefined }
  let solves = 0

  /** Takes two halves of a visit from a window that begins with its first. @returns seconds to wait; 0: taken. */
  function takeFrom(name, { points, seconds: length }) {
    if ((windows.get(name)?.endsAt ?? 0) <= seconds) windows.set(name, { endsAt: seconds + length, taken: 0 })
    const window = windows.get(name)
    window.taken += 2
    return window.taken > points ? window.endsAt - seconds : 0
  }
  /** What the service's limiter does when a solution was found right; here, before it is worked for. */
  function waitOf(who) {
    for (const [name, times] of placesOf(who)) {
      const { steady, burst } = visitWindows(rate, times)
      const wait = takeFrom(`steady ${name}`, steady)
      if (wait > 0 && takeFrom(`burst ${name}`, burst) > 0) return wait
    }
    return 0
  }

  return {
    at: (time) => void (seconds = time),
    /** @returns the units that are asked for, or the seconds to wait. */
    async ask(source, mark) {
      const wait = waitOf(`${source.family}${mark}`)
      if (wait > 0) return { wait: Math.ceil(wait) }
      return { units: unitsAtLevel(levelOf(work, await known.near(mark, now()), calm)) }
    },
    /** @returns whether it is accepted; else a new challenge has to be asked for. */
    async solve(mark, units) {
      const jti = (++solves).toString(36).padStart(8, '0')
      const near = await known.solved(mark, { jti, place, behaviour: undefined, isPart: false }, now())
      return !isOutpaced({ a: 's32.1', n: units }, work, near)
    },
  }
}

/** Seconds: how a script asks, as it works, all that it gets at once, or for minutes before it begins to work. */
export const SCRIPTS = {
  'asks as it works': { holds: 2, worksFrom: 0 },
  'asks first': { holds: Infinity, worksFrom: 0 },
  hoards: { holds: Infinity, worksFrom: 240 },
}

/**
 * A script that is flat out for ten minutes, the cheapest challenge first. It knows the rule: when one is refused because it
 * asked for too little, it drops all that asked for no more.
 *
 * @param {{ work: any, source: Source, script: { holds: number, worksFrom: number }, cores: number, phase: number }} plan
 *   `cores`: that it has for itself; fractions too
 * @returns {Promise<{ accepted: number, cpuSecondsForThousand: number }>}
 */
export async function flatOut({ work, source, script, cores, phase }) {
  const service = serviceOf(work, phase)
  const threads = Array.from({ length: Math.ceil(cores) }, () => ({ free: 0, does: undefined }))
  let held = []
  let asked = 0
  let [accepted, cpu] = [0, 0]
  for (let time = 0; time < TEN_MINUTES; time += STEP) {
    service.at(time)
    while (held.length < script.holds) {
      const mark = markOf(source, asked % source.addresses)
      const { units } = await service.ask(source, mark)
      if (units === undefined) break
      asked++
      held.push({ mark, units, until: time + LIFE })
    }
    held = held.filter(({ until }) => until > time).sort((one, other) => one.units - other.units)
    for (const thread of threads)
      while (thread.free <= time) {
        if (thread.does) {
          const { mark, units, seconds } = thread.does
          if (await service.solve(mark, units)) accepted++
          else held = held.filter((each) => each.units > units)
          cpu += seconds
        }
        thread.does = time < script.worksFrom ? undefined : held.shift()
        if (!thread.does) break
        thread.does.seconds = thread.does.units * UNIT + REST
        thread.free = Math.max(thread.free, time - STEP) + (thread.does.seconds * threads.length) / cores
      }
  }
  return { accepted, cpuSecondsForThousand: Math.round((cpu / accepted) * 1000) }
}

/**
 * People who come once each and wait for the work of their device, or for their turn.
 *
 * @param {{ work: any, source: Source, arrivals: readonly number[], device: (number: number) => number, phase: number }} plan
 *   `arrivals`: seconds, rising; `device`: microseconds of a unit
 */
export async function crowd({ work, source, arrivals, device, phase }) {
  const service = serviceOf(work, phase)
  const waits = []
  const events = arrivals.map((at, number) => ({ at, number }))
  const later = (event) => {
    const place = events.findIndex(({ at }) => at > event.at)
    events.splice(place < 0 ? events.length : place, 0, event)
  }
  while (events.length > 0) {
    const { at, number, waited = 0, does } = events.shift()
    service.at(at)
    if (does !== undefined && (await service.solve(does.mark, does.units))) {
      waits.push(waited)
      continue
    }
    const place = markOf(source, number % source.addresses)
    const { units, wait } = await service.ask(source, place)
    if (units === undefined) {
      later({ at: at + wait, number, waited: waited + wait })
      continue
    }
    const seconds = (units * device(number)) / 1e6
    // Who has to work again has filled in the form already.
    const form = does === undefined ? FORM : 0
    later({ at: at + form + seconds, number, waited: waited + seconds, does: { mark: place, units } })
  }
  waits.sort((one, other) => one - other)
  return {
    people: waits.length,
    overFiveSeconds: waits.filter((wait) => wait > 5).length / waits.length,
    medianWait: waits[Math.floor(waits.length / 2)],
    longestWait: waits.at(-1),
  }
}

/** Evenly spread moments, in seconds. */
export const evenly = (count, from, to) => Array.from({ length: count }, (_, i) => from + ((to - from) * i) / count)
/** A school: 40 in the first minute, 120 in ten. */
export const SCHOOL_BELL = [...evenly(40, 0, 60), ...evenly(80, 60, TEN_MINUTES)]
