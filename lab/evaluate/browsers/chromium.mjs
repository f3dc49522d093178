import { account, home } from '../screen/account.mjs'
import { start } from '../../stand/processes.mjs'

/** Nothing here says "automation": no debugging port, no headless, no switch that only drivers set. */
const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--password-store=basic',
]

/**
 * Chromium as a person starts it: an ordinary window on a display, an ordinary user, an empty profile.
 *
 * @param {{ name: string }} display
 * @param {string} url
 * @param {{ args?: string[], env?: Record<string, string>, prefix?: string[], prepare?: (home: ReturnType<typeof home>) => void }} [options]
 *   `prefix`: what the command begins with, as `['taskset', '-c', '0']`
 */
export function openChromium(display, url, { args = [], env = {}, prefix = [], prepare } = {}) {
  const own = home()
  prepare?.(own)
  const [program, ...rest] = [...prefix, 'chromium', `--user-data-dir=${own.folder}/profile`, ...QUIET]
  const place = args.some((arg) => arg.startsWith('--window-size'))
    ? []
    : ['--window-size=1340,960', '--window-position=180,30']
  const browser = start(program, [...rest, ...place, ...args, url], {
    ...account,
    cwd: own.folder,
    env: { ...own.env(display), ...env },
  })
  return {
    said: browser.said,
    async close() {
      await browser.stop()
      own.remove()
    },
  }
}
