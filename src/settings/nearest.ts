/**
 * The name somebody probably meant: at most two slips away (a letter wrong, missing, too much, or two swapped),
 * the same but for case, `-` and `_`, or only its last word (`threshold` for `score_threshold`).
 *
 * @returns undefined when nothing is near, so that no far-fetched guess is ever offered.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const allowed = name.length < 5 ? 1 : 2
  const short = plain(name)
  const scored = names
    .flatMap((each) => [
      { each, slips: slips(short, plain(each), allowed) },
      // The whole name wins over a last word.
      { each, slips: slips(short, plain(each.slice(each.lastIndexOf('_') + 1)), allowed) + 0.5 },
    ])
    .filter((candidate) => candidate.slips <= allowed + 0.5)
    .sort((a, b) => a.slips - b.slips)
  return scored[0]?.each
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '')

/** Damerau-Levenshtein distance (optimal string alignment); Infinity at once when the lengths alone differ by more. */
function slips(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return Infinity
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1)
      row.push(best)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
