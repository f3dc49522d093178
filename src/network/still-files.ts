import { stat } from 'node:fs/promises'

export interface Watched {
  readonly file: string
  /** Called once a changed file stands still. It must not throw. */
  readonly changed: () => Promise<void>
}

export interface Watching {
  /** Looks now; a file is taken when two looks in a row find it the same, and other than it was taken last. */
  look(): Promise<void>
  stop(): void
}

/**
 * Watches files by looking, which works on every file system, mounted volumes included.
 *
 * A file that is being written looks different each time, so half of it is never taken; one that was put in place by
 * a rename is taken after two looks.
 *
 * @param everyMs milliseconds between two looks.
 */
export async function watchStill(files: readonly Watched[], everyMs: number): Promise<Watching> {
  const marks = new Map<Watched, { taken: string; last: string }>()
  for (const each of files) {
    const mark = await markOf(each.file)
    marks.set(each, { taken: mark, last: mark })
  }

  const lookAt = async (each: Watched): Promise<void> => {
    const mark = await markOf(each.file)
    const before = marks.get(each)!
    const take = mark !== '' && mark === before.last && mark !== before.taken
    marks.set(each, { taken: take ? mark : before.taken, last: mark })
    if (take) await each.changed()
  }
  let looking: Promise<void> | undefined
  const look = (): Promise<void> => {
    // One look at a time: a slow disk must not pile them up.
    looking ??= Promise.all(files.map(lookAt)).then(() => void (looking = undefined))
    return looking
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  return { look, stop: () => clearInterval(timer) }
}

/** Changes whenever the file does; empty while it is not there. */
async function markOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(file)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}
