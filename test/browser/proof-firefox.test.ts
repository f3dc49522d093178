import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { DrivenBrowser } from '../support/driven-browser.ts'
import { startFirefox } from '../support/firefox.ts'
import { HOSTILE } from '../support/proof/hostile.ts'
import { type ProofPages, serveProof } from '../support/proof/page.ts'
import { type ProofSet, proofSets, wrongTasks } from '../support/proof/sets.ts'

/** More of them, and more scales, on demand: `PROOF_SETS=300 npm run test:only -- test/browser/proof`. */
const SETS = Number(process.env['PROOF_SETS'] ?? 15)

let pages: ProofPages
beforeAll(async () => {
  pages = await serveProof(HOSTILE)
})
afterAll(() => pages.close())

async function answersIn(firefox: DrivenBrowser, name: string, sets: readonly ProofSet[]) {
  await firefox.open(pages.address(name))
  await firefox.until('window.answerAll')
  const proofs = JSON.stringify(sets.map(({ proof }) => proof))
  return JSON.parse(String(await firefox.run('return window.answerAll(arguments[0])', proofs))) as (number[][] | null)[]
}

describe.each([
  { scale: '1', font: 0 },
  { scale: '1.1', font: 24 },
  ...(process.env['PROOF_SETS'] === undefined
    ? []
    : [
        { scale: '0.5', font: 0 },
        { scale: '0.67', font: 40 },
        { scale: '1.33', font: 0 },
        { scale: '3', font: 0 },
      ]),
])('every task is right in Firefox at $scale pixels to the CSS pixel, smallest font $font', ({ scale, font }) => {
  let firefox: DrivenBrowser
  beforeAll(async () => {
    firefox = await startFirefox({ 'layout.css.devPixelsPerPx': scale, 'font.minimum-size.x-western': font })
  }, 60_000)
  afterAll(() => firefox.close())

  test.each(scale === '1' ? HOSTILE : HOSTILE.slice(0, 1))('on a page that is $name', async ({ name }) => {
    const sets = proofSets(`firefox ${scale} ${name}`, SETS)
    expect(wrongTasks(sets, await answersIn(firefox, name, sets)).slice(0, 3)).toEqual([])
    expect(pages.reports).toEqual([])
  })
})
