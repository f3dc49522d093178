/** Numbers and moments as people read them. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** Of an axis of counts: between one and two there is nothing. */
export const wholeCount = (n: number): string => (Number.isInteger(n) ? count(n) : '')

export const count = (n: number): string => whole.format(n)
export const number = (n: number): string => short.format(n)

/** Of a whole of nothing there is no share. */
export function share(part: number, of: number): string {
  if (of === 0) return '–'
  const percent = (100 * part) / of
  // Never "0 %" for some, nor "100 %" for nearly all.
  if (part > 0 && percent < 0.1) return 'under 0.1 %'
  if (part < of && percent > 99.9) return 'over 99.9 %'
  return `${percent >= 99.95 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)} %`
}

/** @param seconds a length of time. */
export function duration(seconds: number): string {
  const units: [string, number][] = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ]
  for (const [unit, size] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`
  return `${Math.max(0, Math.floor(seconds))} s`
}

export const ago = (at: number, now: number): string => `${duration(now - at)} ago`

/** @param seconds 0.0034 → `3.4 ms`. */
export const milliseconds = (seconds: number | null): string =>
  seconds === null ? '–' : seconds >= 1 ? `${number(seconds)} s` : `${number(seconds * 1000)} ms`

const DAY = 86_400
const options = { hour: '2-digit', minute: '2-digit' } as const

/** A clock time, with its day when that is not within the last twenty hours. */
export const moment = (at: number, now: number): string => (now - at < DAY - 4 * 3600 ? clockTime(at) : dayTime(at))

/** A day and a clock time: `Mon 23, 10:00`. */
export const dayTime = (at: number): string =>
  new Date(at * 1000).toLocaleString('en-GB', { weekday: 'short', day: 'numeric', ...options })

/** A label below a time axis: whole minutes, and at midnight the day. Between two minutes there is none. */
export function axisTime(at: number): string {
  if (at % 60 !== 0) return ''
  const date = new Date(at * 1000)
  return date.getHours() === 0 && date.getMinutes() === 0
    ? date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' })
    : date.toLocaleTimeString('en-GB', options)
}

/** Names a window: `5 minutes`, `hour`, `day`, `week`. */
export const windowName = (minutes: number): string =>
  ({ 60: 'hour', 1440: 'day', 10_080: 'week' })[minutes] ?? `${minutes} minutes`

export const clockTime = (at: number): string => new Date(at * 1000).toLocaleTimeString('en-GB')
