import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { launch } from './stage.ts'
import type { WireProof } from '../../src/wire.ts'
import { HOSTILE } from '../support/proof/hostile.ts'
import { type ProofPages, serveProof } from '../support/proof/page.ts'
import { proofSets, wrongTasks } from '../support/proof/sets.ts'

declare const answerAll: (proofs: string) => string

/** More of them on demand: `PROOF_SETS=300 npm run test:only -- test/browser/proof`. */
const SETS = Number(process.env['PROOF_SETS'] ?? 12)
const LOOKS: readonly (BrowserContextOptions & { readonly name: string })[] = [
  { name: 'a desk', viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
  { name: 'a phone', viewport: { width: 360, height: 640 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true },
  { name: 'zoom 50 %', viewport: { width: 2560, height: 1600 }, deviceScaleFactor: 0.5 },
  { name: 'zoom 67 %', viewport: { width: 1900, height: 1200 }, deviceScaleFactor: 0.67 },
  { name: 'zoom 110 %, dark', viewport: { width: 1160, height: 700 }, deviceScaleFactor: 1.1, colorScheme: 'dark' },
  { name: 'zoom 133 %', viewport: { width: 960, height: 600 }, deviceScaleFactor: 1.33 },
  { name: 'zoom 400 %', viewport: { width: 320, height: 200 }, deviceScaleFactor: 4 },
  { name: 'forced colours', forcedColors: 'active', reducedMotion: 'reduce' },
  { name: 'another place', locale: 'ar-EG', timezoneId: 'Pacific/Chatham' },
]

let browser: Browser
let pages: ProofPages
beforeAll(async () => {
  browser = await launch()
  pages = await serveProof(HOSTILE.slice(0, 1))
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})

async function answersIn(look: BrowserContextOptions, name: string, proofs: readonly WireProof[]) {
  const context = await browser.newContext(look)
  try {
    const page = await context.newPage()
    await page.goto(pages.address(name))
    await page.waitForFunction('window.answerAll')
    const answers = await page.evaluate((given) => answerAll(given), JSON.stringify(proofs))
    const left = await page.evaluate(() => document.documentElement.children.length)
    return { answers: JSON.parse(answers) as (number[][] | null)[], left }
  } finally {
    await context.close()
  }
}

describe('every task is right in Chromium', () => {
  test.each(LOOKS)('$name', async ({ name, ...look }) => {
    const sets = proofSets(`chromium ${name}`, SETS)
    const { answers, left } = await answersIn(
      look,
      'plain',
      sets.map(({ proof }) => proof),
    )
    expect(wrongTasks(sets, answers).slice(0, 3)).toEqual([])
    expect(left).toBe(2)
  })
})
