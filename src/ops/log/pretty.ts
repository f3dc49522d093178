/** ANSI colours by level: red, yellow, none, grey. */
const COLOURS: Readonly<Record<string, number>> = { error: 31, warn: 33, debug: 90 }

export interface PrettyParts {
  readonly level: string
  readonly message: string
  /** Shown in the time zone of this machine. */
  readonly at: Date
  readonly fields: Readonly<Record<string, unknown>>
  /** Whether the terminal wants them. */
  readonly colours: boolean
}

/**
 * A line for people at a terminal: `12:00:01 info  siteverify 200 accepted 3.1 ms  sitekey=hv_site_x action=sign-up`.
 */
export function prettyLine({ level, message, at, fields, colours }: PrettyParts): string {
  // A decision is for `hv explain`, which reads JSON lines; between others it would be half a screen.
  const { status, code, ms, decision: _decision, ...rest } = fields
  const first = [status, code, typeof ms === 'number' ? `${ms} ms` : undefined].filter((each) => each !== undefined)
  const others = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`)
  const head = `${at.toTimeString().slice(0, 8)} ${level.padEnd(5)} ${printable(message)}`
  const failed = typeof status === 'number' && status >= 500
  const colour = failed ? COLOURS['error'] : COLOURS[level]
  const painted = colours && colour !== undefined ? `\u001b[${colour}m${head}\u001b[0m` : head
  return [painted, ...first.map(shown), ...(others.length > 0 ? ['', ...others] : [])].join(' ')
}

/** A JSON line of a service for people; what is none stays as it is. */
export function prettierLine(line: string, colours: boolean): string {
  try {
    const { level, message, timestamp, ...fields } = JSON.parse(line) as Record<string, unknown>
    if (typeof level !== 'string' || typeof message !== 'string' || typeof timestamp !== 'string') return line
    return prettyLine({ level, message, at: new Date(timestamp), fields, colours })
  } catch {
    return line
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.,:/@+ -]*$/.test(text) ? text : printable(text)
}

/** No line ends and nothing that moves a cursor or turns the direction, whoever chose the text. */
const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`)
