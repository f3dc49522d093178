import { CHROMIUM, DRIVEN } from './chromium.mjs'

/** Launches Chromium by a driver, and closes it when the visit is over. */
export async function launched(stage, driver, { headless = true, args = [], ...options } = {}) {
  const browser = await driver.launch({
    executablePath: CHROMIUM,
    headless,
    args: [...DRIVEN, ...args],
    ...(stage.display && { env: { ...process.env, DISPLAY: stage.display.name } }),
    ...options,
  })
  stage.defer(() => browser.close())
  return browser
}

/** Fills in the form as a script of Playwright does that was written in ten minutes. */
export async function fillAtOnce({ url, who, customer }, page) {
  await page.goto(url)
  for (const id of ['name', 'email', 'comment']) await page.fill(`#${id}`, who[id])
  await page.check('#terms')
  await page.click('#send')
  await customer.form(30_000)
}

/** By clicks and keys; `type`: into the field that was clicked on. */
export async function fillInTurn({ url, who, customer }, { open, click, type }) {
  await open(url)
  for (const id of ['name', 'email', 'comment']) {
    await click(`#${id}`)
    await type(`#${id}`, who[id])
  }
  await click('#terms')
  await click('#send')
  await customer.form()
}

/** A page of Playwright, with pauses between the keys. */
export const fillWithPlaywright = (stage, page) =>
  fillInTurn(stage, {
    open: (url) => page.goto(url),
    click: (selector) => page.click(selector),
    type: (selector, text) => page.locator(selector).pressSequentially(text, { delay: 60 }),
  })

/** A page of Puppeteer, with `delay` milliseconds between keys. */
export const fillWithPuppeteer = (stage, page, { delay = 0, click = (selector) => page.click(selector) } = {}) =>
  fillInTurn(stage, {
    open: (url) => page.goto(url),
    click,
    type: (selector, text) => page.type(selector, text, { delay }),
  })
