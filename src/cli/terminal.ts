import type { Writable } from 'node:stream'
import { inert, inertLine } from './inert.ts'
import type { Io } from './io.ts'

export interface Streams {
  readonly stdin: AsyncIterable<Buffer>
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
}

/** Milliseconds between two looks of a progress line: a person reads no faster, and a terminal is slow. */
const REDRAW = 100

/**
 * Answers on one stream, everything about them on the other, and a progress line that never gets between their lines.
 * Every text is made harmless here, so that words from outside never reach the terminal as an escape.
 */
export function terminal({ stdin, stdout, stderr, env, elapsed }: Streams): Omit<Io, 'cwd' | 'env' | 'now'> {
  const watched = stderr.isTTY === true && env['TERM'] !== 'dumb'
  let drawn = false
  let drawnAt = -Infinity

  const clear = (): void => {
    if (drawn) stderr.write('\r\u001b[K')
    drawn = false
  }
  return {
    out(text) {
      clear()
      stdout.write(`${inert(text)}\n`)
    },
    err(text) {
      clear()
      stderr.write(`${inert(text)}\n`)
    },
    progress(text) {
      if (!watched) return
      if (text === undefined) {
        clear()
        drawnAt = -Infinity
      } else if (elapsed() - drawnAt >= REDRAW) {
        drawnAt = elapsed()
        drawn = true
        // One line, whatever the text: what wraps could not be written over. A terminal that knows no width says 0.
        stderr.write(`\r\u001b[K${inertLine(text).slice(0, (stderr.columns || 80) - 1)}`)
      }
    },
    async input() {
      const pieces: Buffer[] = []
      for await (const piece of stdin) pieces.push(piece)
      return Buffer.concat(pieces).toString()
    },
    colours: stdout.isTTY === true && isUnset(env['NO_COLOR']) && env['TERM'] !== 'dumb',
  }
}

/** https://no-color.org: there, and not empty. */
const isUnset = (value: string | undefined): boolean => value === undefined || value === ''

/** A text for a terminal: red for what is wrong, green for what is right; as it is where colours are not wanted. */
export function coloured(
  text: string,
  colour: 'red' | 'green' | 'bold',
  { colours = false }: Pick<Io, 'colours'>,
): string {
  const code = { red: 31, green: 32, bold: 1 }[colour]
  return colours ? `\u001b[${code}m${text}\u001b[0m` : text
}
