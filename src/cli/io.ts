import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Environment } from '../settings/load.ts'
import { type UnixSeconds, unixSeconds } from '../domain/words.ts'

/** What a command may touch besides files. */
export interface Io {
  /** Prints one or more lines on standard output; the last line end is added. */
  readonly out: (text: string) => void
  /** The same on standard error. */
  readonly err: (text: string) => void
  readonly stdin: Readable
  /** Colours a text where standard output shows colours (https://no-color.org). */
  readonly styled: (style: 'red' | 'green' | 'bold', text: string) => string
  readonly env: Environment
  /** Where relative paths start. */
  readonly cwd: string
  readonly now: () => UnixSeconds
  /** What the process ends with: `EXIT`. */
  exitCode: number
}

/** Every exit code. */
export const EXIT = {
  done: 0,
  problems: 1,
  usage: 2,
  /** EX_SOFTWARE of sysexits.h. */
  defect: 70,
} as const

export const EXIT_MEANS: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], string>> = {
  [EXIT.done]: 'done, no problem found',
  [EXIT.problems]: 'problems were found, or the command failed: see standard error; nothing was changed',
  [EXIT.usage]: 'usage error: nothing was read or changed',
  [EXIT.defect]: 'internal error of hv, with its stack on standard error: please report it',
}

interface Surroundings {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Environment
  readonly cwd: string
  readonly now?: () => UnixSeconds
}

export function ioOf({ stdin, stdout, stderr, env, cwd, now = machineTime }: Surroundings): Io {
  return {
    out: (text) => void stdout.write(`${inert(text)}\n`),
    err: (text) => void stderr.write(`${inert(text)}\n`),
    styled: (style, text) => styleText(style, text, { stream: stdout }),
    stdin,
    env,
    cwd,
    now,
    exitCode: EXIT.done,
  }
}

const machineTime = (): UnixSeconds => unixSeconds(Math.floor(Date.now() / 1000))

const unicodeEscape = (char: string): string => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`

/** Everything that moves a cursor, turns the direction of text or hides: Cc and Cf of Unicode, and its two line ends. */
const ACTIVE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
/** The same without line ends and tabs, and without the colours of `styled`. */
const ESCAPE = String.fromCharCode(27)
const ACTIVE_OR_COLOUR = new RegExp(
  String.raw`${ESCAPE}\[(?:1|22|31|32|39)m|(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]`,
  'gu',
)

/** Makes a text from outside harmless, on one line: ESC is printed as the six characters `\u001b`. */
export const inertLine = (text: string): string => text.replaceAll(ACTIVE, unicodeEscape)

/**
 * Makes lines harmless for a terminal, whoever chose their words. JSON stays the same JSON, because `\u` is its escape too.
 */
const inert = (text: string): string =>
  text.replaceAll(ACTIVE_OR_COLOUR, (match) => (match.length > 2 ? match : unicodeEscape(match)))
