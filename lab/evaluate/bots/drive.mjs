import { CHROMIUM, DRIVEN } from './chromium.mjs'

/**
 * Launches Chromium by a driver, and closes it when the visit is over.
 *
 * @param {{ launch: (options: object) => Promise<any> }} driver `chromium` of Playwright, Puppeteer, or what pretends to be one
 * @param {object} [options] of its `launch`
 */
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

/** The same by clicks and keys, with pauses between the keys. */
export async function fillByKeys({ url, who, customer }, page) {
  await page.goto(url)
  for (const id of ['name', 'email', 'comment']) {
    await page.click(`#${id}`)
    await page.locator(`#${id}`).pressSequentially(who[id], { delay: 60 })
  }
  await page.click('#terms')
  await page.click('#send')
  await customer.form(30_000)
}

/**
 * Fills in the form by clicks and keys.
 *
 * @param {object} page of Puppeteer
 * @param {{ delay?: number, click?: (selector: string) => Promise<void> }} [by] milliseconds between keys; another way to click
 */
export async function fillWithPuppeteer({ url, who, customer }, page, { delay = 0, click } = {}) {
  const press = click ?? ((selector) => page.click(selector))
  await page.goto(url)
  for (const id of ['name', 'email', 'comment']) {
    await press(`#${id}`)
    await page.type(`#${id}`, who[id], { delay })
  }
  await press('#terms')
  await press('#send')
  await customer.form()
}
