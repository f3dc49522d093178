/** Writes test/vectors/proof.json from the built service: node test/support/proof/vectors.mjs, after npm run build:service. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { putProof, rightAnswers } from '../../../dist/proof/proof.js'

const vectors = Array.from({ length: 12 }, (_, i) => {
  const seed = createHash('sha256').update(`proof vector ${i}`).digest()
  const { v, tasks } = putProof(seed, 1)
  const lines = tasks.map((task) => `  ${JSON.stringify(task)}`).join(',\n')
  const answers = JSON.stringify(rightAnswers(seed))
  return ` {"seed":"${seed.toString('hex')}","answers":${answers},"proof":{"v":${v},"tasks":[\n${lines}\n ]}}`
})
const comes =
  'Made by test/support/proof/vectors.mjs: seeds are SHA-256 of "proof vector 0" and so on. Chromium 156, Firefox 153 and WebKitGTK 2.50 answer as many others rightly (test/browser/proof.test.ts and those beside it). A change here breaks cached widgets: it needs a new version.'
writeFileSync(
  new URL('../../vectors/proof.json', import.meta.url),
  `{"comes":${JSON.stringify(comes)},"vectors":[\n${vectors.join(',\n')}\n]}\n`,
)
