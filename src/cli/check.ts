import { meaningOf, type Site, thresholdsOf } from '../domain/site.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { configFile, loadConfig } from '../settings/load.ts'
import { ConfigError } from '../schema/problem.ts'
import { configOption, define, jsonOption, print } from './command.ts'
import { EXIT, type Io } from './io.ts'

/** `hv check`: every problem of the configuration, or one line that there is none. */
export const checkCommand = (io: Io) =>
  define('check', {
    summary: 'validate the configuration: every problem at once, with file, line and column',
    about: `Checks the configuration, with the environment variables applied, and names every problem at once. Files that it names (the keyring, network files, certificates) may be on another machine: only hv serve opens them.`,
    examples: [
      'hv check',
      'hv check --config /etc/human-verification/config.yaml',
      'HV_LISTEN=0.0.0.0:8080 hv check --json',
    ],
    fails: 'the configuration cannot be used',
  })
    .addOption(configOption())
    .addOption(jsonOption())
    .action(({ config, json }) => {
      try {
        const path = configFile(config, io.env)
        const { sites, redis } = loadConfig(path, io.env, io.cwd)
        const notes = sites.flatMap((site) =>
          notesOf(site, io.now()).map((note) => `${site.name}: ${note}`),
        )
        const ledger = redis === undefined ? 'the embedded ledger' : 'Redis'
        const fine = `${path}: fine; ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}, ${ledger}`
        const data = { file: path, fine: true, sites: sites.length, problems: [], notes }
        print(io, json, data, () => [fine, ...notes].join('\n'))
      } catch (error) {
        if (!json || !(error instanceof ConfigError)) throw error
        io.out(JSON.stringify({ file: error.file, fine: false, problems: error.problems }))
        io.exitCode = EXIT.problems
      }
    })

/** Scores of a second chance end here (docs/widget/refused.md). */
const BEST_SECOND_CHANCE = 0.65

/** Days before its expiry from which the last secret of a site is named. */
const SOON = 14

/** Score of a visitor who touched nothing, in a page in front (docs/widget/javascript.md, "Calls without a form"). */
const UNTOUCHED = 0.48
/** Names of actions that suggest a page without any input. */
const SILENT = /silent|invisible|background|passive|(page|on)-?(load|view)/i

/** Warns about what is allowed, but probably not intended. */
function notesOf(site: Site, now: UnixSeconds): readonly string[] {
  const { sitekey, appOrigins = [], actions = [], secrets, stepUp, scoreThreshold } = site
  const days = Math.floor(
    (Math.max(...secrets.map(({ notAfter }) => notAfter ?? Infinity)) - now) / 86_400,
  )
  const rotate = `hv site rotate ${sitekey} makes a new one`
  const ending =
    days < 0
      ? `all secrets have expired: ${rotate}`
      : `the last secret expires in ${days} days: ${rotate}`
  const idle = `step_up has no effect: a second try reaches at most ${BEST_SECOND_CHANCE}, and score_threshold is ${scoreThreshold}`
  return [
    ...appOrigins.map(meaningOf),
    ...(days < SOON ? [ending] : []),
    ...actions.flatMap((action) => {
      const { scoreThreshold: most } = thresholdsOf(site, action)
      const refused = `an untouched page scores ${UNTOUCHED}, and the threshold of ${action} is ${most}: every visitor is refused`
      return SILENT.test(action) && most > UNTOUCHED ? [refused] : []
    }),
    ...(stepUp !== 'off' && scoreThreshold > BEST_SECOND_CHANCE ? [idle] : []),
  ]
}
