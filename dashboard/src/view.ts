import type { Counts, LastHourAnswer, SiteAnswer } from '../../src/ops/last-hour-answer.ts'

export interface SiteView extends SiteAnswer {
  readonly key: string
}

/** The answer, summed up for the panels. */
export interface View extends LastHourAnswer {
  /** Answers of the whole hour, by operation, by code. */
  readonly requests: Readonly<Record<string, Counts>>
  /** Most answers first. */
  readonly siteViews: readonly SiteView[]
  /** Milliseconds within which 95 of 100 verdicts were sent, rounded up to a bound; undefined: there are none. */
  readonly withinMs: number | undefined
}

/** Codes of a verdict that refuses the visitor, not the call. */
const REJECTIONS = ['low-score', 'timeout-or-duplicate', 'action-mismatch', 'remoteip-mismatch']

export const sumOf = (counts: Counts = {}): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0)
export const acceptedOf = (counts: Counts = {}): number => counts['accepted'] ?? 0
export const rejectionsOf = (counts: Counts = {}): (readonly [string, number])[] =>
  REJECTIONS.map((code) => [code, counts[code] ?? 0] as const).filter(([, n]) => n > 0)
export const rejectedOf = (counts: Counts = {}): number =>
  rejectionsOf(counts).reduce((sum, [, n]) => sum + n, 0)

export const nameOf = ({ key, policy }: SiteView): string => policy?.name ?? key

export function viewOf(answer: LastHourAnswer): View {
  const siteViews = Object.entries(answer.sites).map(([key, site]) => ({ ...site, key }))
  return {
    ...answer,
    requests: requestsOf(answer),
    siteViews: siteViews.toSorted((a, b) => sumOf(b.codes) - sumOf(a.codes)),
    withinMs: quantile(answer.within, 0.95),
  }
}

/** Adds up the minutes. */
function requestsOf({ minutes }: LastHourAnswer): View['requests'] {
  const all = minutes.flatMap(({ requests }) => Object.entries(requests))
  const operations = [...new Set(all.map(([operation]) => operation))]
  return Object.fromEntries(
    operations.map((operation) => [
      operation,
      addUp(all.filter(([own]) => own === operation).map(([, counts]) => counts)),
    ]),
  )
}

/** Adds counts with the same name. */
export function addUp(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>()
  for (const counts of all)
    for (const [name, n] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + n)
  return Object.fromEntries(sums)
}

/** Returns the lowest bound that a share of all stays within. */
function quantile(counts: Counts, share: number): number | undefined {
  const bounds = Object.entries(counts).map(([bound, n]) => [Number(bound), n] as const)
  const enough = share * sumOf(counts)
  let below = 0
  for (const [bound, n] of bounds.toSorted(([a], [b]) => a - b)) {
    below += n
    if (below >= enough) return bound
  }
  return undefined
}
