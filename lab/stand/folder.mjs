import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folders in use; whatever ends us, they go. */
const folders = new Set()
process.once('exit', () =>
  folders.forEach((path) => rmSync(path, { recursive: true, force: true })),
)

/** A folder for as long as it is needed. */
export function folder(name) {
  const path = mkdtempSync(join(tmpdir(), `${name}-`))
  folders.add(path)
  return {
    path,
    remove() {
      // A browser that has just been killed may still be writing.
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
      folders.delete(path)
    },
  }
}
