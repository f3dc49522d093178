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
 * `loadConfig`, reading and checking in a thread: a thousand sites take a third of a second, and requests must not wait.
 *
 * @throws {ConfigError} with every problem at once.
 */
export async function loadInThread(file: string, env: Environment, cwd: string): Promise<Config> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { task: TASK, file, env, cwd } })
  thread.unref()
  // Rejects when the thread fails.
  const [answer] = (await once(thread, 'message')) as [Checked | Pick<ConfigError, 'file' | 'problems'>]
  if ('problems' in answer) throw new ConfigError(answer.file, answer.problems)
  return buildConfig(answer)
}

const TASK = 'check the configuration'
/** In the thread; plain values alone can leave it. */
if ((workerData as { task?: string } | null)?.task === TASK) {
  const { file, env, cwd } = workerData as { file: string; env: Environment; cwd: string }
  try {
    parentPort?.postMessage(checkedSources(readSources(file, cwd), env, cwd), [])
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    parentPort?.postMessage({ file: error.file, problems: error.problems }, [])
  }
}

const LONGEST_LIFE = seconds(3600)
const UNCHANGED = 'nothing has changed: the configuration has the same bytes'

/** Lists the files of a configuration: the one, or all of the folder. */
export const configFiles =
  ({ file, folder }: Pick<Config, 'file' | 'folder'>) =>
  (): readonly string[] =>
    folder === undefined ? [file] : [join(folder, MAIN), ...siteFiles(sitesFolder(folder))]

/** Holds the sites in force. All of them are replaced in one step, so a request sees one policy or the other. */
export function reloadableSites(config: Config, { log, meters }: { readonly log: Log; readonly meters: Meters }) {
  let { sites } = config
  /** Of what was read last; undefined: it was refused. */
  let digest: string | undefined = config.digest
  let directory = siteDirectory(sites)
  let last: Promise<void> = Promise.resolve()

  async function take(load: () => Promise<Config>): Promise<void> {
    try {
      const next = await load()
      sites = next.sites
      directory = siteDirectory(sites)
      log.info(next.digest === digest ? UNCHANGED : 'sites reloaded', { detail: `${sites.length} sites` })
      digest = next.digest
      meters.reloaded('configuration')
      const waiting = changedSettings(config, next)
      if (waiting.length > 0) log.warn('settings that take effect at the next start', { detail: waiting.join(', ') })
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
    /** How many are in force. */
    count: () => sites.length,
    /** The shortest that a challenge or token of any of them lives. */
    shortestLife: () =>
      sites.reduce((least, each) => seconds(Math.min(least, each.tokenLifetime, each.challengeLifetime)), LONGEST_LIFE),
    /** One at a time. @returns when it is done; never rejects. */
    reload: (load: () => Promise<Config>): Promise<void> => (last = last.then(() => take(load))),
  }
}

function firstOf(error: ConfigError): string {
  const [first] = error.problems
  return `${error.message}, first: ${first?.file ?? error.file}:${first?.line ?? '-'}:${first?.column ?? '-'} ${first?.where} ${first?.says}`
}

/** Names the settings, other than the sites, that are not as they were at the start; in the words of the file. */
function changedSettings(started: Config, now: Config): readonly string[] {
  const names = new Set([...Object.keys(started), ...Object.keys(now)] as (keyof Config)[])
  return [...names]
    .filter(
      (name) => name !== 'sites' && name !== 'digest' && JSON.stringify(started[name]) !== JSON.stringify(now[name]),
    )
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}
