/** The unit of work as a kernel for graphics cards, as plain C and by OpenCL on this processor: its answers are the service's. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { isTaken, outputsBy, solutionOf } from '../../../lab/kernel/kernel.mjs'
import { powAt } from '../../../src/work/pow.ts'
import { indexBound } from '../../../src/work/s32.ts'
import { powKey } from '../../../src/work/solution.ts'
import { ensurePrograms } from '../../support/programs.mjs'
import { ROOT } from '../../support/root.ts'

const vectors = JSON.parse(readFileSync(join(ROOT, 'test/vectors/s32.json'), 'utf8')) as {
  readonly steps: number
  readonly cases: readonly { name: string; keyHex: string; outputs: readonly number[] }[]
}
const keyOf = (hex: string) => new Int32Array(new Uint8Array(Buffer.from(hex, 'hex')).buffer)

/** Debian's packages may have to come first. */
const INSTALL_MS = 300_000
beforeAll(() => ensurePrograms(['cc', 'opencl', 'pocl']), INSTALL_MS)

describe.each([
  ['as C', { isCpu: true }],
  ['by OpenCL', { isPocl: true }],
])('%s', (_, how) => {
  test.each(vectors.cases)(
    'the first units of $name are those of the vectors',
    ({ keyHex, outputs }) => {
      const found = outputsBy(how, keyOf(keyHex), 4, vectors.steps)
      expect(found.outputs).toEqual(outputs.slice(0, 4))
    },
  )

  test.each([0, 1])('the service takes its solution of a challenge of level %i', (level) => {
    const pow = powAt(level, 's32.1', 20_000)
    const key = powKey('a challenge token')
    const { outputs } = outputsBy(how, key, indexBound(pow.n), pow.s)
    const solution = solutionOf(outputs, pow)
    expect(isTaken(key, pow, solution)).toBe(true)
    const wrong = solutionOf(
      outputs.map((output) => output ^ 1),
      pow,
    )
    expect(isTaken(key, pow, wrong)).toBe(false)
  })
})
