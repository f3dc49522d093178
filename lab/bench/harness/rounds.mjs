/** Contenders in turns (A B C A B C …), so that what the machine does meanwhile meets them all. */
export async function rounds(count, contenders, measure, say = (text) => process.stderr.write(text)) {
  const results = new Map(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= count; round++) {
    for (const contender of contenders) {
      say(`\rround ${round} of ${count}: ${contender.name}`.padEnd(72))
      results.get(contender.name).push(await measure(contender))
    }
  }
  say('\n')
  return results
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/** The median of the ratios of each round: what changes from round to round is in neither side. */
export const ratio = (mine, theirs, of) => median(mine.map((each, i) => of(each) / of(theirs[i])))

/** A markdown table. */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
