import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `nobody` of Debian and most others: browsers refuse their sandbox to root, and no visitor is root. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** As whom visitors' programs run: never root. */
export const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** An empty home for one visit, with an environment that knows nothing of ours. */
export function home() {
  const folder = mkdtempSync(join(tmpdir(), 'hv-visitor-'))
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  return {
    folder,
    /** @param {string} path inside the home; given to the account */
    give: (path) => isRoot && chownSync(join(folder, path), NOBODY, NOBODY),
    /** @param {{ name: string } | undefined} display */
    env: (display) => ({
      HOME: folder,
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      LANG: 'en_GB.UTF-8',
      ...(display && { DISPLAY: display.name }),
    }),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}
