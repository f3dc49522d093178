import { FAMILIES, type FamilyName, type MetricFamily } from '../metrics/metric-table.ts'
import { OTHER } from '../metrics/labels.ts'
import { type InstanceStatus, type Length, LENGTHS, type Packet, PACKET_STEPS, stepSeconds } from './packet.ts'
import { addAll, type Counts, type Tally } from '../metrics/tally.ts'
import type { TopNetworks } from '../metrics/top-networks.ts'

/** Series of sites that a packet names one by one; those of further sites are added up as `other`. */
const MOST_SERIES: Readonly<Record<Length, number>> = { minute: 4000, hour: 1000 }

export interface MinutesParts {
  readonly counts: Pick<Tally, 'drain'>
  readonly limited: Pick<TopNetworks, 'drain'>
  readonly status: () => InstanceStatus
  readonly mostSeries?: Readonly<Record<Length, number>>
}

/** The minute and the hour that are being counted. */
export interface Minutes {
  /**
   * Adds what was counted since the last call.
   * @param at Unix milliseconds: when most of it happened.
   * @returns all of the minute so far.
   */
  take(at: number): Packet
  /** @returns the running hour so far, and before it the one that has ended since the last call. */
  hours(): readonly Packet[]
}

export function minutes({ counts, limited, status, mostSeries = MOST_SERIES }: MinutesParts): Minutes {
  const [ofMinute, ofHour] = [period('minute', mostSeries.minute), period('hour', mostSeries.hour)]
  let networks = new Map<string, number>()
  let ended: Packet[] = []

  return {
    take(at) {
      const drained = counts.drain()
      if (ofMinute.begins(at)) networks = new Map()
      if (ofHour.begins(at)) ended = ofHour.packets(status())
      addAll(networks, limited.drain())
      ofMinute.add(at, drained)
      ofHour.add(at, drained)
      return { ...ofMinute.packets(status())[0]!, limited: Object.fromEntries(networks) }
    },
    hours() {
      const all = [...ended, ...ofHour.packets(status())]
      ended = []
      return all
    },
  }
}

/** Adds up one period after the other. */
function period(length: Length, mostSeries: number) {
  let minute: number | undefined
  let steps: Map<string, number>[] = []
  let sites = new Map<string, number>()
  const startOf = (at: number): number => Math.floor(at / 60_000 / LENGTHS[length]) * LENGTHS[length]

  return {
    /** Reports whether a moment lies in another period than the one that is being counted. */
    begins: (at: number): boolean => minute !== undefined && startOf(at) !== minute,
    add(at: number, drained: Counts): void {
      if (startOf(at) !== minute) {
        minute = startOf(at)
        steps = Array.from({ length: PACKET_STEPS }, () => new Map<string, number>())
        sites = new Map()
      }
      const step = steps[Math.floor(at / 1000 / stepSeconds(length)) % PACKET_STEPS]!
      addAll(step, new Map([...drained].filter(([series]) => !ofSite(series))))
      addSites(sites, drained, mostSeries)
    },
    /** @returns the period's packet, without networks; an empty list before the first count. */
    packets(instance: InstanceStatus): Packet[] {
      if (minute === undefined) return []
      const inWords = { steps: steps.map((step) => Object.fromEntries(step)), sites: Object.fromEntries(sites) }
      return [{ v: 1, minute, instance, ...inWords, limited: {} }]
    },
  }
}

/** Reports whether a series is of one site; then the site is its second word. */
export function ofSite(series: string): boolean {
  const family = FAMILIES[series.split(' ', 1)[0] as FamilyName] as MetricFamily | undefined
  return family?.labels[0] === 'site'
}

function addSites(to: Map<string, number>, counts: Counts, most: number): void {
  let room = most - to.size
  for (const [series, n] of counts) {
    if (!ofSite(series)) continue
    const hasPlace = to.has(series) || room-- > 0
    addAll(to, new Map([[hasPlace ? series : asOther(series), n]]))
  }
}

/** Names the same count without its site: `verdicts other accepted`. Its code, or its score, stays the same. */
function asOther(series: string): string {
  const [family, _site, ...rest] = series.split(' ')
  if (family === 'scores') rest[0] = OTHER
  return [family, OTHER, ...rest].join(' ')
}
