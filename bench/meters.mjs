/**
 * What does counting add to one verification, and how long does /metrics take?
 *
 *     npm run bench -- meters [--quick]
 */
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { writeResult } from './harness/result.mjs'

const { createMetrics } = await import(join(ROOT, 'dist/ops/metrics.js'))
const quick = process.argv.includes('--quick')
const [ROUNDS, TIMES] = quick ? [5, 20_000] : [15, 100_000]

const medianOf = (all) => all.toSorted((a, b) => a - b)[all.length >> 1]
/** Milliseconds of the processor, all threads: the machine may be busy with others. */
async function costOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function measure(siteCount) {
  const metrics = createMetrics({ version: '0' })
  metrics.observeProcess({ fault: () => undefined, fullness: () => 0 })
  const sites = Array.from({ length: siteCount }, (_, i) => `hv_site_${String(i).padStart(22, '0')}`)
  const verify = (i) => {
    metrics.storeCall('ledger', 'ours', (i % 13) / 10)
    metrics.request('siteverify', {
      sitekey: sites[i % siteCount],
      action: 'sign-up',
      code: i % 5 === 0 ? 'low-score' : 'accepted',
      // People gather at a few scores.
      score: i % 5 === 0 ? (i % 17) / 40 : 0.8 + (i % 7) / 50,
      reasons: i % 5 === 0 ? ['behaviour'] : [],
      network: '203.0.113.0/24',
      ms: (i % 97) / 10,
    })
  }
  const round = () =>
    costOf(() => {
      for (let i = 0; i < TIMES; i++) verify(i)
    })
  await round()
  const perRequest = []
  for (let i = 0; i < ROUNDS; i++) perRequest.push(((await round()) / TIMES) * 1000)
  const scrapes = []
  for (let i = 0; i < 7; i++) scrapes.push(await costOf(() => metrics.registry.metrics()))
  const lines = (await metrics.registry.metrics()).split('\n').length
  return { sites: siteCount, microseconds: medianOf(perRequest), lines, scrapeMs: medianOf(scrapes) }
}

const results = []
for (const count of [1, 10, 100, 1000]) results.push(await measure(count))
const rows = results.map(
  ({ sites, microseconds, lines, scrapeMs }) =>
    `| ${sites} | ${microseconds.toFixed(2)} | ${lines.toLocaleString('en')} | ${scrapeMs.toFixed(1)} |`,
)
writeResult(
  'meters',
  `# What counting costs

${inWords('npm run bench -- meters', machine())}

Of one verification with its ledger: median of ${ROUNDS} rounds of ${TIMES.toLocaleString('en')}, processor time. Of \`/metrics\`: with what the library tells of
the process.

| Sites | µs for each request | Lines of /metrics | ms to write them |
|---:|---:|---:|---:|
${rows.join('\n')}
`,
  { results },
  quick,
)
process.exit(0)
