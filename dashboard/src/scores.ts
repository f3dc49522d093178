import type { CountsBy, SiteView } from '../../src/ops/fleet/fleet-answer.ts'

/** How many tokens had each score, by its hundredths: 101 counts. */
export type Scores = readonly number[]

/** Of all sites or one, of all its actions or one; an empty text means all. */
export function scoresOf(sites: readonly SiteView[], site: string, action: string): Scores {
  const counts = Array.from({ length: 101 }, () => 0)
  const add = (by: CountsBy): void => {
    for (const [hundredth, n] of Object.entries(by)) counts[Number(hundredth)]! += n
  }
  for (const each of sites) {
    if (site !== '' && each.site !== site) continue
    for (const [name, by] of Object.entries(each.scores)) if (action === '' || name === action) add(by)
  }
  return counts
}

export const totalOf = (scores: Scores): number => scores.reduce((sum, n) => sum + n, 0)

/** How many a threshold refuses: exactly those below it, as the service does. */
export function refusedBy(scores: Scores, threshold: number): number {
  const first = Math.ceil(Math.round(threshold * 10_000) / 100)
  return totalOf(scores.slice(0, first))
}

/** Bars of five hundredths: where they begin, how many are in each, and how many of those a threshold refuses. */
export function barsOf(scores: Scores, threshold: number) {
  const starts = Array.from({ length: 20 }, (_, i) => i * 5)
  // The last one holds 1.00 too.
  const slice = (start: number): Scores => scores.slice(start, start === 95 ? 101 : start + 5)
  return {
    middles: starts.map((start) => (start + 2.5) / 100),
    all: starts.map((start) => totalOf(slice(start))),
    refused: starts.map((start) => refusedBy(slice(start), Math.max(0, threshold - start / 100))),
  }
}
