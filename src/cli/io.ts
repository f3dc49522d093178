import type { Environment } from '../config/config.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { Description } from './describe.ts'

/** What a command may touch besides files; tests give their own. */
export interface Io {
  /** One or more lines for standard output; the last line end is added. */
  readonly out: (text: string) => void
  /** The same for standard error. */
  readonly err: (text: string) => void
  readonly env: Environment
  /** Where relative paths start. */
  readonly cwd: string
  /** Left out: the machine's clock. */
  readonly now?: () => UnixSeconds
  /** All of standard input, for commands that are given `-`. Left out: there is none. */
  readonly input?: () => Promise<string>
  /** Says how far a long command is, on one line that is written over; undefined ends it. Left out: nobody watches. */
  readonly progress?: (text: string | undefined) => void
  /** Whether standard output is a terminal that may be coloured (https://no-color.org). Left out: no. */
  readonly colours?: boolean
}

/** @returns an exit code: src/cli/exit-codes.ts. */
export type Run = (args: string[], io: Io) => Promise<number>

export interface Command extends Description {
  readonly run: Run
  /** Of a group: the commands named second, such as `hv site add`. */
  readonly commands?: Readonly<Record<string, Command>>
}
