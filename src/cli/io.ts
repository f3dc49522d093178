import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Environment } from '../settings/load.ts'
import { type UnixSeconds, unixSeconds } from '../domain/words.ts'
import { inertLine } from '../ops/pretty-line.ts'

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
  [EXIT.problems]:
    'problems were found, or the command failed: see standard error; nothing was changed',
  [EXIT.usage]: 'usage error: nothing was read or changed',
  [EXIT.defect]: 'internal error of hv, with its stack on standard error: please report it',
}

interface Surroundings extends Pick<Io, 'stdin' | 'env' | 'cwd'>, Partial<Pick<Io, 'now'>> {
  readonly stdout: Writable
  readonly stderr: Writable
}

const machineTime = (): UnixSeconds => unixSeconds(Math.floor(Date.now() / 1000))

export function ioOf({ stdout, stderr, now = machineTime, ...others }: Surroundings): Io {
  return {
    ...others,
    out: (text) => void stdout.write(`${inert(text)}\n`),
    err: (text) => void stderr.write(`${inert(text)}\n`),
    styled: (style, text) => styleText(style, text, { stream: stdout }),
    now,
    exitCode: EXIT.done,
  }
}

/** Line ends, tabs and the colours of `styled`. */
const KEPT = new RegExp(String.raw`(${String.fromCharCode(27)}\[(?:1|22|31|32|39)m|[\n\t])`)

/** Escapes what could control a terminal. JSON keeps its meaning, because `\u` is JSON's own escape. */
const inert = (text: string): string =>
  text
    .split(KEPT)
    .map((part, index) => (index % 2 === 1 ? part : inertLine(part)))
    .join('')
