import { stat } from 'node:fs/promises'
import type { Log } from '../domain/observing.ts'

/** Files that are reloaded together. */
export interface WatchedFiles {
  /** Lists the files; called at each poll, since those of a folder come and go. */
  readonly files: () => readonly string[] | Promise<readonly string[]>
  /** Called when a change has settled. An error is a bug of ours: it is logged, and watching goes on. */
  readonly changed: () => void | Promise<void>
  /** The time at which they were read, in Unix milliseconds; files that are newer count as changed. */
  readonly readAt: number
}

export type FileWatcher = Awaited<ReturnType<typeof watchFiles>>

/** Milliseconds between two polls. */
const EVERY = 1000
/** Milliseconds by which a file system's clock may be behind ours. */
const COARSE = 10
/** Above this number of files the interval grows in proportion, up to a number of intervals. */
const AT_ONCE = 100
const MOST_SKIPPED = 30

/**
 * Polls every file that the configuration names, which works on every file system: a mounted ConfigMap is a symbolic link that is
 * replaced, and a network mount sends no events. Two consecutive polls must agree, so that half a file is never read.
 */
export async function watchFiles(groups: readonly WatchedFiles[], log: Log, everyMs = EVERY) {
  const states = await Promise.all(
    groups.map(async (group) => {
      const { fingerprint, newest } = await statFiles(group)
      const isStale = newest > group.readAt - COARSE
      return { group, loaded: isStale ? '' : fingerprint, last: fingerprint, skip: 0 }
    }),
  )
  const reported = new Set<string>()
  const lookAt = async (state: (typeof states)[number]): Promise<void> => {
    if (state.skip-- > 0) return
    const { fingerprint, count, orphans } = await statFiles(state.group)
    for (const file of orphans.filter((each) => !reported.has(each))) {
      reported.add(file)
      log.warn('a file that is mounted alone was replaced: the service still sees the old one', {
        detail: file,
        hint: 'mount its folder instead, and restart: docs/operate/upgrades.md',
      })
    }
    const isSettled = fingerprint === state.last
    state.last = fingerprint
    // A change is checked again immediately; a thousand unchanged files every ten seconds, ten thousand every half minute.
    state.skip = isSettled ? Math.min(MOST_SKIPPED, Math.floor(count / AT_ONCE)) : 0
    if (!isSettled || fingerprint === state.loaded) return
    state.loaded = fingerprint
    await state.group.changed()
  }
  let looking: Promise<void> | undefined
  const look = (): Promise<void> => {
    // One check at a time: they must not pile up on a slow disk.
    looking ??= Promise.all(states.map(lookAt))
      .then(() => undefined)
      .catch((cause: unknown) => log.error('internal error', { cause }))
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  /** `look` polls immediately. */
  return { look, stop: () => clearInterval(timer) }
}

/**
 * Returns `fingerprint`, a text of each file's inode, size and mtime, which a write, a rename or a new link in the path changes;
 * `newest`, the Unix milliseconds of the last change; and `orphans`, files that were replaced but are still mounted.
 */
async function statFiles({ files }: WatchedFiles) {
  const lines: string[] = []
  const orphans: string[] = []
  let newest = 0
  // The files are read in sequence: a thousand at once would occupy all of libuv's threads.
  for (const file of await files()) {
    const found = await stat(file).catch((error: unknown) => (error as NodeJS.ErrnoException).code)
    lines.push(
      typeof found === 'object'
        ? `${file} ${found.ino} ${found.size} ${found.mtimeMs}`
        : `${file} ${found}`,
    )
    // A rename changes ctime but not mtime.
    if (typeof found !== 'object') continue
    newest = Math.max(newest, found.ctimeMs, found.mtimeMs)
    if (found.nlink === 0) orphans.push(file)
  }
  return { fingerprint: lines.join('\n'), count: lines.length, newest, orphans }
}
