import cluster from 'node:cluster'
import { ConfigError, formatReport } from './schema/problem.ts'
import { checkConfig, type Config, loadConfig } from './settings/load.ts'
import { loadInThread } from './settings/reload.ts'

/**
 * Reads the configuration of a service inside another program.
 *
 * @param config a path, or what a file says.
 * @returns the settings, and what reads them again; undefined where there is no file.
 * @throws {Error} with the whole report; and without Redis in one of several processes.
 */
export function embeddedConfig(config: string | object) {
  const settings = read(config)
  if (settings.redis === undefined && isOneOfMany())
    throw new Error('several processes need a shared ledger: set redis in the configuration')
  const load =
    typeof config === 'string'
      ? () => loadInThread(config, { ...process.env }, process.cwd())
      : undefined
  return { settings, load }
}

function read(config: string | object): Config {
  try {
    return typeof config === 'string'
      ? loadConfig(config, process.env)
      : checkConfig(JSON.stringify(config), 'options.config', {})
  } catch (error) {
    throw error instanceof ConfigError ? new Error(formatReport(error), { cause: error }) : error
  }
}

/** Reports, as far as it can be seen, whether other processes do the same: a worker of `node:cluster` (PM2 too), or a function that its host starts as often as it likes. */
const isOneOfMany = (): boolean =>
  cluster.isWorker ||
  ['AWS_LAMBDA_FUNCTION_NAME', 'VERCEL', 'K_SERVICE'].some(
    (name) => process.env[name] !== undefined,
  )
