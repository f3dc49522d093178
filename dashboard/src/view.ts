import type { LastHourAnswer } from '../../src/ops/last-hour-answer.ts'

/** Counts by what they are of. */
export type CountsBy = Readonly<Record<string, number>>

export interface SiteView {
  readonly key: string
  readonly name?: string
  readonly threshold?: number
  /** Thresholds of actions that have their own. */
  readonly actions?: Readonly<Record<string, number>>
  /** Answers of all operations, by code. */
  readonly codes: CountsBy
  /** Verdicts with a score, in twenty steps of 0.05. */
  readonly scores: readonly (readonly [accepted: number, low: number])[]
  readonly reasons: CountsBy
}

/** The answer, summed up for the panels. */
export interface View extends LastHourAnswer {
  /** Answers of the whole hour, by operation, by code. */
  readonly requests: Readonly<Record<string, CountsBy>>
  /** Most verdicts first. */
  readonly siteViews: readonly SiteView[]
  readonly networks: CountsBy
  /** Milliseconds within which 95 of 100 verdicts were sent, rounded up to a bound; undefined: there are none. */
  readonly within: number | undefined
}

/** Codes of a verdict that refuses the visitor, not the call. */
const REJECTIONS = ['low-score', 'timeout-or-duplicate', 'action-mismatch', 'remoteip-mismatch']

export const sumOf = (counts: CountsBy = {}): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0)
export const acceptedOf = (counts: CountsBy = {}): number => counts['accepted'] ?? 0
export const rejectionsOf = (counts: CountsBy = {}): (readonly [string, number])[] =>
  REJECTIONS.map((code) => [code, counts[code] ?? 0] as const).filter(([, n]) => n > 0)
export const rejectedOf = (counts: CountsBy = {}): number =>
  rejectionsOf(counts).reduce((sum, [, n]) => sum + n, 0)

type Building = Record<string, number>
/** An object without a prototype: no key of it can mean anything else. */
const none = (): Building => Object.create(null) as Building

export const noScores = (): [number, number][] => Array.from({ length: 20 }, () => [0, 0])

export function viewOf(answer: LastHourAnswer): View {
  const requests: Record<string, Building> = {}
  for (const { counts } of answer.minutes) {
    for (const [key, n] of Object.entries(counts)) {
      const [operation = '', code = ''] = key.split(' ')
      if (operation === 'incident') continue
      const codes = (requests[operation] ??= none())
      codes[code] = (codes[code] ?? 0) + n
    }
  }
  const sites = new Map<
    string,
    { codes: Building; reasons: Building; scores: [number, number][] }
  >()
  const networks = none()
  const within: [number, number][] = []
  for (const [key, n] of Object.entries(answer.totals)) {
    const [family, of = '', detail = '', code] = key.split(' ')
    if (family === 'network') networks[of] = n
    else if (family === 'within') within.push([Number(of), n])
    else {
      let site = sites.get(of)
      if (!site) sites.set(of, (site = { codes: none(), reasons: none(), scores: noScores() }))
      if (family === 'site') site.codes[detail] = n
      else if (family === 'reason') site.reasons[detail] = n
      else site.scores[Math.round(Number(detail) * 20)]![code === 'accepted' ? 0 : 1] += n
    }
  }
  const siteViews = [...sites].map(([key, site]) => Object.assign(site, { key }, answer.sites[key]))
  siteViews.sort((a, b) => sumOf(b.codes) - sumOf(a.codes))
  return { ...answer, requests, siteViews, networks, within: quantile(within, 0.95) }
}

/** Returns the lowest bound that a share of all stays within. */
function quantile(counts: [number, number][], part: number): number | undefined {
  const total = counts.reduce((sum, [, n]) => sum + n, 0)
  let below = 0
  return counts.toSorted(([a], [b]) => a - b).find(([, n]) => (below += n) >= part * total)?.[0]
}
