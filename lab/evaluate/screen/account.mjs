import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../stand/folder.mjs'
import { start } from '../../stand/processes.mjs'

/** `nobody` of Debian and most others: browsers refuse their sandbox to root, and no visitor is root. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** As whom visitors' programs run: never root. */
const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** An empty home for one visit, with an environment that knows nothing of ours. */
export function home() {
  const { path: own, remove } = folder('hv-visitor')
  if (isRoot) chownSync(own, NOBODY, NOBODY)
  /** Gives a path inside the home to the account. */
  const give = (path) => isRoot && chownSync(join(own, path), NOBODY, NOBODY)
  return {
    folder: own,
    give,
    /** A folder for XDG_RUNTIME_DIR. */
    runtime() {
      mkdirSync(join(own, 'runtime'), { mode: 0o700 })
      give('runtime')
      return join(own, 'runtime')
    },
    env: (display) => ({
      HOME: own,
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      LANG: 'en_GB.UTF-8',
      ...(display && { DISPLAY: display.name }),
    }),
    remove,
  }
}

/**
 * Starts a program as a visitor has it, in a home of its own; it ends with the visit. `own` is a home that is made
 * already.
 */
export function startAsVisitor({ display, defer }, program, args, { own = home(), env = {}, ...options } = {}) {
  const environment = { ...own.env(display), ...env }
  const started = start(program, args, { ...account, cwd: own.folder, env: environment, ...options })
  defer(async () => {
    await started.stop()
    own.remove()
  })
  return started
}
