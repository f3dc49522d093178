import { parseArgs } from 'node:util'
import { configFile, loadConfig } from '../config/load.ts'
import { command } from './command.ts'

const usage = `hv check [--config FILE]

Checks the configuration and names every problem at once, with line and column.
Exit code 0: it can be used; 1: it cannot.

  hv check
  hv check --config /etc/human-verification/config.yaml
  HV_LISTEN=0.0.0.0:8080 hv check`

/** `hv check`: every problem of the configuration, or one line that there is none. */
export const check = command({ usage }, async (args, io) => {
  const { values } = parseArgs({ args, options: { config: { type: 'string' } } })
  const { file, mode, sites, redis } = loadConfig(configFile(values.config, io.env), io.env, io.cwd)
  const ledger = redis === undefined ? 'the embedded ledger' : 'Redis'
  io.out(
    `${file}: fine; ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}, ${ledger}${mode === 'test' ? '; TEST MODE, it protects nothing' : ''}`,
  )
  return 0
})
