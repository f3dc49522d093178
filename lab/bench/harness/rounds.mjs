import { median } from '../../stand/tables.mjs'
import { QUICK } from './result.mjs'

/** Processes of each contender in one run. */
export const PROCESSES = QUICK ? 2 : 5

/**
 * Starts all contenders anew for each set: V8 compiles every process in its own way and memory lies elsewhere, which made up to
 * 28 % between two runs of one process each. `measure` warms
 * and measures one set.
 */
export async function sets(starts, measure) {
  const results = []
  for (let set = 1; set <= PROCESSES; set++) {
    process.stderr.write(`processes ${set} of ${PROCESSES}\n`)
    const contenders = []
    try {
      for (const start of starts) contenders.push(await start())
      results.push(await measure(contenders))
    } finally {
      for (const each of contenders) await each.stop()
    }
  }
  return results
}

/** Contenders in turns (A B C A B C …), so that what the machine does meanwhile meets them all. */
export async function rounds(count, contenders, measure) {
  const results = new Map(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= count; round++) {
    for (const contender of contenders) {
      process.stderr.write(`\rround ${round} of ${count}: ${contender.name}`.padEnd(72))
      results.get(contender.name).push(await measure(contender))
    }
  }
  process.stderr.write('\n')
  return results
}

/** The median of the ratios of each round: what changes from round to round is in neither side. */
export const ratio = (mine, theirs, of) => median(mine.map((each, i) => of(each) / of(theirs[i])))

/** Median and range over the processes, rounded to so many decimals. @param {readonly number[]} values */
export function spread(values, decimals = 0) {
  const round = (value) => Number(value.toFixed(decimals))
  return {
    median: round(median(values)),
    range: [Math.min(...values), Math.max(...values)].map(round),
  }
}

/** Of what `sets` gave: the spread of each process' median of a contender. */
export const ofEach = (results, name, of, decimals) =>
  spread(
    results.map((set) => median(set.get(name).map(of))),
    decimals,
  )

/** Of what `sets` gave: the spread of each process' ratio of processor time. */
export const costTo = (results, mine, theirs) =>
  spread(
    results.map((set) => ratio(set.get(mine), set.get(theirs), ({ micros }) => micros)),
    2,
  )

/** A spread as a cell of a table: `0.73 (0.57–0.80)`. */
export function spreadText({ median: middle, range }, decimals = 0) {
  const [text, least, most] = [middle, ...range].map((value) => value.toFixed(decimals))
  return `${text} (${least}–${most})`
}
