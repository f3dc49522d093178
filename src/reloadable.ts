/** What can be read again while the service runs. A reload replaces it in one step, or changes nothing and says why. */
import { type Config, ConfigError } from './config/config.ts'
import { type SiteDirectory, siteDirectory } from './config/sites.ts'
import { scenarioSites } from './domain/scenarios.ts'
import type { Site } from './domain/site.ts'
import type { Log, Meters } from './ports/observing.ts'
import type { Clock, Sites } from './ports/stores.ts'
import { type Keyring, keyring, newKey, readKeyringFile } from './tokens/keyring.ts'

interface Told {
  readonly log: Log
  readonly meters: Meters
}

export interface ReloadableSites extends Sites {
  /** How many are in force. */
  count(): number
  /** One at a time: asked for while one runs, another follows it. @returns when the last of them is done. */
  reload(load: () => Config | Promise<Config>): Promise<void>
}

/** The sites in force. All of them are replaced in one step, so a request sees one policy or the other. */
export function reloadableSites(config: Config, { log, meters }: Told): ReloadableSites {
  // As it was started: no edit of a file turns a running service into one that protects nothing, or back.
  const withScenarios = (sites: readonly Site[]): readonly Site[] =>
    config.mode === 'test' ? [...sites, ...scenarioSites(sites.flatMap(({ hostnames }) => hostnames))] : sites
  let inForce = config
  let directory: SiteDirectory = siteDirectory(withScenarios(config.sites))
  let running: Promise<void> | undefined
  let again = false

  async function take(load: () => Config | Promise<Config>): Promise<void> {
    try {
      const next = await load()
      directory = siteDirectory(withScenarios(next.sites))
      inForce = { ...config, sites: next.sites }
      log.info('sites reloaded', { detail: `${next.sites.length} sites` })
      meters.reloaded('configuration')
      const waiting = otherSettings(config, next)
      if (waiting.length > 0) log.warn('settings that take effect at the next start', { detail: waiting.join(', ') })
    } catch (error) {
      const detail = error instanceof ConfigError ? firstOf(error) : String(error)
      log.error('sites not reloaded; the old ones stay in force', { detail })
      meters.reloaded('configuration', detail)
    }
  }
  return {
    bySitekey: (sitekey) => directory.bySitekey(sitekey),
    bySecret: (secret, now) => directory.bySecret(secret, now),
    anyAllows: (hostname) => directory.anyAllows(hostname),
    count: () => inForce.sites.length,
    reload(load) {
      again = running !== undefined
      running ??= (async () => {
        try {
          do {
            again = false
            await take(load)
          } while (again)
        } finally {
          running = undefined
        }
      })()
      return running
    },
  }
}

function firstOf({ file, problems }: ConfigError): string {
  const [first] = problems
  return `${problems.length} to fix, first: ${first?.file ?? file}:${first?.line ?? '-'}:${first?.column ?? '-'} ${first?.where} ${first?.says}`
}

/** Names of the settings, other than the sites, that are not as they were at the start. */
function otherSettings(started: Config, now: Config): readonly string[] {
  const names = Object.keys(started) as (keyof Config)[]
  return names.filter((name) => name !== 'sites' && JSON.stringify(started[name]) !== JSON.stringify(now[name]))
}

export interface ReloadableKeyring extends Keyring {
  reload(): Promise<void>
}

/** The keyring in force: of the file, or of this start. A key that was added opens, and in its time seals, from then on. */
export async function reloadableKeyring(
  file: string | undefined,
  { log, meters, clock }: Told & { readonly clock: Clock },
): Promise<ReloadableKeyring> {
  let current = keyring(file === undefined ? [newKey(clock.now())] : readKeyringFile(file))
  return {
    byKid: (kid) => current.byKid(kid),
    activeAt: (now) => current.activeAt(now),
    async reload() {
      if (file === undefined) return
      try {
        current = keyring(readKeyringFile(file))
        meters.reloaded('keyring')
      } catch (error) {
        const detail = (error as Error).message
        log.error('keyring not reloaded; the old one stays in force', { detail })
        meters.reloaded('keyring', detail)
      }
    },
  }
}
