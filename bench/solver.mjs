/**
 * The goals of docs/design/proof-of-work.md in Chromium: time of a unit, what a second worker brings, how much the work of a challenge varies,
 * bytes of solver and solution, and what the check of a solution costs at each level.
 *
 *     npm run bench -- solver [--quick]
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { writeResult } from './harness/result.mjs'
import { median, ratio, rounds, table } from './harness/rounds.mjs'

const { STEPS, unitsAtLevel } = await import(join(ROOT, 'dist/domain/challenge.js'))
const { checkSolution, parseSolution, pickPositions, powKey } = await import(join(ROOT, 'dist/work/solution.js'))
const { hitThreshold, prepare, SAMPLES, unit } = await import(join(ROOT, 'dist/work/s32.js'))
const { honestWork } = await import(join(ROOT, 'dist/doctor/visitor.js'))
const quick = process.argv.includes('--quick')
const COUNT = quick ? 3 : 9
const UNITS = 18_432

// The widget's script is its worker, too.
const worker = readFileSync(join(ROOT, 'dist/assets/captcha.js'))
const server = createServer((req, res) => {
  const isWorker = req.url === '/worker.js'
  res.writeHead(200, { 'Content-Type': isWorker ? 'text/javascript' : 'text/html' })
  res.end(isWorker ? worker : '<!doctype html><link rel="icon" href="data:,"><title>solver</title>')
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })
const page = await browser.newPage()
await page.goto(`http://127.0.0.1:${server.address().port}/`)

/** Milliseconds that so many workers take for all units of a challenge, in chunks of 256 as the widget hands them out. */
const solveIn = (workers) =>
  page.evaluate(
    async ({ workers: crew, units, steps }) => {
      const key = crypto.getRandomValues(new Int32Array(8))
      const hired = Array.from({ length: crew }, () => new Worker('/worker.js'))
      const ask = (one, message) =>
        new Promise((resolve) => {
          one.addEventListener('message', ({ data }) => resolve(data), { once: true })
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
          one.postMessage(message)
        })
      await Promise.all(hired.map((one) => ask(one, { key, steps, threshold: 2 ** 32, isPb: false, mayAsk: false })))
      // Each has its engine warm, as after the first tenth of a challenge.
      await Promise.all(hired.map((one) => ask(one, { from: 0, to: 128 })))
      let next = 0
      const started = performance.now()
      const run = async (one) => {
        while (next < units) {
          const from = next
          next += 256
          await ask(one, { from, to: Math.min(units, from + 256) })
        }
      }
      await Promise.all(hired.map(run))
      const ms = performance.now() - started
      for (const one of hired) one.terminate()
      return ms
    },
    { workers, units: UNITS, steps: STEPS },
  )

const crews = [1, 2].map((workers) => ({ name: workers, workers }))
await rounds(1, crews, ({ workers }) => solveIn(workers))
const seen = await rounds(COUNT, crews, ({ workers }) => solveIn(workers))
await browser.close()
server.close()

/** Units that a challenge of `n` takes: exactly n up to 512, and as many as bring 512 hits above. */
function unitsTaken(n) {
  if (n <= SAMPLES) return n
  prepare(
    Int32Array.from({ length: 8 }, () => randomBytes(4).readInt32LE()),
    8,
  )
  // Fewer steps a unit: how often an output is small does not depend on them, and this is about counting.
  const key = Int32Array.from({ length: 8 }, () => randomBytes(4).readInt32LE())
  prepare(key, 8)
  let hits = 0
  let index = 0
  for (; hits < SAMPLES; index++) if (unit(key, index, 8) <= hitThreshold(n)) hits++
  return index
}
const taken = Array.from({ length: quick ? 20 : 100 }, () => unitsTaken(UNITS)).sort((a, b) => a - b)
const mean = taken.reduce((sum, each) => sum + each, 0) / taken.length
const spread = taken[Math.floor(taken.length * 0.95)] / mean

const levels = quick ? [0, 3] : [0, 3, 5]
const checks = levels.map((level) => {
  const challenge = randomBytes(300).toString('base64url')
  const pow = { a: 's32.2', s: STEPS, n: unitsAtLevel(level) }
  const solution = honestWork(challenge, pow)
  const key = powKey(challenge)
  const times = Array.from({ length: 300 }, () => {
    const started = performance.now()
    const samples = parseSolution(solution, pow.n)
    if (!samples || !checkSolution(key, pow, samples, pickPositions(randomBytes(32), samples.length)))
      throw new Error('wrong')
    return (performance.now() - started) * 1000
  })
  return { level, units: pow.n, bytes: solution.length, micros: median(times.slice(50)) }
})

/** The unit with a table of so many words: of the built source, with another size of the table. */
function unitsWith(words) {
  const source = readFileSync(join(ROOT, 'dist/work/s32.js'), 'utf8')
  const other = source
    .replace('WORDS = 32_768', `WORDS = ${words}`)
    .replace(/(a\d) >>> 17/g, `$1 >>> ${32 - Math.log2(words)}`)
  return import(`data:text/javascript,${encodeURIComponent(`${other}\n// ${words}`)}`)
}

/** Sizes of a unit, each with as many steps as change 86 % of the lines of its table, and two longer ones. */
const sizes = [
  { words: 65_536, steps: 8192 },
  { words: 65_536, steps: 2048 },
  { words: 32_768, steps: 1024 },
  { words: 16_384, steps: 512 },
]
/** Microseconds of a unit, and of the table and two units, which is what a check costs; in turns. */
for (const size of sizes) Object.assign(size, await unitsWith(size.words), { units: [], checks: [] })
for (let round = 0; round < (quick ? 50 : 400); round++) {
  for (const size of sizes) {
    const key = powKey(String(round))
    const started = performance.now()
    size.prepare(key, size.steps)
    size.unit(key, round, size.steps)
    size.unit(key, round + 1, size.steps)
    size.checks.push((performance.now() - started) * 1000)
    const again = performance.now()
    for (let index = 0; index < 10; index++) size.unit(key, index, size.steps)
    size.units.push((performance.now() - again) * 100)
  }
}

const one = median(seen.get(1))
const figures = {
  microsPerUnit: Number(((one * 1000) / UNITS).toFixed(1)),
  twoWorkers: Number(ratio(seen.get(1), seen.get(2), (ms) => ms).toFixed(2)),
  spread: Number(spread.toFixed(2)),
  workerBrotli: brotliCompressSync(worker).length,
  checkMicros: Math.round(Math.max(...checks.map(({ micros }) => micros))),
  longestSolution: Math.max(...checks.map(({ bytes }) => bytes)),
}
writeResult(
  'solver',
  `# The work in the browser, and its check

${inWords('npm run bench -- solver', machine())}
Chromium, ${COUNT} rounds of ${UNITS.toLocaleString('en')} units (the default level), in turns; medians. Goals: docs/design/proof-of-work.md.

${table(
  ['', 'seen', 'goal'],
  [
    ['a unit in one worker', `${figures.microsPerUnit} µs`, '12 µs'],
    ['all of it, one worker', `${one.toFixed(0)} ms`, '0.21 s'],
    ['two workers beside one', `${figures.twoWorkers} times`, '1.8'],
    ['p95 of the work to its mean, above 512 units', figures.spread, '1.10'],
    ['the script with the worker, the proof and the signals, brotli', `${figures.workerBrotli} bytes`, ''],
    ['longest solution', `${figures.longestSolution} bytes`, '2.5 KB'],
    ...checks.map(({ level, units, micros }) => [
      `check at level ${level} (${units} units), p50`,
      `${micros.toFixed(0)} µs`,
      '200 µs',
    ]),
    ...sizes.map(({ words, steps, units, checks: both }) => [
      `a table of ${words / 256} KiB, ${steps} steps: a unit; the table and two units`,
      `${median(units.slice(20)).toFixed(1)}; ${median(both.slice(20)).toFixed(0)} µs`,
      '',
    ]),
  ],
)}
`,
  figures,
  quick,
)
