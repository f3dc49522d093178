import { ConfigError } from '../config/config.ts'
import { formatReport } from '../config/report.ts'
import { EditError } from '../config/replace-file.ts'
import { type UnixSeconds, unixSeconds } from '../domain/words.ts'
import { KeyringError } from '../token/keyring.ts'
import type { Io, Run } from './io.ts'

/** Called wrongly; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Wording {
  /** What `--help` prints, and what a wrong call is pointed to. */
  readonly usage: string
  /** What did not happen when the configuration has problems. */
  readonly consequence?: string
}

/** Adds to a command what all commands have: `--help`, and a sentence and an exit code for every expected failure. */
export function command(wording: Wording, run: Run): Run {
  return async (args, io) => {
    if (args.includes('--help') || args.includes('-h')) {
      io.out(wording.usage)
      return 0
    }
    try {
      return await run(args, io)
    } catch (error) {
      if (error instanceof ConfigError) io.err(formatReport(error, wording.consequence))
      else if (error instanceof EditError || error instanceof KeyringError) io.err(error.message)
      else if (isUsage(error)) {
        io.err(`${error.message}\n\n${wording.usage}`)
        return 2
      } else throw error
      return 1
    }
  }
}

/** Ours, or that of `parseArgs` (an unknown option, a missing value). */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS')
}

/** The time of a command, read once. */
export const nowOf = ({ now }: Io): UnixSeconds => now?.() ?? unixSeconds(Math.floor(Date.now() / 1000))
