import { FAMILIES, type FamilyName, type MetricFamily } from '../metrics/metric-table.ts'
import type { DistributionView, FleetAnswer, SiteView, StepsView } from './fleet-answer.ts'
import { type Length, PACKET_STEPS, stepSeconds } from './packet.ts'
import { addAll, type Counts } from '../metrics/tally.ts'

/** A minute or an hour of all processes together. */
export interface Merged {
  /** In which it begins. */
  readonly minute: number
  readonly steps: readonly Counts[]
  readonly sites: Counts
  readonly limited: Counts
}

/** What the page needs to know of a site. */
export interface SiteFacts {
  readonly name: string
  readonly scoreThreshold: number
}

const OPERATIONS = ['challenge', 'solve', 'siteverify', 'other'] as const
/** Networks that are shown. */
const MOST_NETWORKS = 20

/** The counts of some minutes or hours, as the page shows them. Pure: the same ones give the same answer. */
export function viewOf(
  length: Length,
  minutes: readonly Merged[],
  factsOf: (sitekey: string) => SiteFacts | undefined,
): Omit<FleetAnswer, 'at' | 'minutes' | 'scope' | 'instances'> {
  const all = new Map<string, number>()
  const sites = new Map<string, number>()
  const limited = new Map<string, number>()
  for (const minute of minutes) {
    for (const step of minute.steps) addAll(all, step)
    addAll(sites, minute.sites)
    addAll(limited, minute.limited)
  }
  const seconds = (family: FamilyName, labels: readonly string[]): [string, DistributionView][] =>
    labels.map((label) => [label, distributionOf(all, family, label)])
  const ofStore = (store: 'ledger' | 'limiter'): [string, DistributionView] => [
    store,
    overAllLabels(all, `${store}_seconds`),
  ]
  return {
    steps: stepsOf(minutes, stepSeconds(length)),
    requests: twoLabels(all, 'requests'),
    seconds: Object.fromEntries([...seconds('request_seconds', OPERATIONS), ofStore('ledger'), ofStore('limiter')]),
    solveSeconds: distributionOf(all, 'solve_seconds'),
    workLevel: distributionOf(all, 'work_level'),
    sites: sitesOf(sites, factsOf),
    limited: [...limited]
      .map(([network, times]) => ({ network, times }))
      .sort((a, b) => b.times - a.times)
      .slice(0, MOST_NETWORKS),
    agents: twoLabels(all, 'agents'),
    generationMoves: all.get('generation_moves') ?? 0,
    linesLost: all.get('lines_lost') ?? 0,
    shed: all.get('shed') ?? 0,
  }
}

const sumOf = (counts: Readonly<Record<string, number>> = {}): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0)

function stepsOf(minutes: readonly Merged[], every: number): StepsView {
  const steps = minutes.flatMap((minute) => minute.steps)
  const codes = new Set(steps.flatMap((step) => Object.keys(twoLabels(step, 'requests')['siteverify'] ?? {})))
  const answers = steps.map((step) => overAllLabels(step, 'request_seconds'))
  return {
    from: (minutes[0]?.minute ?? 0) * 60,
    every,
    requests: Object.fromEntries(
      OPERATIONS.map((each) => [each, steps.map((step) => sumOf(twoLabels(step, 'requests')[each]))]),
    ),
    verdicts: Object.fromEntries(
      [...codes].sort().map((code) => [code, steps.map((step) => step.get(`requests siteverify ${code}`) ?? 0)]),
    ),
    troubles: troublesIn(steps),
    median: answers.map(({ median }) => median),
    p95: answers.map(({ p95 }) => p95),
  }
}

/** Answers that say that the service cannot do its work. */
const UNABLE = ['database-unavailable', 'database-schema-outdated', 'rate-limiter-unavailable', 'internal-error']
/** Counts without labels whose times matter. */
const EVENTS = ['generation_moves', 'shed', 'lines_lost']

const answersOf = (step: Counts, code: string): number =>
  OPERATIONS.reduce((sum, operation) => sum + (step.get(`requests ${operation} ${code}`) ?? 0), 0)

function troublesIn(steps: readonly Counts[]): Record<string, readonly number[]> {
  const troubles = [
    ...UNABLE.map((code) => [code, steps.map((step) => answersOf(step, code))] as const),
    ...EVENTS.map((name) => [name, steps.map((step) => step.get(name) ?? 0)] as const),
  ]
  return Object.fromEntries(troubles.filter(([, counts]) => counts.some((n) => n > 0)))
}

export const emptySteps = (): Map<string, number>[] =>
  Array.from({ length: PACKET_STEPS }, () => new Map<string, number>())

/** @param label of the family's first label; left out: it has none. */
function distributionOf(all: Counts, family: FamilyName, label = ''): DistributionView {
  const { bounds = [] } = FAMILIES[family] as MetricFamily
  const series = label === '' ? family : `${family} ${label}`
  return distribution(
    bounds,
    Array.from({ length: bounds.length + 1 }, (_, i) => all.get(`${series} ${i}`) ?? 0),
    all.get(`${series} sum`) ?? 0,
  )
}

/** A distribution over all values of its label. */
function overAllLabels(all: Counts, family: FamilyName): DistributionView {
  const { bounds = [] } = FAMILIES[family] as MetricFamily
  const counts = Array.from({ length: bounds.length + 1 }, () => 0)
  let sum = 0
  for (const [series, n] of all) {
    const [of, , bucket] = series.split(' ')
    if (of !== family || bucket === undefined) continue
    if (bucket === 'sum') sum += n
    else counts[Number(bucket)]! += n
  }
  return distribution(bounds, counts, sum)
}

function distribution(bounds: readonly number[], counts: readonly number[], sum: number): DistributionView {
  return { bounds, counts, sum, median: quantile(bounds, counts, 0.5), p95: quantile(bounds, counts, 0.95) }
}

/**
 * The value that a share of all stays below, on the line between the bounds around it, as Prometheus estimates it.
 *
 * @param share 0 to 1.
 * @returns null when there is nothing; what lies above the last bound counts as the last bound.
 */
export function quantile(bounds: readonly number[], counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (total === 0) return null
  let below = 0
  for (const [i, bound] of bounds.entries()) {
    const here = counts[i]!
    if (here > 0 && below + here >= share * total) {
      const from = i === 0 ? 0 : bounds[i - 1]!
      return from + ((share * total - below) / here) * (bound - from)
    }
    below += here
  }
  return bounds.at(-1) ?? null
}

/** An object without ancestors: a page may call its action `__proto__`. */
const bare = <T = number>(): Record<string, T> => Object.create(null) as Record<string, T>

/** `requests solve solved` → `{solve: {solved: n}}`. */
function twoLabels(all: Counts, family: FamilyName): Record<string, Record<string, number>> {
  const table = bare<Record<string, number>>()
  for (const [series, n] of all) {
    const [of, a, b] = series.split(' ')
    if (of !== family || a === undefined || b === undefined) continue
    ;(table[a] ??= bare())[b] = n
  }
  return table
}

type Building = { -readonly [K in keyof SiteView]: SiteView[K] } & {
  verdicts: Record<string, number>
  reasons: Record<string, number>
  stepUps: Record<string, number>
  scores: Record<string, Record<string, number>>
}

function sitesOf(all: Counts, factsOf: (sitekey: string) => SiteFacts | undefined): SiteView[] {
  const sites = new Map<string, Building>()
  for (const [series, n] of all) {
    const [family, site, a, b] = series.split(' ') as [FamilyName, string, string?, string?]
    let view = sites.get(site)
    if (view === undefined) sites.set(site, (view = emptySite(site, factsOf(site))))
    if (family === 'challenges') view.challenges += n
    else if (family === 'tokens') view.tokens += n
    else if (family === 'tokens_ended') view.ended += n
    else if (family === 'tokens_ended_judged') view.endedJudged += n
    else if (family === 'verdicts') view.verdicts[a!] = n
    else if (family === 'reasons') view.reasons[a!] = n
    else if (family === 'step_ups') view.stepUps[a!] = n
    else if (family === 'scores' && b !== 'sum') (view.scores[a!] ??= bare())[b!] = n
  }
  return [...sites.values()].sort((a, b) => traffic(b) - traffic(a))
}

const traffic = ({ challenges, verdicts }: SiteView): number => challenges + sumOf(verdicts)

function emptySite(site: string, facts: SiteFacts | undefined): Building {
  const own = facts && { name: facts.name, threshold: facts.scoreThreshold }
  const none = { challenges: 0, tokens: 0, ended: 0, endedJudged: 0 }
  return { site, ...own, ...none, verdicts: bare(), reasons: bare(), stepUps: bare(), scores: bare() }
}
