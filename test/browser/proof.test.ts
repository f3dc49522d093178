import { expect, test } from '@jest/globals'
import type { BrowserContextOptions } from 'playwright-core'
import { drivenPage } from '../support/driven-browser.ts'
import { HOSTILE } from '../support/proof/hostile.ts'
import { serveProof } from '../support/proof/page.ts'
import { proofSets } from '../support/proof/sets.ts'
import { wrongIn } from './core-suite.ts'
import { browser, inChromium } from './stage.ts'

/** More of them on demand: `PROOF_SETS=300 npm run test:only -- test/browser/proof`. */
const SETS = Number(process.env['PROOF_SETS'] ?? 12)
const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  'on a desk': { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
  'on a phone': {
    viewport: { width: 360, height: 640 },
    deviceScaleFactor: 3,
    isMobile: true,
    hasTouch: true,
  },
  'at 50 %': { viewport: { width: 2560, height: 1600 }, deviceScaleFactor: 0.5 },
  'at 67 %': { viewport: { width: 1900, height: 1200 }, deviceScaleFactor: 0.67 },
  'at 110 %, dark': {
    viewport: { width: 1160, height: 700 },
    deviceScaleFactor: 1.1,
    colorScheme: 'dark',
  },
  'at 133 %': { viewport: { width: 960, height: 600 }, deviceScaleFactor: 1.33 },
  'at 400 %': { viewport: { width: 320, height: 200 }, deviceScaleFactor: 4 },
  'with forced colours': { forcedColors: 'active', reducedMotion: 'reduce' },
  'in another place': { locale: 'ar-EG', timezoneId: 'Pacific/Chatham' },
}

inChromium()
const pages = await serveProof(HOSTILE.slice(0, 1))

test.each(Object.entries(LOOKS))(
  'every task of the proof is right in Chromium %s',
  async (name, look) => {
    const sets = proofSets(`chromium ${name}`, SETS)
    const context = await browser.newContext(look)
    const page = await context.newPage()
    const driven = drivenPage(page, () => context.close())
    expect(await wrongIn(driven, pages.address('plain'), sets)).toEqual([])
    // Nothing is left in the page.
    expect(await page.evaluate(() => document.documentElement.children.length)).toBe(2)
    await driven.close()
  },
)
