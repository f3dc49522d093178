import { Worker } from 'node:worker_threads'
import { type Config, ConfigError, type Environment, type Problem } from '../config.ts'
import { deepFreeze } from '../freeze.ts'

/** The answer of the thread in thread.ts. */
export type Loaded =
  { readonly config: Config } | { readonly refused: { readonly file: string; readonly problems: readonly Problem[] } }

/**
 * `loadConfig` in a thread of its own, which ends with it: a thousand sites are a third of a second of work, and
 * requests must not wait for it.
 *
 * @throws {ConfigError} with every problem at once.
 */
export function loadAside(file: string, env: Environment, cwd: string): Promise<Config> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('thread.js', import.meta.url), { workerData: { file, env, cwd } })
    thread.once('message', (loaded: Loaded) => {
      if ('config' in loaded) resolve(deepFreeze(loaded.config))
      else reject(new ConfigError(loaded.refused.file, loaded.refused.problems))
    })
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the configuration's thread ended with ${code}`)))
    thread.unref()
  })
}
