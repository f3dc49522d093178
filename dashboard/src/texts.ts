/** Formats numbers and times. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

export const count = (n: number): string => whole.format(n)

/** Returns a percentage that is never "0 %" for some, nor "100 %" for nearly all. */
export function share(part: number, of: number): string {
  if (of === 0) return '–'
  const percent = (100 * part) / of
  if (part > 0 && percent < 0.1) return 'under 0.1\u00a0%'
  if (part < of && percent > 99.9) return 'over 99.9\u00a0%'
  return `${percent === 0 || percent === 100 ? percent : percent.toFixed(1)}\u00a0%`
}

/** @param seconds a length of time. */
export function duration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const
  for (const [unit, size] of units)
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`
  return `${Math.max(0, Math.floor(seconds))} s`
}

export const ago = (at: number, now: number): string => `${duration(now - at)} ago`

/** @param at Unix seconds. */
export const clockTime = (at: number): string => new Date(at * 1000).toLocaleTimeString('en-GB')

/** Hours and minutes. */
export const minuteTime = (at: number): string => clockTime(at).slice(0, 5)
