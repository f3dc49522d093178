/** Debian's Chromium for every driver, so that drivers are compared and not browsers. */
export const CHROMIUM = '/usr/bin/chromium'

export const CHROMIUM_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** Nothing here says "automation", and pages see none of it: no first-run page, no updates, no keyring. */
export const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--password-store=basic',
]

/** No sandbox: the evaluation may run as root. */
export const DRIVEN = ['--no-sandbox', '--disable-gpu', ...QUIET]

/** Switches `navigator.webdriver` off. */
export const NOT_AUTOMATED = '--disable-blink-features=AutomationControlled'

/** A window of an ordinary size, as bots on a display have. */
export const WINDOW = ['--window-size=1340,960', '--window-position=180,30']
