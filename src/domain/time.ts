import { memoize } from './memoize.ts'
import { type Seconds, seconds, type UnixSeconds } from './words.ts'

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

/** So many points per length of time. */
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

/**
 * Reports whether a token may no longer be accepted.
 *
 * Dead at `expiresAt` itself, not one second later ("on or after").
 * The tolerance is for drift between our own clocks, not for slow visitors:
 * the ledger judges again by its server's clock, without any.
 *
 * @param expiresAt Unix seconds: the token's `exp`.
 * @param now Unix seconds, read once per request.
 * @param tolerance Seconds, 0 to 5.
 * @throws {RangeError} when the tolerance is outside that range.
 * @see RFC 7519, section 4.1.4
 */
export function isExpired(expiresAt: UnixSeconds, now: UnixSeconds, tolerance: number): boolean {
  if (!(tolerance >= 0 && tolerance <= 5)) throw new RangeError(`tolerance wants 0 to 5 seconds; got ${tolerance}`)
  // Not `>=`: a moment that is not a number is over.
  return !(now < expiresAt + tolerance)
}

/** A moment as siteverify writes it: UTC, `YYYY-MM-DD HH:MM:SS`. docs/design/contract.md, "POST /api/v1/siteverify". */
export const formatTimestamp = memoize(
  // Challenges live for minutes, so that of many verifications only some bring a new second; to spell one takes 0.5 µs.
  (at: UnixSeconds) => new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' '),
  1024,
)
