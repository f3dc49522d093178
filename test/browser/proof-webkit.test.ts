import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { DrivenBrowser } from '../support/driven-browser.ts'
import { HOSTILE } from '../support/proof/hostile.ts'
import { type ProofPages, serveProof } from '../support/proof/page.ts'
import { proofSets, wrongTasks } from '../support/proof/sets.ts'
import { startWebkit } from '../support/webkit.ts'

/** More of them on demand: `PROOF_SETS=300 npm run test:only -- test/browser/proof`. */
const SETS = Number(process.env['PROOF_SETS'] ?? 15)

let pages: ProofPages
let webkit: DrivenBrowser
beforeAll(async () => {
  pages = await serveProof(HOSTILE)
  webkit = await startWebkit()
}, 90_000)
afterAll(async () => {
  await webkit.close()
  await pages.close()
})

async function answersOf(name: string) {
  const sets = proofSets(`webkit ${name}`, SETS)
  await webkit.open(pages.address(name))
  await webkit.until('window.answerProof')
  // WebKit runs microtasks between the listeners of an event that WebDriver's own script dispatches, as if no script ran.
  const later = 'const [sets] = arguments; setTimeout(() => window.answerAll(sets))'
  await webkit.run(later, JSON.stringify(sets.map(({ proof }) => proof)))
  await webkit.until('window.answered')
  const answers = JSON.parse(String(await webkit.run('return window.answered'))) as (number[][] | null)[]
  return { sets, answers }
}

const ZOOMED = HOSTILE.filter(({ name }) => name === 'zoomed')

test.each(HOSTILE.filter((page) => !ZOOMED.includes(page)))(
  'every task is right in WebKit, on a page that is $name',
  async ({ name }) => {
    const { sets, answers } = await answersOf(name)
    expect(wrongTasks(sets, answers).slice(0, 3)).toEqual([])
    expect(pages.reports).toEqual([])
  },
)

// WebKit lays turned and enlarged boxes out on a grid of its own under CSS zoom; docs/design/proof.md, "People it must not penalise".
test.each(ZOOMED)('on a page that is $name, WebKit has one task of a set wrong at most', async ({ name }) => {
  const { sets, answers } = await answersOf(name)
  const wrong = sets.map((set, index) => wrongTasks([set], [answers[index]!]).length)
  expect(Math.max(...wrong)).toBeLessThanOrEqual(1)
})
