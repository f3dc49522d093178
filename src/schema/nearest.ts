/**
 * The name somebody probably meant: at most two slips away (a letter wrong, missing, too much, or two swapped),
 * or the same but for case, `-` and `_`.
 *
 * @returns undefined when nothing is near, so that no far-fetched guess is ever offered.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A name is never longer than the longest known one and two slips; this also bounds the work on hostile names.
  if (name.length > Math.max(0, ...known.map((each) => each.length)) + 4) return undefined
  const allowed = name.length < 5 ? 1 : 2
  const scored = known
    .map((each) => ({ each, slips: slips(plain(name), plain(each)) }))
    .filter(({ slips: count }) => count <= allowed)
    .sort((a, b) => a.slips - b.slips)
  return scored[0]?.each
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '')

/** Damerau-Levenshtein distance (optimal string alignment). */
function slips(a: string, b: string): number {
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
