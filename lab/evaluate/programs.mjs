import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Debian packages that bring what visitors need; a library of Xorg's is found by its file. */
const PACKAGES = {
  'redis-server': 'redis-server',
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  chromedriver: 'chromium-driver',
  Xvfb: 'xvfb',
  WebKitWebDriver: 'webkit2gtk-driver',
  openbox: 'openbox',
  Xorg: 'xserver-xorg-core xserver-xorg-video-dummy',
  taskset: 'util-linux',
  'dbus-daemon': 'dbus-daemon at-spi2-core python3-pyatspi',
}
const SCREENS = { true: ['Xvfb', 'openbox'], touch: ['Xorg', 'openbox'] }

/** Throws one sentence that says what to install. */
export function needPrograms(visitors, path = '') {
  const wanted = visitors.flatMap(({ screen, needs = [] }) => [...needs, ...(SCREENS[String(screen)] ?? [])])
  const folders = path.split(delimiter)
  const missing = [...new Set(['redis-server', 'chromium', ...wanted])].filter(
    (program) => !folders.some((folder) => existsSync(join(folder, program))),
  )
  if (missing.length === 0) return
  const packages = missing.map((program) => PACKAGES[program] ?? program).join(' ')
  throw new TypeError(`these visitors need ${missing.join(', ')} on PATH; on Debian: apt-get install ${packages}`)
}
