import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { buildScript } from '../../widget/build-script.js'
import { CHROMIUM, DRIVEN } from '../evaluate/bots/chromium.mjs'

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** A headless Chromium with the widget's public code of the proof in an empty page. */
export async function headlessChromium() {
  const server = await chromium.launchServer({ executablePath: CHROMIUM, args: DRIVEN })
  const browser = await chromium.connect(server.wsEndpoint())
  const page = await browser.newPage()
  await page.setContent('<!doctype html><html lang="en"><body></body></html>')
  const code = Buffer.from(await buildScript('src/proof.ts', 'es')).toString('base64')
  await page.evaluate(async (text) => {
    globalThis.answerProof = (await import(`data:text/javascript;base64,${text}`)).answerProof
  }, code)
  return {
    answers: (proof) => page.evaluate((tasks) => globalThis.answerProof(tasks), proof),
    /** CPU seconds of all its processes that run now. */
    cpuSeconds: () => cpuSecondsOf(server.process().pid),
    close: () => server.close(),
  }
}

/** User and system time of a process group; proc(5). */
function cpuSecondsOf(group) {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      if (fields[2] === group) ticks += fields[11] + fields[12]
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / TICKS_PER_SECOND
}
