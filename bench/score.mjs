/**
 * What does the score add to one solve? Goal: at most 50 microseconds of processor time.
 *
 *     npm run bench -- score [--quick]
 */
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { writeResult } from './harness/result.mjs'

const { scoreVisit } = await import(join(ROOT, 'dist/score/score.js'))
const { SIGNALS } = await import(join(ROOT, 'dist/score/signals.js'))
const { RULES, MODEL } = await import(join(ROOT, 'dist/score/rules.js'))
const quick = process.argv.includes('--quick')
const [ROUNDS, TIMES] = quick ? [5, 5000] : [15, 50_000]

const request = {
  trustworthy: true,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  fetchSite: 'cross-site',
  fetchMode: 'cors',
  fetchDest: 'empty',
  acceptLanguage: 'en-GB,en;q=0.9',
  acceptEncoding: 'gzip, deflate, br, zstd',
  clientHints: '"Chromium";v="156", "Not/A)Brand";v="24"',
  clientPlatform: 'Linux',
  clientMobile: '?0',
  accept: '*/*',
  headerOrder: ['host', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'accept-encoding', 'accept-language'],
}
/** A summary whose every value is `pick` of its largest. */
const summary = (pick) => {
  const whole = Object.entries(SIGNALS).map(([family, signals]) => [
    family,
    Object.fromEntries(Object.entries(signals).map(([name, { max }]) => [name, pick(max)])),
  ])
  return { v: 1, ...Object.fromEntries(whole) }
}
const visits = {
  'nothing shown': {},
  'every signal, small': summary((max) => Math.min(max, 10)),
  'every signal at its largest': summary((max) => max),
}

const perVisit = Object.entries(visits).map(([name, signals]) => {
  const facts = { signals, request, units: 18_432 }
  for (let i = 0; i < TIMES; i++) scoreVisit(facts)
  const rounds = Array.from({ length: ROUNDS }, () => {
    // The processor's time, not the clock's: the machine may be busy with others.
    const before = process.cpuUsage()
    for (let i = 0; i < TIMES; i++) scoreVisit(facts)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / TIMES
  }).sort((a, b) => a - b)
  return { name, median: rounds[ROUNDS >> 1], worst: rounds.at(-1), rules: scoreVisit(facts).contributions.length }
})

const rows = perVisit.map(
  ({ name, median, worst, rules }) => `| ${name} | ${rules} | ${median.toFixed(2)} | ${worst.toFixed(2)} |`,
)
writeResult(
  'score',
  `# What the score adds to one solve

${inWords('npm run bench -- score', machine())}

Model ${MODEL.version}, ${RULES.length} rules. Microseconds of processor time for each visit, median and worst of ${ROUNDS} rounds of ${TIMES.toLocaleString('en')}. The goal is at most 50.

| Visit | Rules that fire | Median µs | Worst µs |
|---|---:|---:|---:|
${rows.join('\n')}
`,
  { model: MODEL.version, rules: RULES.length, microseconds: perVisit },
  quick,
)
