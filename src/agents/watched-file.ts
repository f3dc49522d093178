import type { Log } from '../domain/observing.ts'
import type { WatchedFiles } from '../settings/watch.ts'

/** A file of the operator, read at start and after each change. */
export interface WatchedFile<T> extends WatchedFiles {
  content(): T
}

/**
 * Reads a file, and again when `watchFiles` reports a change. If the new version has a problem, the old one stays in force.
 *
 * @param read throws an `Error` with a sentence for the operator.
 * @param missing the content after the file was removed; undefined: the old one stays in force.
 * @throws {Error} with such a sentence, where the file cannot be read at start.
 */
export async function watchedFile<T>(
  file: string,
  read: (file: string) => Promise<T>,
  missing: T | undefined,
  log: Log,
): Promise<WatchedFile<T>> {
  const readAt = Date.now()
  let content: T = await read(file).catch((error: unknown) => {
    throw new Error(sentence(file, error))
  })
  return {
    files: () => [file],
    readAt,
    content: () => content,
    async changed() {
      try {
        content = await read(file)
        log.info('file reloaded', { detail: file })
      } catch (error) {
        const detail = sentence(file, error)
        if (missing === undefined || codeOf(error) !== 'ENOENT') {
          log.error('file not reloaded; the old one stays in force', { detail })
        } else {
          content = missing
          log.error('file removed; its entries do not apply', { detail })
        }
      }
    },
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

function sentence(file: string, error: unknown): string {
  const code = codeOf(error)
  if (code === undefined) return (error as Error).message
  return `${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : `the system says ${code}`}`
}
