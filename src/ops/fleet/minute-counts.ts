import { FAMILIES, type FamilyName, type MetricFamily } from '../metrics/metric-table.ts'
import { OTHER } from '../metrics/labels.ts'
import { type InstanceStatus, type Packet, STEP_SECONDS, STEPS_PER_MINUTE } from './packet.ts'
import type { Counts, Tally } from '../metrics/tally.ts'
import type { TopNetworks } from '../metrics/top-networks.ts'

/** Series of sites that a packet tells one by one; those of further sites are added up as `other`. */
const MOST_SERIES = 4000

export interface MinutesParts {
  readonly counts: Pick<Tally, 'drain'>
  readonly limited: Pick<TopNetworks, 'drain'>
  readonly status: () => InstanceStatus
  readonly mostSeries?: number
}

/** The minute that is being counted. */
export interface Minutes {
  /**
   * Takes over what was counted since the last call.
   * @param at Unix milliseconds: when most of it happened.
   * @returns all of the minute so far.
   */
  take(at: number): Packet
}

export function minutes({ counts, limited, status, mostSeries = MOST_SERIES }: MinutesParts): Minutes {
  let minute = 0
  let steps: Record<string, number>[] = []
  let sites: Record<string, number> = {}
  let networks: Record<string, number> = {}

  return {
    take(at) {
      const now = Math.floor(at / 60_000)
      if (now !== minute) {
        minute = now
        steps = Array.from({ length: STEPS_PER_MINUTE }, () => ({}))
        sites = {}
        networks = {}
      }
      const step = steps[Math.floor(at / 1000 / STEP_SECONDS) % STEPS_PER_MINUTE]!
      const drained = counts.drain()
      for (const [series, n] of drained) if (!ofSite(series)) add(step, series, n)
      addSites(sites, drained, mostSeries)
      for (const [network, n] of limited.drain()) add(networks, network, n)
      return { v: 1, minute, instance: status(), steps, sites, limited: networks }
    },
  }
}

/** Whether a series is of one site; then the site is its second word. */
export function ofSite(series: string): boolean {
  const family = FAMILIES[series.split(' ', 1)[0] as FamilyName] as MetricFamily | undefined
  return family?.labels[0] === 'site'
}

function addSites(to: Record<string, number>, counts: Counts, most: number): void {
  let room = most - Object.keys(to).length
  for (const [series, n] of counts) {
    if (!ofSite(series)) continue
    if (series in to) to[series]! += n
    else if (room-- > 0) to[series] = n
    else add(to, asOther(series), n)
  }
}

/** The same count, of nobody in particular: `verdicts other accepted`. Its code, or its score, stays what it is. */
function asOther(series: string): string {
  const [family, _site, ...rest] = series.split(' ')
  if (family === 'scores') rest[0] = OTHER
  return [family, OTHER, ...rest].join(' ')
}

function add(to: Record<string, number>, series: string, n: number): void {
  to[series] = (to[series] ?? 0) + n
}
