/**
 * A summary like a person's, and like no other: counts and times shaken by a tenth and rounded as they were, flags and
 * small numbers kept.
 *
 * @param {unknown} summary
 * @param {{ between: (least: number, most: number) => number }} dice
 */
export function invented(summary, dice) {
  if (typeof summary === 'number') return summary < 10 ? summary : shaken(summary, dice.between(0.9, 1.1))
  if (typeof summary !== 'object' || summary === null || Array.isArray(summary)) return summary
  return Object.fromEntries(Object.entries(summary).map(([name, value]) => [name, invented(value, dice)]))
}

function shaken(n, factor) {
  const step = [100, 10, 5, 1].find((each) => n % each === 0)
  return Math.round((n * factor) / step) * step
}
