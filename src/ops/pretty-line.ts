/** ANSI colours by level: red, yellow. */
const COLOURS: Readonly<Record<string, number>> = { error: 31, warn: 33 }

/**
 * Formats a log entry for people at a terminal, in the time zone of this machine:
 * `12:00:01 info  siteverify 200 accepted 3.1 ms  sitekey=hv_site_x action=sign-up`.
 *
 * The decision is left out: `hv explain` reads it from JSON lines, and here it would fill half a screen.
 */
export function prettyLine(entry: Readonly<Record<string, unknown>>, colours: boolean): string {
  const { level, message, timestamp, status, code, ms, decision: _decision, ...rest } = entry
  const time = new Date(String(timestamp)).toTimeString().slice(0, 8)
  const head = `${time} ${String(level).padEnd(5)} ${inertLine(String(message))}`
  const colour = COLOURS[typeof status === 'number' && status >= 500 ? 'error' : String(level)]
  const first = [status, code, typeof ms === 'number' ? `${ms} ms` : undefined].filter(
    (each) => each !== undefined,
  )
  const others = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`)
  const painted = colours && colour !== undefined ? `\u001b[${colour}m${head}\u001b[0m` : head
  return [painted, ...first.map(shown), ...(others.length > 0 ? ['', ...others] : [])].join(' ')
}

const shown = (value: unknown): string =>
  inertLine(typeof value === 'string' ? value : JSON.stringify(value))

/**
 * Escapes line ends and everything else of Unicode that moves a cursor, turns the direction of text or hides (Cc, Cf), whoever
 * chose the text: ESC becomes the six characters `\u001b`.
 */
export const inertLine = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
