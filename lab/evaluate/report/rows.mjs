const SHOWN = 6

/** The contributions that moved a visit's score most, in words: `webdriver-true −4`. */
const strongest = (contributions) =>
  contributions
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, SHOWN)
    .map(({ name, value }) => `\`${name}\` ${value < 0 ? '−' : '+'}${Math.abs(value)}`)

/**
 * What lab/results/evaluation.json keeps of a visitor, and the page shows.
 *
 * @param {any} visitor of a result, with its visits
 * @param {{ commit: string, date: string, hands: string, errors: number }} facts
 */
export function evaluationRow({ visits, ...row }, { commit, date, hands, errors }) {
  const loads = visits.map(({ load }) => load)
  const { contributions = [], model } = visits.findLast(({ score }) => score !== undefined) ?? {}
  return {
    ...row,
    ...(row.isAgent && { why: strongest(contributions) }),
    model,
    commit,
    date,
    hands,
    errors,
    loads: [Math.min(...loads), Math.max(...loads)],
  }
}
