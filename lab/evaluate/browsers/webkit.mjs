import { mkdirSync, readdirSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { account, home } from '../screen/account.mjs'
import { start } from '../../stand/processes.mjs'

/** Debian keeps MiniBrowser in the folder of the library, whose name has the machine's architecture. */
function miniBrowser() {
  const folders = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'webkit2gtk-4.1'))
  const found = folders.map((folder) => join(folder, 'MiniBrowser')).find((file) => existsSync(file))
  if (!found) throw new Error('there is no MiniBrowser below /usr/lib: apt-get install webkit2gtk-driver')
  return found
}

/** No graphics card and no session bus: what a display in memory lacks, and pages do not see. */
export const WEBKIT_ENVIRONMENT = {
  GDK_BACKEND: 'x11',
  LIBGL_ALWAYS_SOFTWARE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
  NO_AT_BRIDGE: '1',
}

/**
 * WebKitGTK in its MiniBrowser, as a person starts it: no automation, no inspector.
 *
 * @param {{ name: string }} display
 * @param {string} url
 * @param {{ env?: Record<string, string> }} [options]
 */
export function openWebkit(display, url, { env = {} } = {}) {
  const own = home()
  mkdirSync(join(own.folder, 'runtime'), { mode: 0o700 })
  own.give('runtime')
  const browser = start(miniBrowser(), ['--geometry=1340x940', url], {
    ...account,
    cwd: own.folder,
    env: { ...own.env(display), ...WEBKIT_ENVIRONMENT, XDG_RUNTIME_DIR: join(own.folder, 'runtime'), ...env },
  })
  return {
    said: browser.said,
    async close() {
      await browser.stop()
      own.remove()
    },
  }
}
