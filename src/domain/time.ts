import { memoize } from './memoize.ts'
import { type Seconds, seconds, type UnixSeconds, unixSeconds } from './words.ts'

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/**
 * Reads a length of time such as `120s`, `10m`, `2h` or `7d`.
 *
 * @returns whole seconds, or undefined when the text is anything else (`2 hours`, `90`, `1.5h`).
 */
export function parseDuration(text: string): Seconds | undefined {
  const match = /^([1-9][0-9]{0,6})([smhd])$/.exec(text)
  if (!match) return undefined
  return seconds(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS])
}

/** Points per length of time. */
export interface Rate {
  readonly points: number
  readonly per: Seconds
}

/** Reads a rate such as `60 per 1m`. @returns undefined when the text is anything else. */
export function parseRate(text: string): Rate | undefined {
  const match = /^([1-9][0-9]{0,8}) per ([0-9]+[smhd])$/.exec(text)
  const per = match ? parseDuration(match[2]!) : undefined
  return per === undefined ? undefined : { points: Number(match![1]), per }
}

/** A moment as siteverify writes it: UTC, `YYYY-MM-DD HH:MM:SS`. docs/api/api.md, "POST /api/v1/siteverify". */
export const formatTimestamp = memoize(
  // Challenges live for minutes, so many verifications share a second; formatting one takes 0.5 µs.
  (at: UnixSeconds) => new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' '),
  1024,
)

/**
 * Reads an RFC 3339 time with its offset: `2027-01-01T00:00:00Z`, `2027-01-01T01:00:00.5+01:00`.
 * A fraction of a second is dropped, so that a secret never lives longer than stated.
 *
 * @returns undefined for anything else, such as 30 February.
 */
export function parseMoment(text: string): UnixSeconds | undefined {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // `Date` turns 30 February into March, so formatting it again gives another text.
  if (at.toISOString().slice(0, 19) !== text.slice(0, 19)) return undefined
  const [hours, minutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)]
  if (hours > 23 || minutes > 59) return undefined
  const offset = (hours * 60 + minutes) * 60 * (match[7] === '-' ? -1 : 1)
  return unixSeconds(at.getTime() / 1000 - offset)
}

/** Formats a time as in the configuration: `2027-01-01T00:00:00Z`. */
export const formatMoment = (at: UnixSeconds): string =>
  `${new Date(at * 1000).toISOString().slice(0, 19)}Z`
