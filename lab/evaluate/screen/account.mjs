import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../stand/folder.mjs'

/** `nobody` of Debian and most others: browsers refuse their sandbox to root, and no visitor is root. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** As whom visitors' programs run: never root. */
export const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** An empty home for one visit, with an environment that knows nothing of ours. */
export function home() {
  const { path: own, remove } = folder('hv-visitor')
  if (isRoot) chownSync(own, NOBODY, NOBODY)
  return {
    folder: own,
    /** @param {string} path inside the home; given to the account */
    give: (path) => isRoot && chownSync(join(own, path), NOBODY, NOBODY),
    /** @param {{ name: string } | undefined} display */
    env: (display) => ({
      HOME: own,
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      LANG: 'en_GB.UTF-8',
      ...(display && { DISPLAY: display.name }),
    }),
    remove,
  }
}
