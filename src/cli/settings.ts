import type { EditTarget } from '../config/edit/edit-sites.ts'
import type { Config } from '../config/config.ts'
import { configFile, loadConfig } from '../config/load.ts'
import type { Progress } from '../config/progress.ts'
import type { Io } from './io.ts'

/**
 * The configuration that a command works with; says how far it is read, since a folder may have thousands of files.
 *
 * @param option as in `--config`. @throws {ConfigError}
 */
export function settings(option: string | undefined, io: Io): Config {
  const { file, env, cwd, progress } = settingsToEdit(option, io)
  try {
    return loadConfig(file, env, cwd, progress)
  } finally {
    io.progress?.(undefined)
  }
}

/** The same for commands that change it. */
export function settingsToEdit(option: string | undefined, io: Io): Required<EditTarget> {
  const file = configFile(option, io.env)
  io.progress?.(`reading ${file}`)
  const progress: Progress = (doing, nth, of) => io.progress?.(`${doing} ${file}: ${outOf(nth, of)}`)
  return { file, env: io.env, cwd: io.cwd, progress }
}

/** Of a progress line: `1,200 of 10,000`. */
export const outOf = (done: number, of: number): string => `${done.toLocaleString('en')} of ${of.toLocaleString('en')}`
