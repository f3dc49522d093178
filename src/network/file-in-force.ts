import type { Log } from '../ports/observing.ts'
import type { Watched } from './still-files.ts'

/** A file of the operator, read whole. */
export interface FileInForce<T> extends Watched {
  /** The content of the last version that was whole. */
  now(): T
}

/**
 * Reads a file, and again whenever `watchStill` says that it has changed: a new version with a problem leaves the old
 * one in force and says so.
 *
 * @param read throws an `Error` with a sentence for the operator.
 * @param kind for the log: `network file`.
 * @throws {Error} with such a sentence, where the file cannot be read at first.
 */
export async function fileInForce<T>(
  file: string,
  read: (file: string) => Promise<T>,
  kind: string,
  log: Log,
): Promise<FileInForce<T>> {
  let current = await read(file).catch((error: unknown) => {
    throw new Error(sentence(file, error))
  })
  return {
    file,
    now: () => current,
    async changed() {
      try {
        current = await read(file)
        log.info(`${kind} reloaded`, { detail: file })
      } catch (error) {
        log.error(`${kind} not reloaded; the old one stays in force`, { detail: sentence(file, error) })
      }
    },
  }
}

function sentence(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return message
  return `${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : `the system says ${code}`}`
}
