import type { UnixSeconds } from '../words.ts'

/** From one full hour to another, which is excluded; `22-6` crosses midnight. */
export interface Hours {
  readonly from: number
  readonly to: number
}

/** Reads `9-17` or `22-6`. @returns undefined for anything else, and for an empty range (`9-9`). */
export function parseHours(text: string): Hours | undefined {
  const match = /^([01]?[0-9]|2[0-3])-([01]?[0-9]|2[0-4])$/.exec(text)
  if (!match) return undefined
  const [from, to] = [Number(match[1]), Number(match[2])]
  return from === to ? undefined : { from, to }
}

/** Reports whether the machine knows this IANA time zone, such as `Europe/Berlin`; offsets are not zones. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * Reports whether a time is within these hours of a zone, with daylight saving time.
 *
 * @throws {RangeError} if there is no such zone.
 */
export function duringHours({ from, to }: Hours, zone: string): (at: UnixSeconds) => boolean {
  const hourAt = clockOf(zone)
  return (at) => {
    const hour = hourAt(at)
    return from < to ? from <= hour && hour < to : hour >= from || hour < to
  }
}

function clockOf(zone: string): (at: UnixSeconds) => number {
  if (zone === 'UTC') return (at) => Math.floor(at / 3600) % 24
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hour: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => Number(format.format(at * 1000))
}
