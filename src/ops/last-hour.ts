import type { Notes } from '../domain/observing.ts'
import { bounded } from './labels.ts'
import { memberOf, Tally } from './tally.ts'

const MINUTES = 60
/** Sites that are shown one by one; the rest is `other`. */
const MAX_SITES = 100
/** Networks of one minute that are shown one by one. */
const MAX_NETWORKS = 100
/** Upper bounds of the time until an answer, in milliseconds. */
const ANSWER_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 800, Infinity]
/** Steps from a score of 0 to 1. */
const SCORE_STEPS = 20

/** Incidents besides requests. */
export type Incident = 'generation-moved' | 'shed' | 'lines-lost'

/** What happened at one site. */
export class SiteCounts {
  readonly codes = new Tally()
  readonly reasons = new Tally()
  /** Verdicts with a score by its step: accepted, and refused for it. */
  readonly scores = Array.from({ length: SCORE_STEPS }, (): [number, number] => [0, 0])

  addAll({ codes, reasons, scores }: SiteCounts): void {
    this.codes.addAll(codes)
    this.reasons.addAll(reasons)
    for (const [step, [accepted, low]] of scores.entries()) {
      this.scores[step]![0] += accepted
      this.scores[step]![1] += low
    }
  }
}

/** What happened in one minute. */
class Minute {
  /** Unix seconds. */
  readonly from: number
  /** Answers by operation, then by code. */
  readonly requests = new Map<string, Tally>()
  readonly incidents = new Tally()
  readonly networks = new Tally()
  readonly within = new Tally()
  readonly sites = new Map<string, SiteCounts>()
  readonly networkLabel = bounded(MAX_NETWORKS)

  constructor(from: number) {
    this.from = from
  }
}

export type LastHour = ReturnType<typeof lastHour>

/**
 * Counts what this process did in the last hour: a ring of counts for each minute, in memory.
 *
 * @param clock Unix milliseconds.
 */
export function lastHour(clock: () => number) {
  const siteLabel = bounded(MAX_SITES)
  let minutes: Minute[] = []

  function current(): Minute {
    const from = Math.floor(clock() / 60_000) * 60
    const newest = minutes.at(-1)
    if (newest?.from === from) return newest
    const minute = new Minute(from)
    minutes = [...minutes.filter((each) => each.from > from - MINUTES * 60), minute]
    return minute
  }

  return {
    request(operation: string, notes: Notes): void {
      const { code = 'gone', sitekey, network, ms = 0 } = notes
      const minute = current()
      memberOf(minute.requests, operation, () => new Tally()).add(code)
      if (code === 'rate-limit-exceeded' && network !== undefined)
        minute.networks.add(minute.networkLabel(network))
      if (sitekey === undefined) return
      const site = memberOf(minute.sites, siteLabel(sitekey), () => new SiteCounts())
      site.codes.add(code)
      if (operation !== 'siteverify') return
      minute.within.add(String(ANSWER_MS.find((bound) => ms <= bound)))
      if (code === 'accepted' || code === 'low-score') countScore(site, code, notes)
    },
    incident: (what: Incident, times: number): void => current().incidents.add(what, times),
    minutes(): readonly Minute[] {
      current()
      return minutes
    },
  }
}

function countScore(
  site: SiteCounts,
  code: 'accepted' | 'low-score',
  { score, reasons = [] }: Notes,
): void {
  if (score === undefined || !Number.isFinite(score)) return
  site.scores[stepOf(score)]![code === 'accepted' ? 0 : 1]++
  if (code === 'low-score') for (const reason of reasons) site.reasons.add(reason)
}

/** Returns the step of a score; 1 belongs to the last. The small number undoes the rounding of a product such as 0.15 × 20. */
function stepOf(score: number): number {
  const step = Math.floor(score * SCORE_STEPS + 1e-9)
  return Math.min(Math.max(step, 0), SCORE_STEPS - 1)
}
