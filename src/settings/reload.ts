import { once } from 'node:events'
import { join } from 'node:path'
import { Worker, parentPort, workerData } from 'node:worker_threads'
import type { Log, Meters } from '../domain/observing.ts'
import { seconds, type UnixSeconds } from '../domain/words.ts'
import { MAIN, readSources, siteFiles, sitesFolder } from './sources.ts'
import { buildConfig, type Checked, checkedSources, type Config, type Environment } from './load.ts'
import { ConfigError } from '../schema/problem.ts'
import { siteDirectory } from './site-directory.ts'

/**
 * Does what `loadConfig` does, in a thread: a thousand sites take a third of a second, and requests must not wait.
 *
 * @throws {ConfigError} with every problem at once.
 */
export async function loadInThread(file: string, env: Environment, cwd: string): Promise<Config> {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { task: TASK, file, env, cwd },
  })
  thread.unref()
  // Rejects when the thread fails.
  const [answer] = (await once(thread, 'message')) as [
    Checked | Pick<ConfigError, 'file' | 'problems'>,
  ]
  if ('problems' in answer) throw new ConfigError(answer.file, answer.problems)
  return buildConfig(answer)
}

const TASK = 'check the configuration'
/** Runs in the thread, which can post only plain values. */
if ((workerData as { task?: string } | null)?.task === TASK) {
  const { file, env, cwd } = workerData as { file: string; env: Environment; cwd: string }
  try {
    parentPort?.postMessage(checkedSources(readSources(file, cwd), env, cwd))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    parentPort?.postMessage({ file: error.file, problems: error.problems })
  }
}

const LONGEST_LIFE = seconds(3600)
const UNCHANGED = 'nothing has changed: the configuration has the same bytes'

/** Lists the files of a configuration. */
export const configFiles =
  ({ file, folder }: Pick<Config, 'file' | 'folder'>) =>
  (): readonly string[] =>
    folder === undefined ? [file] : [join(folder, MAIN), ...siteFiles(sitesFolder(folder))]

/** Keeps the current sites. All of them are replaced at once, so a request never sees a mixture. */
export function reloadableSites(
  config: Config,
  { log, meters }: { readonly log: Log; readonly meters: Meters },
) {
  let { sites } = config
  /** Digest of what was read last; undefined if it was refused. */
  let digest: string | undefined = config.digest
  let directory = siteDirectory(sites)
  let last: Promise<void> = Promise.resolve()

  async function take(load: () => Promise<Config>): Promise<void> {
    try {
      const next = await load()
      sites = next.sites
      directory = siteDirectory(sites)
      log.info(next.digest === digest ? UNCHANGED : 'sites reloaded', {
        detail: `${sites.length} sites`,
      })
      digest = next.digest
      meters.reloaded('configuration')
      const waiting = changedSettings(config, next)
      if (waiting.length > 0)
        log.warn('settings that take effect at the next start', { detail: waiting.join(', ') })
    } catch (error) {
      const detail = error instanceof ConfigError ? firstOf(error) : String(error)
      digest = undefined
      log.error('sites not reloaded; the old ones stay in force', { detail })
      meters.reloaded('configuration', detail)
    }
  }
  return {
    bySitekey: (sitekey: string) => directory.bySitekey(sitekey),
    bySecret: (secret: string, now: UnixSeconds) => directory.bySecret(secret, now),
    /** Number of current sites. */
    count: () => sites.length,
    /** The shortest lifetime of a challenge or token at any of them. */
    shortestLife: () =>
      sites.reduce(
        (least, each) => seconds(Math.min(least, each.tokenLifetime, each.challengeLifetime)),
        LONGEST_LIFE,
      ),
    /** Reloads, one at a time; never rejects. */
    reload(load: () => Promise<Config>): Promise<void> {
      last = last.then(() => take(load))
      return last
    },
  }
}

function firstOf(error: ConfigError): string {
  const [first] = error.problems
  return `${error.message}, first: ${first?.file ?? error.file}:${first?.line ?? '-'}:${first?.column ?? '-'} ${first?.where} ${first?.says}`
}

/** Returns the names, as in the file, of settings outside the sites that have changed since the start. */
function changedSettings(started: Config, now: Config): readonly string[] {
  const names = new Set([...Object.keys(started), ...Object.keys(now)] as (keyof Config)[])
  return [...names]
    .filter(
      (name) =>
        name !== 'sites' &&
        name !== 'digest' &&
        JSON.stringify(started[name]) !== JSON.stringify(now[name]),
    )
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}
