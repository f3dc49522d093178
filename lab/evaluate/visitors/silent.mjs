/** Visits to a page that asks for a token when it is loaded, or when one key is pressed: nothing is filled in. */
import patchright from 'patchright-core'
import * as playwright from 'playwright-core'
import puppeteer from 'puppeteer-core'
import { addExtra } from 'puppeteer-extra'
import stealth from 'puppeteer-extra-plugin-stealth'
import { openWithDebugger } from '../bots/cdp.mjs'
import { CHROMIUM_AGENT, NOT_AUTOMATED, WINDOW } from '../bots/chromium.mjs'
import { forPuppeteer, launched, STEP } from '../bots/drive.mjs'
import { openChromium, openFirefox, openWebkit, PRIVATE, RESISTING } from '../browsers.mjs'
import { pressIfAsked } from '../person/fill.mjs'
import { SILENT_THRESHOLD as threshold } from '../../stand/service.mjs'
import { fromAbout, on, onAbout } from './people-with-ways.mjs'

const PATH = '/silent'
const here = on(PATH)
/** Milliseconds for the work of a slow browser. */
const SLOW_MS = 120_000

const untouched = (open) => async (stage) => {
  open(stage)
  await stage.customer.form(SLOW_MS)
}
const chromium = (options) => untouched((stage) => openChromium(stage, { path: PATH, ...options }))

/** What a person's browser shows where nobody touches it. Each has to be let in with room to spare. */
const browsers = [
  {
    name: 'untouched, in front',
    what: 'Chromium; a page that asks for a token when it is loaded, in a window that has the focus',
    visit: chromium(),
  },
  {
    name: 'untouched, private window',
    what: 'the same page in Chromium without canvas reading, WebGL, WebRTC or referrers, and in a private window',
    visit: chromium({ args: PRIVATE }),
  },
  {
    name: 'untouched, without a JIT',
    what: 'the same page in Chromium without a JIT, as strict security settings have it: the work is `pb.1`',
    visit: chromium({ args: ['--js-flags=--jitless'] }),
  },
  {
    name: 'untouched, low power',
    what: 'the same page in Chromium on one core, behind everything else that runs on the machine',
    visit: chromium({ prefix: ['taskset', '-c', '0', 'nice', '-n', '19'] }),
  },
  {
    name: 'untouched, screen-reader tree',
    what: 'the same page in Chromium with its accessibility tree forced on',
    visit: chromium({ args: ['--force-renderer-accessibility=complete'] }),
  },
  {
    name: 'untouched, Firefox',
    what: 'the same page in Firefox ESR',
    needs: ['firefox'],
    visit: untouched((stage) => openFirefox(stage, { path: PATH })),
  },
  {
    name: 'untouched, Firefox, privacy settings',
    what: 'the same page in Firefox ESR with resistFingerprinting, strict tracking protection, no WebGL',
    needs: ['firefox'],
    visit: untouched((stage) => openFirefox(stage, { path: PATH, preferences: RESISTING })),
  },
  {
    name: 'untouched, WebKit',
    what: 'the same page in WebKitGTK’s MiniBrowser',
    needs: ['webkit'],
    visit: untouched((stage) => openWebkit(stage, { path: PATH })),
  },
  {
    name: 'one key',
    what: 'Chromium; a page that asks for a token when a key is pressed: one key, and nothing else',
    async visit(stage) {
      openChromium(stage, { path: '/silent?key' })
      const hands = stage.hands()
      await stage.customer.layout(here)
      await hands.rest(1500, 3000)
      await hands.tap('Down')
      await stage.customer.form()
    },
  },
].map((browser) => ({ ...browser, margin: 0.3 }))

const inTheBack = {
  name: 'untouched, in the back',
  what: 'the same page in a tab that was opened behind the one in sight; the person looks at it after ten seconds, and presses the step where it is asked for',
  async visit(stage) {
    const hands = await fromAbout(stage)
    stage.display.x.key('Control', true)
    await hands.click('prices', onAbout)
    stage.display.x.key('Control', false)
    await hands.rest(8000, 12_000)
    await hands.tap('Tab', 'Control')
    await pressIfAsked(stage, (id) => hands.click(id, here))
    await stage.customer.form(60_000)
  },
}

/** Loads the page, and presses the step where it is asked for. */
async function loadAndPress(stage, page, selector = STEP) {
  await page.goto(new URL(PATH, stage.url).href)
  await pressIfAsked(stage, () => page.click(selector))
  await stage.customer.form(60_000)
}

const windowOf =
  (library, args = []) =>
  async (stage) => {
    const options = { headless: false, args: [...WINDOW, ...args] }
    const browser = await launched(stage, library.chromium, options)
    await loadAndPress(stage, await browser.newPage({ viewport: null }))
  }

const programs = [
  {
    name: 'untouched, Playwright, one flag',
    what: 'the same page by stock Playwright, a window on a display, `navigator.webdriver` switched off',
    visit: windowOf(playwright, [NOT_AUTOMATED]),
  },
  {
    name: 'untouched, Puppeteer with stealth',
    what: 'the same page by Puppeteer with all evasions of puppeteer-extra-plugin-stealth, a window on a display',
    async visit(stage) {
      const driver = addExtra(puppeteer).use(stealth())
      const options = { headless: false, args: WINDOW, defaultViewport: null }
      const [page] = await (await launched(stage, driver, options)).pages()
      await loadAndPress(stage, page, forPuppeteer('step', stage))
    },
  },
  {
    name: 'untouched, patchright',
    kind: 'inseparable',
    what: 'the same page by patchright, a window on a display: a browser that nobody touches',
    visit: windowOf(patchright),
  },
  {
    name: 'untouched, patchright, headless',
    kind: 'inseparable',
    screen: false,
    what: 'the same page by patchright, headless with the agent string of a window',
    async visit(stage) {
      const browser = await launched(stage, patchright.chromium)
      const context = await browser.newContext({ userAgent: CHROMIUM_AGENT })
      await loadAndPress(stage, await context.newPage())
    },
  },
  {
    name: 'untouched, DevTools protocol',
    kind: 'inseparable',
    what: 'the same page by the DevTools protocol with no domain enabled, a window on a display',
    async visit(stage) {
      const send = await openWithDebugger(stage, WINDOW)
      await send('Page.navigate', { url: new URL(PATH, stage.url).href })
      await stage.customer.form(60_000)
    },
  },
]

export default [
  ...[...browsers, inTheBack].map((person) => ({
    kind: 'person',
    screen: true,
    threshold,
    ...person,
  })),
  ...programs.map((program) => ({ kind: 'bot', screen: true, threshold, ...program })),
]
