import { CHROMIUM, DRIVEN } from './chromium.mjs'

/**
 * Fills in the form as a script does that was written in ten minutes.
 *
 * @param {object} stage
 * @param {import('playwright-core').Page} page or one of a library that looks the same
 */
export async function fillAtOnce({ url, who, customer }, page) {
  await page.goto(url)
  await page.fill('#name', who.name)
  await page.fill('#email', who.email)
  await page.fill('#comment', who.comment)
  await page.check('#terms')
  await page.click('#send')
  await customer.form(30_000)
}

/** The same by clicks and keys, with pauses between the keys. */
export async function fillByKeys({ url, who, customer }, page) {
  await page.goto(url)
  for (const [id, text] of [
    ['#name', who.name],
    ['#email', who.email],
    ['#comment', who.comment],
  ]) {
    await page.click(id)
    await page.locator(id).pressSequentially(text, { delay: 60 })
  }
  await page.click('#terms')
  await page.click('#send')
  await customer.form(30_000)
}

/** @param {object} stage @param {object} library `playwright-core` or what pretends to be it */
export async function launchPlaywright(stage, library, { headless = true, args = [], ...options } = {}) {
  const browser = await library.chromium.launch({
    executablePath: CHROMIUM,
    headless,
    args: [...DRIVEN, ...args],
    ...(stage.display && { env: { ...process.env, DISPLAY: stage.display.name } }),
    ...options,
  })
  stage.defer(() => browser.close())
  return browser
}
