/** The thread of load-in-thread.ts: loads once, answers, ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { ConfigError, type Environment } from '../config.ts'
import type { Loaded } from './load-in-thread.ts'
import { loadConfig } from '../load.ts'

const { file, env, cwd } = workerData as { file: string; env: Environment; cwd: string }
// The second argument is of no use here, but without it lint takes this for a window's message.
parentPort?.postMessage(load(), [])

function load(): Loaded {
  try {
    return { config: loadConfig(file, env, cwd) }
  } catch (error) {
    if (error instanceof ConfigError) return { refused: { file: error.file, problems: error.problems } }
    throw error
  }
}
