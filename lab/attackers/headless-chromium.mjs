import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { buildScript } from '../../widget/build-script.js'
import { CHROMIUM, DRIVEN } from '../evaluate/bots/chromium.mjs'

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** A headless Chromium with the widget's public code of the proof in an empty page. */
export async function headlessChromium() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: DRIVEN })
  const page = await browser.newPage()
  await page.setContent('<!doctype html><html lang="en"><body></body></html>')
  const code = Buffer.from(await buildScript('src/proof.ts', 'es')).toString('base64')
  await page.evaluate(async (text) => {
    globalThis.answerProof = (await import(`data:text/javascript;base64,${text}`)).answerProof
  }, code)
  return {
    answers: (proof) => page.evaluate((tasks) => globalThis.answerProof(tasks), proof),
    /** CPU seconds of all its processes that run now. */
    cpuSeconds: () => cpuSecondsBelow(process.pid),
    close: () => browser.close(),
  }
}

/** User and system time of the descendants of a process; proc(5). */
function cpuSecondsBelow(root) {
  const processes = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      processes.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) })
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (pid) => {
    const parent = processes.get(pid)?.parent
    return parent !== undefined && (parent === root || isBelow(parent))
  }
  const ticks = [...processes].filter(([pid]) => isBelow(pid)).reduce((sum, [, each]) => sum + each.ticks, 0)
  return ticks / TICKS_PER_SECOND
}
