import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { checkProof, PROOF_TASKS } from '../../../src/proof/proof.ts'
import { buildScript } from '../../../widget/build-script.js'
import { newFolder } from '../../support/close-later.ts'
import { proofSets } from '../../support/proof/sets.ts'

/** docs/design/work.md#the-browser-proof: jsdom and happy-dom fail the browser proof, unmodified and helped. */
const program = fileURLToPath(new URL('simulated.mjs', import.meta.url))
const script = join(newFolder(), 'proof.mjs')
writeFileSync(script, await buildScript('src/proof.ts', 'es'))
const sets = proofSets('simulated', 200)

function answersOf(...args: readonly string[]): (number[][] | null)[] {
  const [name, ...how] = args as [string, ...string[]]
  const input = JSON.stringify(sets.map(({ proof }) => proof))
  const done = spawnSync(process.execPath, [program, name, script, ...how], {
    input,
    encoding: 'utf8',
  })
  expect([done.status, done.stderr]).toEqual([0, ''])
  return JSON.parse(done.stdout) as (number[][] | null)[]
}

describe.each(['jsdom', 'happy-dom'])('%s', (name) => {
  test('lays nothing out, so it has no answers at all', () => {
    expect(answersOf(name).filter((one) => one !== null)).toEqual([])
  })

  test('with a faked page size, fails every task of every set, since all need a real layout', () => {
    const wrong = answersOf(name, 'with-a-stage').map((answers, i) => {
      const facts = checkProof(Buffer.from(sets[i]!.seed, 'hex'), answers ?? undefined)
      return facts.is === 'answered' ? facts.wrong : 'nothing'
    })
    expect(Math.min(...wrong.map(Number))).toBe(PROOF_TASKS)
  })
})
