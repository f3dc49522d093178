import { CHROMIUM, DRIVEN } from './chromium.mjs'

/**
 * @param {object} stage
 * @param {{ launch: (options: object) => Promise<object> }} library puppeteer-core or what pretends to be it
 */
export async function launchPuppeteer(stage, library, { headless = true, args = [], ...options } = {}) {
  const browser = await library.launch({
    executablePath: CHROMIUM,
    headless,
    args: [...DRIVEN, ...args],
    ...(stage.display && { env: { ...process.env, DISPLAY: stage.display.name } }),
    ...options,
  })
  stage.defer(() => browser.close())
  return browser
}

/**
 * Fills in the form by clicks and keys.
 *
 * @param {object} stage
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
