import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { type DrivenBrowser, drivenPage } from './driven-browser.ts'
import { closeLater } from './close-later.ts'
import { needProgram } from './programs.mjs'

export const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'.split(
    ' ',
  )

/**
 * Options of Playwright that start the distribution's Chromium, without the pages of its address bar.
 *
 * @param program what starts it; otherwise Chromium itself.
 */
export const chromiumProgram = (program = needProgram('chromium')) => ({
  executablePath: fileURLToPath(new URL('chromium', import.meta.url)),
  env: { ...process.env, HV_CHROMIUM: program },
})

/** A real Chromium, which ends with the tests of the file. @param without which of Playwright's own flags are left out. */
export async function launch(
  flags: readonly string[] = [],
  without: string[] = [],
  program?: string,
): Promise<Browser> {
  const options = {
    ...chromiumProgram(program),
    args: [...FLAGS, ...flags],
    ignoreDefaultArgs: without,
  }
  return closeLater(await chromium.launch(options), (it) => it.close())
}

/** Chromium, driven as the other browsers are. Playwright switches the back/forward cache off; here it is on, as visitors have it. */
export async function startChromium(flags: readonly string[] = []): Promise<DrivenBrowser> {
  const browser = await launch(flags, ['--disable-back-forward-cache'])
  return drivenPage(await browser.newPage(), () => browser.close())
}
