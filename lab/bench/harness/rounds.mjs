import { median } from '../../stand/tables.mjs'

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
