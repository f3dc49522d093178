import type { Amended } from '../config/amend.ts'
import type { Config } from '../config/config.ts'
import { configFile, loadConfig } from '../config/load.ts'
import type { Watch } from '../config/watch-files.ts'
import type { Io } from './io.ts'

/**
 * The configuration that a command works with; says how far it is read, since a folder may have thousands of files.
 *
 * @param named as in `--config`. @throws {ConfigError}
 */
export function settings(named: string | undefined, io: Io): Config {
  const { file, env, cwd, watch } = settingsToAmend(named, io)
  try {
    return loadConfig(file, env, cwd, watch)
  } finally {
    io.progress?.(undefined)
  }
}

/** The same for commands that change it. */
export function settingsToAmend(named: string | undefined, io: Io): Required<Amended> {
  const file = configFile(named, io.env)
  io.progress?.(`reading ${file}`)
  const watch: Watch = (doing, nth, of) => io.progress?.(`${doing} ${file}: ${outOf(nth, of)}`)
  return { file, env: io.env, cwd: io.cwd, watch }
}

/** Of a progress line: `1,200 of 10,000`. */
export const outOf = (done: number, of: number): string => `${done.toLocaleString('en')} of ${of.toLocaleString('en')}`
