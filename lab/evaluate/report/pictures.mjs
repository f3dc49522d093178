import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { CHROMIUM } from '../bots/chromium.mjs'

/**
 * The dashboard after all visits, light and dark, as the operator would have seen it.
 *
 * @param {string} opsUrl of the service @param {string} into a folder
 */
export async function dashboardPictures(opsUrl, into) {
  mkdirSync(into, { recursive: true })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${opsUrl}/`)
      await page.locator('body[data-state=shown]').waitFor()
      await page.waitForTimeout(500)
      await page.screenshot({ path: join(into, `dashboard-evaluation-${colorScheme}.png`), fullPage: true })
    }
  } finally {
    await browser.close()
  }
}
