/** Stock and patched drivers, as their users run them. */
import { createCursor } from 'ghost-cursor'
import patchright from 'patchright-core'
import * as playwright from 'playwright-core'
import puppeteer from 'puppeteer-core'
import { addExtra } from 'puppeteer-extra'
import stealth from 'puppeteer-extra-plugin-stealth'
import rebrowserPlaywright from 'rebrowser-playwright-core'
import rebrowserPuppeteer from 'rebrowser-puppeteer-core'
import { Builder, By } from 'selenium-webdriver'
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js'
import { debuggedChromium } from '../bots/cdp.mjs'
import { CHROMIUM, CHROMIUM_AGENT, DRIVEN, NOT_AUTOMATED, WINDOW } from '../bots/chromium.mjs'
import {
  fillAtOnce,
  fillByScript,
  fillWithPlaywright,
  fillWithPuppeteer,
  forPuppeteer,
  launched,
  setValue,
  STEP,
} from '../bots/drive.mjs'
import { firefoxByBidi } from '../bots/firefox.mjs'
import { webkitEnvironment } from '../browsers.mjs'
import { fillInTurn } from '../person/fill.mjs'
import { home, startAsVisitor } from '../screen/account.mjs'
import { pause, until } from '../../stand/processes.mjs'
import { freePort } from '../../../test/support/ports.mjs'

const playwrightWindow =
  (library, args = [], fill = fillWithPlaywright) =>
  async (stage) => {
    const browser = await launched(stage, library.chromium, {
      headless: false,
      args: [...WINDOW, ...args],
    })
    await fill(stage, await browser.newPage({ viewport: null }))
  }
const puppeteerWindow = (library, delay) => async (stage) => {
  const browser = await launched(stage, library, {
    headless: false,
    args: [...WINDOW, NOT_AUTOMATED],
    ignoreDefaultArgs: ['--enable-automation'],
    defaultViewport: null,
  })
  const [page] = await browser.pages()
  await fillWithPuppeteer(stage, page, { delay })
}
const stealthy = () => addExtra(puppeteer).use(stealth())
const fiveForms = async (stage, pages) => {
  await Promise.all(pages.map((page) => fillWithPlaywright(stage, page)))
  await stage.customer.form(40_000, 5)
}
const five = (make) => Promise.all(Array.from({ length: 5 }, make))

/** By single keys. @param {import('selenium-webdriver').WebDriver} driver */
async function fillBySelenium(stage, driver) {
  await driver.get(stage.url)
  const inside = (host) => host.getShadowRoot()
  const step = async () => {
    const widget = await inside(driver.findElement(By.css('.svc-captcha')))
    const box = await inside(widget.findElement(By.css('svc-captcha-box')))
    return box.findElement(By.css(STEP))
  }
  const field = (id) => driver.findElement(By.css(`#${id}`))
  const { box } = stage.customer
  /** The widget's own box, perhaps in a shadow tree. */
  const inBox = async () => {
    const [host, part] = box.selector.split(' ')
    const found = driver.findElement(By.css(host))
    return part ? (await inside(found)).findElement(By.css(part)) : found
  }
  const parts = { step, ...(box && { [box.id]: inBox }) }
  await fillInTurn(stage, {
    click: async (id) => (await (parts[id] ?? field)(id)).click(),
    async type(text, id) {
      const found = await field(id)
      for (const character of text) await found.sendKeys(character)
    },
  })
}

/** Headless, with the agent string of a window; a page that says it is not driven. */
const playwrightPosing = (library, fill) => async (stage) => {
  const browser = await launched(stage, library.chromium)
  const context = await browser.newContext({ userAgent: CHROMIUM_AGENT })
  if (library === playwright)
    await context.addInitScript('delete Object.getPrototypeOf(navigator).webdriver')
  await fill(stage, await context.newPage())
}

const BY_SCRIPT = 'a script in the page sets each value and says so by events; one click sends'
/** The same with both libraries: Playwright needs a flag or a script to hide what patchright hides by itself. */
const byScript = [
  { library: playwright, name: 'Playwright', args: [NOT_AUTOMATED], how: 'stock Playwright' },
  { library: patchright, name: 'patchright', args: [], how: 'a patched Playwright' },
].flatMap(({ library, name, args, how }) => [
  {
    name: `${name}, values by script`,
    what: `${how}, a window on a display; ${BY_SCRIPT}`,
    visit: playwrightWindow(library, args, fillByScript),
  },
  {
    name: `${name}, values by script and moves`,
    what: `${how}, a window on a display; ${BY_SCRIPT}, after seven moves of the pointer`,
    visit: playwrightWindow(library, args, (stage, page) => fillByScript(stage, page, 7)),
  },
  {
    name: `${name}, values by script, headless`,
    what: `${how}, headless, with the agent string of a window; ${BY_SCRIPT}`,
    screen: false,
    visit: playwrightPosing(library, fillByScript),
  },
])

const HIDDEN =
  'Firefox ESR, a window, driven by Puppeteer over WebDriver BiDi; a preload script hides `navigator.webdriver` and `console.debug`'

async function typeAsFirefox(stage, settings) {
  const page = await firefoxByBidi(stage, { hides: true, settings })
  const type = async (text) => {
    for (const character of text) {
      const delay = Math.round(stage.dice.between(40, 110))
      await page.keyboard.type(character, { delay })
      await pause(stage.dice.between(40, 220))
    }
  }
  await fillWithPuppeteer(stage, page, { type })
}

export default [
  ...byScript,
  {
    name: 'Firefox by BiDi, two properties hidden',
    what: `${HIDDEN}; keys with uniformly random pauses`,
    needs: ['firefox'],
    visit: (stage) => typeAsFirefox(stage),
  },
  {
    name: 'Firefox by BiDi, two properties hidden, fingerprinting resisted',
    // Its presses are as those of people who resist fingerprinting.
    kind: 'inseparable',
    what: `${HIDDEN}; \`privacy.resistFingerprinting\`; keys with uniformly random pauses`,
    needs: ['firefox'],
    visit: (stage) => typeAsFirefox(stage, { 'privacy.resistFingerprinting': true }),
  },
  {
    name: 'Firefox by BiDi, two properties hidden, values by script',
    what: `${HIDDEN}; ${BY_SCRIPT}`,
    needs: ['firefox'],
    async visit(stage) {
      const page = await firefoxByBidi(stage, { hides: true })
      const click = (id) =>
        id === 'terms'
          ? page.$eval('#terms', setValue, { checked: true })
          : page.click(forPuppeteer(id, stage))
      const type = (value, id) => page.$eval(`#${id}`, setValue, { value })
      await fillWithPuppeteer(stage, page, { click, type, enter: async () => {} })
    },
  },
  {
    name: 'Playwright, headless',
    what: 'its defaults: goto, fill, check, click',
    screen: false,
    async visit(stage) {
      const browser = await launched(stage, playwright.chromium)
      await fillAtOnce(stage, await browser.newPage())
    },
  },
  {
    name: 'Playwright, headless, posing',
    what: 'its defaults, with the agent string of a window and `navigator.webdriver` deleted before the page',
    screen: false,
    visit: playwrightPosing(playwright, fillAtOnce),
  },
  {
    name: 'Playwright, one flag',
    what: 'a window on a display, `navigator.webdriver` switched off; goto, fill, check, click',
    visit: playwrightWindow(playwright, [NOT_AUTOMATED], fillAtOnce),
  },
  {
    name: 'Playwright over CDP',
    what: 'connected to a browser started with a debugging port; goto, fill, check, click',
    async visit(stage) {
      const { port } = await debuggedChromium(stage, WINDOW)
      const browser = await playwright.chromium.connectOverCDP(`http://${port}`)
      stage.defer(() => browser.close())
      await fillAtOnce(stage, browser.contexts()[0].pages()[0])
    },
  },
  {
    name: 'patchright, fill and click',
    what: 'a patched Playwright, a window on a display; goto, fill, check, click',
    visit: playwrightWindow(patchright, [], fillAtOnce),
  },
  {
    name: 'Playwright, headed',
    what: 'a window on a display, clicks, keys with pauses, `navigator.webdriver` switched off',
    visit: playwrightWindow(playwright, [NOT_AUTOMATED]),
  },
  {
    name: 'patchright, headed',
    what: 'a patched Playwright, as its authors advise to use it: a window, no viewport of its own',
    visit: playwrightWindow(patchright),
  },
  {
    name: 'rebrowser-playwright, headed',
    what: 'a patched driver that never enables the Runtime domain',
    visit: playwrightWindow(rebrowserPlaywright, [NOT_AUTOMATED]),
  },
  {
    name: 'token farm, contexts',
    what: 'a patched driver without a window fills in the form in five profiles at once',
    screen: false,
    async visit(stage) {
      const browser = await launched(stage, patchright.chromium)
      const contexts = await five(() => browser.newContext())
      await fiveForms(stage, await Promise.all(contexts.map((context) => context.newPage())))
    },
  },
  {
    name: 'token farm, tabs',
    what: 'a patched driver fills in the form in five tabs of one profile at once',
    async visit(stage) {
      const browser = await launched(stage, patchright.chromium, { headless: false, args: WINDOW })
      const context = await browser.newContext({ viewport: null })
      await fiveForms(stage, await five(() => context.newPage()))
    },
  },
  {
    name: 'Puppeteer, headless',
    what: 'its defaults: click and type',
    screen: false,
    async visit(stage) {
      const browser = await launched(stage, puppeteer)
      await fillWithPuppeteer(stage, await browser.newPage())
    },
  },
  {
    name: 'Puppeteer, headed',
    what: 'a window on a display, keys with pauses, `navigator.webdriver` switched off',
    visit: puppeteerWindow(puppeteer, 70),
  },
  {
    name: 'rebrowser-puppeteer, headed',
    what: 'a patched driver that never enables the Runtime domain',
    visit: puppeteerWindow(rebrowserPuppeteer, 90),
  },
  {
    name: 'Puppeteer with stealth, headless',
    what: 'puppeteer-extra-plugin-stealth with all its evasions, keys with pauses',
    screen: false,
    async visit(stage) {
      const browser = await launched(stage, stealthy())
      await fillWithPuppeteer(stage, await browser.newPage(), { delay: 80 })
    },
  },
  {
    name: 'Puppeteer with stealth and ghost-cursor',
    what: 'a window on a display, stealth, curved paths of ghost-cursor, keys with pauses',
    async visit(stage) {
      const browser = await launched(stage, stealthy(), {
        headless: false,
        args: WINDOW,
        defaultViewport: null,
      })
      const [page] = await browser.pages()
      const cursor = createCursor(page)
      const click = async (id) => cursor.click(await page.waitForSelector(forPuppeteer(id, stage)))
      await fillWithPuppeteer(stage, page, { delay: 90, click })
    },
  },
  {
    name: 'Selenium',
    what: 'chromedriver, a window on a display, `enable-automation` left out as guides advise',
    needs: ['chromedriver'],
    async visit(stage) {
      const options = new Options()
        .setBinaryPath(CHROMIUM)
        .addArguments(...DRIVEN, ...WINDOW, NOT_AUTOMATED)
        .excludeSwitches('enable-automation')
      const env = { ...process.env, DISPLAY: stage.display.name }
      const service = new ServiceBuilder('/usr/bin/chromedriver').setEnvironment(env)
      const builder = new Builder()
        .forBrowser('chrome')
        .setChromeOptions(options)
        .setChromeService(service)
      const driver = await builder.build()
      stage.defer(() => driver.quit())
      await fillBySelenium(stage, driver)
    },
  },
  {
    name: 'WebKit by WebDriver',
    what: 'WebKitGTK in MiniBrowser, driven by WebKitWebDriver; a window on a display',
    needs: ['webkit'],
    async visit(stage) {
      const own = home()
      const port = await freePort()
      const args = [`--port=${port}`, '--host=127.0.0.1']
      const server = startAsVisitor(stage, 'WebKitWebDriver', args, {
        own,
        env: webkitEnvironment(own),
      })
      const url = `http://127.0.0.1:${port}`
      await until(
        () => fetch(`${url}/status`).catch(() => undefined),
        `WebKitWebDriver: ${server.said()}`,
        20_000,
      )
      const builder = new Builder()
        .usingServer(url)
        .withCapabilities({ browserName: 'MiniBrowser' })
      await fillBySelenium(stage, await builder.build())
    },
  },
].map((driver) => ({ kind: 'bot', screen: true, ...driver }))
