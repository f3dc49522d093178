/** Drivers of PyPI, each as its guide shows it: at the form, and at a page without a touch. */
import { fillByLines, loadByLines } from '../bots/line-driver.mjs'
import { pythonDriver } from '../bots/python-driver.mjs'
import { SILENT_THRESHOLD as threshold } from '../../stand/service.mjs'

const CHROMIUM = 'Chromium in a window'

/** `id`: its name in python-drivers.py. `silentKind`: a browser that nobody touches, unless a rule tells it apart. */
const DRIVERS = [
  { id: 'nodriver', name: 'nodriver', what: '`select`, `send_keys`, `click`' },
  {
    id: 'nodriver-mouse',
    name: 'nodriver, by the mouse',
    what: '`select`, `send_keys`, `mouse_click`',
    isSilent: false,
  },
  { id: 'zendriver', name: 'zendriver', what: '`select`, `send_keys`, `click`' },
  {
    id: 'zendriver-mouse',
    name: 'zendriver, by the mouse',
    what: '`select`, `send_keys`, `mouse_click`',
    isSilent: false,
  },
  { id: 'pydoll', name: 'pydoll', what: '`type_text`, `click`' },
  {
    id: 'pydoll-human',
    name: 'pydoll, humanized',
    what: '`type_text` and `click` with `humanize=True`',
    isSilent: false,
  },
  {
    id: 'undetected-chromedriver',
    name: 'undetected-chromedriver',
    what: '`send_keys`, `click`',
    silentKind: 'bot',
    needs: ['chromedriver'],
  },
  { id: 'DrissionPage', name: 'DrissionPage', what: '`input`, `click`' },
  {
    id: 'patchright',
    name: 'patchright of Python',
    what: 'a persistent context without a viewport of its own, as its guide advises; `fill`, `click`',
  },
  {
    id: 'playwright-stealth',
    name: 'playwright-stealth of Python',
    what: 'stock Playwright with all of its evasions; `fill`, `click`',
    silentKind: 'bot',
  },
  {
    id: 'crawl4ai',
    name: 'crawl4ai',
    what: 'a crawl whose hook `after_goto` uses `fill` and `click`',
    silentKind: 'bot',
  },
  {
    id: 'crawl4ai-magic',
    name: 'crawl4ai, magic',
    what: 'the same with `enable_stealth`, `magic`, `simulate_user` and `override_navigator`',
    silentKind: 'bot',
  },
  {
    id: 'seleniumbase-uc',
    name: 'SeleniumBase, UC mode',
    what: '`uc_open_with_reconnect`, `type`, `uc_click`',
    needs: ['chromedriver', 'tkinter'],
  },
  {
    id: 'seleniumbase',
    name: 'SeleniumBase, CDP mode',
    what: '`type`, `click`',
    needs: ['tkinter'],
  },
  { id: 'botasaurus', name: 'botasaurus', what: '`type`, `click`' },
  {
    id: 'scrapling',
    name: 'Scrapling, stealthy',
    what: 'a `StealthySession` whose `page_action` uses `fill` and `click`',
  },
]

const atForm = ({ id, name, what, kind = 'bot', needs = [] }) => ({
  name,
  kind,
  needs,
  what: `${CHROMIUM}; ${what}`,
  visit: (stage) => fillByLines(stage, pythonDriver(id)),
})

const atSilentPage = ({ id, name, silentKind = 'inseparable', needs = [] }) => ({
  name: `untouched, ${name}`,
  kind: silentKind,
  needs,
  threshold,
  what: `the same page by ${name}, a window on a display; the step is pressed by its mouse`,
  visit: (stage) => loadByLines(stage, pythonDriver(id)),
})

export default [
  ...DRIVERS.map(atForm),
  ...DRIVERS.filter(({ isSilent = true }) => isSilent).map(atSilentPage),
].map((driver) => ({ screen: true, ...driver }))
