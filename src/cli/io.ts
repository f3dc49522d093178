import type { Environment } from '../config/config.ts'
import type { UnixSeconds } from '../domain/words.ts'

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
}

/** Exit codes: 0 done, 1 refused or a problem, 2 called wrongly. */
export type Run = (args: string[], io: Io) => Promise<number>

export interface Command {
  /** One line for `hv help`. */
  readonly summary: string
  readonly run: Run
}
