import { meaningOf } from '../config/checks/app-origins.ts'
import { ConfigError } from '../config/config.ts'
import { configFile } from '../config/load.ts'
import { command } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { settings } from './settings.ts'

/** `hv check`: every problem of the configuration, or one line that there is none. */
export const check = command(
  {
    name: 'check',
    summary: 'validates the configuration: every problem at once, with file, line and column',
    about: `Checks the configuration, with the environment variables laid over it, and names every problem at once. Files that it
names (the keyring, network files, certificates) may be on another machine: only hv serve opens them.`,
    options: { ...CONFIG, ...JSON_OUTPUT },
    examples: [
      'hv check',
      'hv check --config /etc/human-verification/config.yaml',
      'HV_LISTEN=0.0.0.0:8080 hv check',
      'hv check --json',
    ],
    refusal: 'it cannot be used',
  },
  async ({ config, json }, io) => {
    try {
      const path = configFile(config, io.env)
      const { mode, sites, redis } = settings(path, io)
      const ledger = redis === undefined ? 'the embedded ledger' : 'Redis'
      const summary = `${path}: fine; ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}, ${ledger}${mode === 'test' ? '; TEST MODE, it protects nothing' : ''}`
      const notes = sites.flatMap(({ name, appOrigins = [] }) =>
        appOrigins.map((origin) => `${name}: ${meaningOf(origin)}`),
      )
      if (json) io.out(JSON.stringify({ file: path, fine: true, sites: sites.length, mode, problems: [], notes }))
      else for (const line of [summary, ...notes]) io.out(line)
      return EXIT.done
    } catch (error) {
      if (!json || !(error instanceof ConfigError)) throw error
      io.out(JSON.stringify({ file: error.file, fine: false, problems: error.problems }))
      return EXIT.problems
    }
  },
)
