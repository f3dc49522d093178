import { unitsAtLevel } from '../domain/challenge.ts'
import { type Seconds, seconds } from '../domain/words.ts'

/** Microseconds that one unit of `s32.2` takes a visitor's device, all its workers together. */
export type UnitCost = number

/**
 * The rate of a cheap phone, with two workers: 18,432 units in 1.4 s. An estimate; docs/design/proof-of-work.md, "Difficulty".
 * Reports of visitors may move it by a factor of two up (a farm that says it is slow gains no more than one level),
 * and of four down.
 */
export const SLOW_PHONE: UnitCost = 76
const CLIP = { least: SLOW_PHONE / 4, most: SLOW_PHONE * 2 }

/** The time that a level takes a cheap phone, in whole seconds: a site that asks for less and for that level asks for two things. */
export const leastHumanCost = (level: number): Seconds =>
  seconds(Math.ceil((unitsAtLevel(level) * SLOW_PHONE) / 1_000_000))

/**
 * Milliseconds of work after which a browser hands in what it has done: twice what the work may take 95 of 100 visitors,
 * so that only the slowest of the rest ever do. Where the rate of its source or a step-up has raised the work, twice what
 * that takes them: behind the address of a school people wait, and nobody is taken for somebody who saves work.
 *
 * @param level of the challenge.
 * @param unitCost `slowUnit` of the site.
 */
export const workBudget = (humanCost: Seconds, level: number, unitCost: UnitCost): number =>
  Math.round(2000 * Math.max(humanCost, (unitsAtLevel(level) * unitCost) / 1_000_000))

/** Costs are counted in half octaves from 1.3 µs up to 3.9 ms, `u0` to `u23`. */
const FIRST = 4 / 3
export const COST_BINS = 24
/** Visits taken for seen before the first: 90 of laptops and 10 of cheap phones. A few odd ones must not move a new site. */
const PRIOR: readonly (readonly [cost: UnitCost, visits: number])[] = [
  [10, 90],
  [SLOW_PHONE, 10],
]

const binOf = (cost: UnitCost): number => Math.min(COST_BINS - 1, Math.max(0, Math.round(2 * Math.log2(cost / FIRST))))
/** The upper end of a bin. */
const costOf = (bin: number): UnitCost => FIRST * 2 ** ((bin + 0.5) / 2)

/**
 * The cost of a unit that one in twenty visitors exceeds: the 95th percentile of what was reported and believed.
 *
 * @param bins how many visits fell into each bin, at most `COST_BINS`; fractions too.
 */
export function slowUnit(bins: readonly number[]): UnitCost {
  const visits = Array.from({ length: COST_BINS }, (_, bin) => bins[bin] ?? 0)
  for (const [cost, count] of PRIOR) visits[binOf(cost)]! += count
  const all = visits.reduce((sum, count) => sum + count, 0)
  let below = 0
  const bin = visits.findIndex((count) => (below += count) >= 0.95 * all)
  // The slow phone stands at its own cost, not at the end of its bin.
  const cost = bin === binOf(SLOW_PHONE) ? SLOW_PHONE : costOf(bin)
  return Math.min(CLIP.most, Math.max(CLIP.least, cost))
}

/** The visit's words about its work, and our own knowledge of it. */
export interface Reported {
  /** Milliseconds, as the summary says. */
  readonly ms: number | undefined
  /** Units done. */
  readonly units: number
  /** Seconds since the challenge was issued, by our clock. */
  readonly age: number
  /** The estimate that holds until now: `slowUnit` of the site. */
  readonly unitCost: UnitCost
}

/** Less work is mostly the start of the workers. */
const LEAST_UNITS = 3072
/** A vote further from the estimate than this factor is left out: one visit must not drag the estimate along. */
const OUTLIER = 3

/**
 * In which bin a visit is counted, if it is believed: not faster than four workers of the fastest core, and not longer
 * than the challenge is old. To be asked only of visits that passed and finished their work; history counts one vote of each network in a day.
 *
 * @returns undefined: it is not.
 */
export function costBin({ ms, units, age, unitCost }: Reported): number | undefined {
  if (ms === undefined || units < LEAST_UNITS || ms > (age + 1) * 1000) return undefined
  const cost = (ms * 1000) / units
  return cost < FASTEST || cost > OUTLIER * unitCost ? undefined : binOf(cost)
}

/** docs/design/proof-of-work.md, "Difficulty": 10 µs a unit and core; four cores cannot go under 2.5. */
const FASTEST = 2
