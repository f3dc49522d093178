import { type FSWatcher, unwatchFile, watch, watchFile } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sitesFolder } from '../yaml/sources.ts'

/** Milliseconds between two looks at a single file. */
const LOOK_AT_FILE = 1000
/** Milliseconds between two looks at a folder, for file systems that do not tell of changes (network mounts). */
const LOOK_AT_FOLDER = 10_000
/** Milliseconds to wait for more: `hv site add --from` writes a thousand files in one go. */
const SETTLE = 200

/** Milliseconds by which a file system's clock may be behind ours. */
const COARSE = 10

export interface WatchedConfig {
  readonly file: string
  readonly folder: string | undefined
  /** Unix milliseconds, before it was read: what changed between then and now is told at once. */
  readonly readAt: number
}

/**
 * Calls back after every change of a configuration: of the file, or of any file of the folder.
 *
 * A folder costs nothing while nothing changes: the system tells. Where it does not, it is looked at every 10 s.
 *
 * @returns stops watching.
 */
export function watchConfig(config: WatchedConfig, changed: () => void): () => void {
  const { file, folder } = config
  void changedSince(config).then((isChanged) => isChanged && changed())
  if (folder !== undefined) return watchFolder(folder, changed)
  watchFile(file, { interval: LOOK_AT_FILE, persistent: false }, changed)
  return () => unwatchFile(file, changed)
}

function watchFolder(folder: string, changed: () => void): () => void {
  let watchers: readonly FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  let lastMark: string | undefined

  const look = async (): Promise<void> => {
    const mark = await markOf(folder)
    const isNew = lastMark !== undefined && mark !== lastMark
    lastMark = mark
    if (isNew) changed()
  }
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      arm()
      void look()
    }, SETTLE).unref()
  }
  // Anew after each change: `sites` may just have come, or be another folder under the same name.
  function arm(): void {
    for (const each of watchers) each.close()
    watchers = [folder, sitesFolder(folder)].flatMap((path) => {
      try {
        const watcher = watch(path, { persistent: false }, soon)
        // Whatever it is (the folder is gone, the system has no more watches), the looks go on.
        return [watcher.on('error', () => {})]
      } catch {
        return []
      }
    })
  }
  arm()
  void look()
  const looks = setInterval(() => void look(), LOOK_AT_FOLDER).unref()
  return () => {
    clearInterval(looks)
    clearTimeout(timer)
    for (const each of watchers) each.close()
  }
}

/** Another one after every change of a file that counts. */
async function markOf(folder: string): Promise<string> {
  const marks: string[] = []
  // One after the other: a thousand at once would keep the few threads that do this from everything else.
  for (const path of await filesOf(folder)) {
    const stats = await stat(path).catch(() => undefined)
    if (stats) marks.push(`${path} ${stats.ino} ${stats.size} ${stats.mtimeMs}`)
  }
  return marks.join('\n')
}

/** A rename leaves the time of writing as it was, but not that of the last change (`ctime`). */
async function changedSince({ file, folder, readAt }: WatchedConfig): Promise<boolean> {
  const paths = folder === undefined ? [file] : [folder, sitesFolder(folder), ...(await filesOf(folder))]
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined)
    if (stats && Math.max(stats.ctimeMs, stats.mtimeMs) > readAt - COARSE) return true
  }
  return false
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const sites = await readdir(sitesFolder(folder)).catch((): string[] => [])
  const files = sites.filter((name) => !name.startsWith('.')).map((name) => join(sitesFolder(folder), name))
  return [join(folder, 'config.yaml'), ...files]
}
