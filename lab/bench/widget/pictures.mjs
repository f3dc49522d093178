/**
 * Draws our widget beside those that npm serves, in the states that a visitor meets: docs/pictures/widgets.webp, for
 * docs/start/comparison.md.
 *
 *     node lab/bench/widget/pictures.mjs
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contenders, packageFile, page, script, version } from './contenders.mjs'
import { openChromium, origin } from './origin.mjs'

const FILE = join(import.meta.dirname, '../../../docs/pictures/widgets.webp')
/** Bytes; the page is read on telephones. */
const MOST_BYTES = 60_000
const SCALE = 1.25
const QUALITY = 0.8
/** Milliseconds in which drawings and colours settle, and in which a widget says that it fails. */
const SETTLE_MS = 800
const FAIL_MS = 20_000

/** Where each widget is on its page, where it asks, and what its page shows when it has failed. */
const PLACES = {
  'human-verification': { at: '.svc-captcha', asks: '**/api/v1/*', failed: '.box.failed' },
  ALTCHA: { at: 'altcha-widget', asks: '**/challenge*', failed: 'text=/fail|error/i' },
  Cap: { at: 'cap-widget', asks: '**/cap/challenge*', failed: 'text=/fail|error/i' },
  'Friendly Captcha 1': { at: '.frc-captcha', asks: '**/puzzle*', failed: 'text=/fail|error/i' },
}

/** The first generation of Friendly Captcha, whose widget asks for a puzzle and does not need its maker's server to draw. */
function friendly() {
  // As its solver reads them: 13 the life in units of five minutes, 14 the number of puzzles, 15 the difficulty.
  const puzzle = Buffer.alloc(32)
  puzzle.set([12, 20, 60], 13)
  const answer = { success: true, data: { puzzle: `0.${puzzle.toString('base64')}` } }
  return {
    name: 'Friendly Captcha 1',
    version: version('friendly-challenge'),
    page: page(
      '<script src="/friendly.js" defer></script>',
      '<div class="frc-captcha" data-sitekey="FCMPICTURES" data-start="none" data-puzzle-endpoint="/puzzle"></div>',
    ),
    async serve(_method, path) {
      if (path === '/friendly.js') return script(packageFile('friendly-challenge/widget.min.js'))
      return path.startsWith('/puzzle') ? { type: 'application/json', body: JSON.stringify(answer) } : undefined
    },
    press: '.frc-captcha button',
    loaded: `document.querySelector('.frc-captcha button')`,
    ready: `document.querySelector('[name=frc-captcha-solution]')?.value.length > 40`,
    stop() {},
  }
}

/** Leads a widget into a state; the network stalls or fails, nothing else is played. */
const STATES = {
  Untouched: async () => {},
  Working: async (shown, one) => {
    await shown.route(PLACES[one.name].asks, () => {})
    await touch(shown, one)
  },
  Ready: async (shown, one) => {
    await touch(shown, one)
    await shown.waitForFunction(one.ready)
  },
  'Service not reachable': async (shown, one) => {
    await shown.route(PLACES[one.name].asks, (route) => route.abort())
    await touch(shown, one)
    const { at, failed } = PLACES[one.name]
    await shown.locator(at).locator(failed).first().waitFor({ timeout: FAIL_MS })
  },
}

async function touch(shown, { press }) {
  await shown.locator('[name=email]').click()
  if (press) await shown.locator(press).click({ force: true })
}

async function draw(browser, one, url, bring) {
  // One of them draws "browser check failed" for a browser that says it is driven: that is no state of a visitor.
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split('.')[0]}.0.0.0 Safari/537.36`
  const context = await browser.newContext({
    userAgent,
    viewport: { width: 340, height: 400 },
    deviceScaleFactor: SCALE,
  })
  await context.addInitScript(() => Object.defineProperty(navigator, 'webdriver', { value: false }))
  const shown = await context.newPage()
  await shown.goto(url)
  await shown.addStyleTag({
    content: 'body { margin: 8px; font: 16px sans-serif } form > * { display: block; margin-block: 8px }',
  })
  await shown.waitForFunction(one.loaded)
  await bring(shown, one)
  await shown.waitForTimeout(SETTLE_MS)
  const picture = await shown.locator(PLACES[one.name].at).screenshot()
  await context.close()
  return picture.toString('base64')
}

/** One sheet: a row for each state, a column for each widget. */
async function sheetOf(browser, all, pictures) {
  const sheet = await browser.newPage({ viewport: { width: 1400, height: 800 }, deviceScaleFactor: SCALE })
  const cells = (state) =>
    all
      .map((one) => `<td><img style="zoom:${1 / SCALE}" src="data:image/png;base64,${pictures.get(one)[state]}">`)
      .join('')
  const rows = Object.keys(STATES).map((state) => `<tr><th scope="row">${state}${cells(state)}`)
  const heads = all.map((one) => `<th scope="col">${one.name} ${one.version.split(',')[0]}`)
  await sheet.setContent(
    `<style>body { margin: 0 } table { border-collapse: collapse; font: 14px sans-serif; background: #fff; color: #222 }
    th, td { padding: 10px; text-align: left; border-bottom: 1px solid #ddd; vertical-align: middle } th[scope=row] { width: 90px }
    td img { display: block }</style><table><tr><td>${heads.join('')}${rows.join('')}</table>`,
  )
  const png = await sheet.locator('table').screenshot()
  return sheet.evaluate(
    async ({ source, quality }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${source}`
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.width
      canvas.height = image.height
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', quality).split(',')[1]
    },
    { source: png.toString('base64'), quality: QUALITY },
  )
}

const all = [...(await contenders()), friendly()]
const browser = await openChromium()
const pictures = new Map()
try {
  for (const one of all) {
    const { url, close } = await origin(one)
    const drawn = {}
    for (const [state, bring] of Object.entries(STATES)) {
      drawn[state] = await draw(browser, one, url, bring)
      console.log(`${one.name}: ${state}`)
    }
    pictures.set(one, drawn)
    close()
  }
  const bytes = Buffer.from(await sheetOf(browser, all, pictures), 'base64')
  if (bytes.length > MOST_BYTES) throw new Error(`the picture has ${bytes.length} bytes, ${MOST_BYTES} are allowed`)
  writeFileSync(FILE, bytes)
  console.log(`${FILE}: ${bytes.length} bytes`)
} finally {
  await browser.close()
  for (const one of all) await one.stop()
}
