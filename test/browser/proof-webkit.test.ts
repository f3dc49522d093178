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
  await webkit.until('window.answerAll')
  const proofs = JSON.stringify(sets.map(({ proof }) => proof))
  const answers = JSON.parse(String(await webkit.run('return window.answerAll(arguments[0])', proofs))) as (
    number[][] | null
  )[]
  return { sets, answers }
}

test.each(HOSTILE)('every task is right in WebKit, on a page that is $name', async ({ name }) => {
  const { sets, answers } = await answersOf(name)
  expect(wrongTasks(sets, answers).slice(0, 3)).toEqual([])
  expect(pages.reports).toEqual([])
})
