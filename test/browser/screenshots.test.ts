/**
 * Every state, theme and size in three languages, as pictures in build/screenshots/, for people to look at.
 * Without SCREENSHOTS=all only the light ones in English: enough to see that each can be taken.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { bring, openChromium, type Shown, SIZES, type Stage, startStage, STATES } from './a11y/stage.ts'

/** README shows these two. */
const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url))
const FOLDER = fileURLToPath(new URL('../../build/screenshots', import.meta.url))
const isAll = process.env['SCREENSHOTS'] === 'all'
const ROWS = (isAll ? (['light', 'dark'] as const) : (['light'] as const)).flatMap((theme) =>
  (isAll ? ['en', 'de', 'ar'] : ['en']).flatMap((language) => STATES.map((shown) => ({ theme, language, shown }))),
)

/** A visitor is asked once at a time, so the states of the step have one widget on their page. */
const sizesOf = (shown: Shown): readonly (typeof SIZES)[number][] =>
  shown === 'asked' || shown === 'confirmed' || shown === 'lost' ? ['normal'] : SIZES

let browser: Browser
let stage: Stage
beforeAll(async () => {
  browser = await openChromium()
  stage = await startStage()
  mkdirSync(FOLDER, { recursive: true })
  // Those of the dashboard and of the site are other tests'.
  const ours = readdirSync(FOLDER).filter((each) => each.endsWith('.png') && !each.startsWith('dashboard-'))
  for (const name of ours) rmSync(join(FOLDER, name))
})
afterAll(async () => {
  await browser.close()
  await stage.close()
})

test.each(ROWS)(
  '$shown, $theme, $language',
  async ({ theme, language, shown }) => {
    const context = await browser.newContext({ viewport: { width: 420, height: 1000 }, deviceScaleFactor: 2 })
    const page = await context.newPage()
    await bring(page, stage, shown, { theme, language, sizes: sizesOf(shown) })
    // Colours and drawings settle.
    await page.waitForTimeout(500)
    const name = `${language}-${theme}-${shown}`
    const sheet = await page.screenshot({ path: `${FOLDER}/${name}.png` })
    for (const [at, size] of sizesOf(shown).entries()) {
      const widget = page.locator('.svc-captcha').nth(at)
      // Invisible, there is nothing to take a picture of until something is wrong.
      const { height } = (await widget.boundingBox()) ?? { height: 0 }
      if (height > 1) await widget.screenshot({ path: `${FOLDER}/${name}-${size}.png` })
    }
    if (isAll && language === 'en' && shown === 'verified')
      copyFileSync(`${FOLDER}/${name}-normal.png`, `${PICTURES}/widget-${theme}.png`)
    expect(sheet.length).toBeGreaterThan(5000)
    await context.close()
  },
  60_000,
)
