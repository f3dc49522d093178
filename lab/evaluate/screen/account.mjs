import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../stand/folder.mjs'
import { start } from '../../stand/processes.mjs'

/** `nobody` of Debian and most others: browsers refuse their sandbox to root, and no visitor is root. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** As whom visitors' programs run: never root. */
const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** An empty home for one visit. */
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
    remove,
  }
}

/**
 * Starts a program as a visitor has it, in a home of its own and with an environment that knows nothing of ours; it ends with
 * the visit. `own` is a home that is made already.
 */
export function startAsVisitor(
  { display, defer },
  program,
  args,
  { own = home(), env = {}, ...options } = {},
) {
  const { PATH = '/usr/bin:/bin' } = process.env
  const ours = {
    HOME: own.folder,
    PATH,
    LANG: 'en_GB.UTF-8',
    ...(display && { DISPLAY: display.name }),
  }
  const started = start(program, args, {
    ...account,
    cwd: own.folder,
    env: { ...ours, ...env },
    ...options,
  })
  defer(async () => {
    await started.stop()
    own.remove()
  })
  return started
}
