import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { buildScript } from '../../../widget/build-script.js'
import { CHROMIUM, DRIVEN } from '../../evaluate/bots/chromium.mjs'
import { ADDRESSES, campaign } from '../campaign.mjs'
import { mouseUser } from '../forge.mjs'

const networks = () => ADDRESSES.networks(1000)
const FORGED = { summary: mouseUser, patience: 5000 }

/** Kinds of layout as they look in a challenge's text; the flow of blocks is the one that names nothing. */
const OTHER_LAYOUT = /display:\s*(?:inline-)?(?:flex|grid)|position:|inline-block/
const isBox = (task) => task[0] === 'box'
const isFlow = (task) => isBox(task) && !OTHER_LAYOUT.test(JSON.stringify(task[1]))
/** One wrong task of three is forgiven, so an emulator of two kinds, the flow and the path, can use each challenge that asks for both. */
const mayBeWrong = 1

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** A headless Chromium with the widget's public code of the proof in an empty page. */
async function headlessChromium() {
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

export const EMULATIONS = [
  {
    name: 'hybrid',
    what: 'one headless Chromium answers the proofs for a plain client, by the widget’s public code',
    async run(stage, short) {
      const browser = await headlessChromium()
      try {
        const attempt = () => ({ ...FORGED, proof: (tasks) => browser.answers(tasks) })
        const before = browser.cpuSeconds()
        const outcome = await campaign(stage, {
          addresses: networks(),
          visits: short ? 30 : 300,
          attempt,
        })
        return { ...outcome, otherCpuSeconds: browser.cpuSeconds() - before }
      } finally {
        await browser.close()
      }
    },
  },
  {
    name: 'challenge shopping',
    what: 'an emulator that knows two kinds of four works only on challenges that it can answer',
    run(stage, short) {
      const wants = (_, { tasks }) =>
        tasks.filter((task) => isBox(task) && !isFlow(task)).length <= mayBeWrong
      const proof = async ({ tasks }, right) => {
        const answers = await right()
        return answers.map((list, i) =>
          isBox(tasks[i]) && !isFlow(tasks[i]) ? list.map((n) => n + 1) : list,
        )
      }
      const attempt = () => ({ ...FORGED, wants, proof })
      return campaign(stage, { addresses: networks(), visits: short ? 30 : 300, attempt })
    },
  },
]
