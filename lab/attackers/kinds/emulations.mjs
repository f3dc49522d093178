import { ADDRESSES } from '../addresses.mjs'
import { campaign } from '../campaign.mjs'
import { mouseUser } from '../forge.mjs'
import { headlessChromium } from '../headless-chromium.mjs'

const networks = () => ADDRESSES.networks(1000)
const FORGED = { summary: mouseUser, patience: 5000 }

/** Kinds of layout as they look in a challenge's text; the flow of blocks is the one that names nothing. */
const OTHER_LAYOUT = /display:\s*(?:inline-)?(?:flex|grid)|position:|inline-block/
const isBox = (task) => task[0] === 'box'
const isFlow = (task) => isBox(task) && !OTHER_LAYOUT.test(JSON.stringify(task[1]))
/** One wrong task of three is forgiven, so an emulator of two kinds, the flow and the path, can use each challenge that asks for both. */
const mayBeWrong = 1

export const EMULATIONS = [
  {
    name: 'hybrid',
    what: 'one headless Chromium answers the proofs for a plain client, by the widget’s public code',
    async run(stage, short) {
      const browser = await headlessChromium()
      try {
        const attempt = () => ({ ...FORGED, proof: (tasks) => browser.answers(tasks) })
        const before = browser.cpuSeconds()
        const outcome = await campaign(stage, { addresses: networks(), visits: short ? 30 : 300, attempt })
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
      const wants = (_, { tasks }) => tasks.filter((task) => isBox(task) && !isFlow(task)).length <= mayBeWrong
      const proof = async ({ tasks }, right) => {
        const answers = await right()
        return answers.map((list, i) => (isBox(tasks[i]) && !isFlow(tasks[i]) ? list.map((n) => n + 1) : list))
      }
      const attempt = () => ({ ...FORGED, wants, proof })
      return campaign(stage, { addresses: networks(), visits: short ? 30 : 300, attempt })
    },
  },
]
