import { fillInTurn } from '../person/fill.mjs'
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
export async function fillAtOnce(stage, page) {
  await page.goto(stage.url)
  await fillInTurn(stage, {
    enter: async () => {},
    type: (text, id) => page.fill(`#${id}`, text),
    click: (id) => (id === 'terms' ? page.check('#terms') : page.click('#send')),
  })
}

/** A page of Playwright, with pauses between the keys. */
export async function fillWithPlaywright(stage, page) {
  await page.goto(stage.url)
  await fillInTurn(stage, {
    click: (id) => page.click(`#${id}`),
    type: (text, id) => page.locator(`#${id}`).pressSequentially(text, { delay: 60 }),
  })
}

/** A page of Puppeteer, with `delay` milliseconds between keys; `more` as in fillInTurn. */
export async function fillWithPuppeteer(stage, page, { delay = 0, ...more } = {}) {
  await page.goto(stage.url)
  await fillInTurn(stage, {
    click: (id) => page.click(`#${id}`),
    type: (text, id) => page.type(`#${id}`, text, { delay }),
    ...more,
  })
}
