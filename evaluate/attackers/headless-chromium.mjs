import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString())
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']

/**
 * A headless Chromium with the service's public second script in an empty page.
 *
 * @param {string} serviceUrl
 */
export async function headlessChromium(serviceUrl) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: ARGS })
  const page = await browser.newPage()
  const script = `${serviceUrl}/assets/captcha-visit-en.js`
  // A page of the service's own origin would have a policy that loads nothing.
  await page.setContent('<!doctype html><html lang="en"><body></body></html>')
  await page.evaluate(async (address) => {
    globalThis.answerProof = (await import(address)).answerProof
  }, script)
  return {
    /** @returns {Promise<number[][]>} */
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
