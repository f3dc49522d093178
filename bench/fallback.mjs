/**
 * The work of browsers without a JIT, `pb.1`, beside `s32.2`: what a unit of each takes with a JIT and without, and what
 * checks cost. docs/design/history.md, "A browser without a JIT"
 *
 *     node bench/fallback.mjs
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const { ITERATIONS, STEPS } = await import('../dist/domain/challenge.js')
const { checkPbSolution, pbUnit } = await import('../dist/work/pb.js')
const { prepare, tagOf, unit } = await import('../dist/work/s32.js')
const { checkSolution } = await import('../dist/work/solution.js')

const key = Int32Array.from({ length: 8 }, () => randomBytes(4).readInt32LE())
prepare(key, STEPS)

/** Milliseconds that most runs take, and the quickest. */
async function time(runs, task) {
  const times = []
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    await task(i)
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  return `${times[runs >> 1].toFixed(3)} ms in the middle, ${times[0].toFixed(3)} at best`
}

const isJitless = process.execArgv.includes('--jitless')
if (!isJitless) await time(200, (i) => unit(key, i, STEPS))
console.log(`a unit of s32.2, ${isJitless ? 'no' : 'with a'} JIT: ${await time(100, (i) => unit(key, i, STEPS))}`)
if (!isJitless) {
  console.log(`a unit of pb.1: ${await time(300, (i) => pbUnit(key, i, ITERATIONS))}`)
  const pow = { a: 'pb.1', s: ITERATIONS, n: 128, b: 4000 }
  const s32 = { ...pow, a: 's32.2', s: STEPS }
  const [byPb, byS32] = [[], []]
  for (let index = 0; index < 2; index++) {
    byPb.push({ index, tag: tagOf(await pbUnit(key, index, ITERATIONS)) })
    byS32.push({ index, tag: tagOf(unit(key, index, STEPS)) })
  }
  console.log(`a check of pb.1, in two threads: ${await time(200, () => checkPbSolution(key, pow, byPb, [0, 1]))}`)
  console.log(`a check of s32.2: ${await time(200, () => checkSolution(key, s32, byS32, [0, 1]))}`)
  const again = ['--jitless', '--no-warnings', fileURLToPath(import.meta.url)]
  console.log(execFileSync(process.execPath, again, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim())
}
