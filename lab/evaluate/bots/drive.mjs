import { fillInTurn } from '../person/fill.mjs'
import { CHROMIUM, DRIVEN } from './chromium.mjs'

/** The button of the step, in the shadow trees of the widget. */
export const STEP = '.asking .retry:not([aria-disabled=true])'
/** Playwright looks for a selector in open shadow trees; Puppeteer does so where it is told to. */
const forPlaywright = (id, { customer: { box } }) =>
  ({ step: STEP, [box?.id]: box?.selector })[id] ?? `#${id}`
export const forPuppeteer = (id, { customer: { box } }) =>
  ({ step: `.svc-captcha >>> ${STEP}`, [box?.id]: box?.selector.replace(' ', ' >>> ') })[id] ??
  `#${id}`

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
    click: (id) => (id === 'terms' ? page.check('#terms') : page.click(forPlaywright(id, stage))),
  })
}

/** A page of Playwright, with pauses between the keys. */
export async function fillWithPlaywright(stage, page) {
  await page.goto(stage.url)
  await fillInTurn(stage, {
    click: (id) => page.click(forPlaywright(id, stage)),
    type: (text, id) => page.locator(`#${id}`).pressSequentially(text, { delay: 60 }),
  })
}

/** Sets the values by a script in the page of Playwright, and clicks on the button, after some moves of the pointer. */
export async function fillByScript(stage, page, moves = 0) {
  await page.goto(stage.url)
  await fillInTurn(stage, {
    enter: async () => {},
    type: (value, id) => page.locator(`#${id}`).evaluate(setValue, { value }),
    async click(id) {
      if (id === 'terms') return page.locator('#terms').evaluate(setValue, { checked: true })
      const { x, y, width, height } = await page.locator(forPlaywright(id, stage)).boundingBox()
      if (moves > 0) await page.mouse.move(x + width / 2, y + height / 2, { steps: moves })
      return page.click(forPlaywright(id, stage))
    },
  })
}

/** Runs in the page. */
export function setValue(field, change) {
  Object.assign(field, change)
  for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }))
}

/** A page of Puppeteer, with `delay` milliseconds between keys; `more` as in fillInTurn. */
export async function fillWithPuppeteer(stage, page, { delay = 0, ...more } = {}) {
  await page.goto(stage.url)
  await fillInTurn(stage, {
    click: (id) => page.click(forPuppeteer(id, stage)),
    type: (text, id) => page.type(`#${id}`, text, { delay }),
    ...more,
  })
}
