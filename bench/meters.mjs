/**
 * What does counting add to one verification, how long does /metrics take, and how large is what a process leaves for
 * the dashboard?
 *
 *     npm run bench -- meters [--quick]
 */
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { writeResult } from './harness/result.mjs'

const load = (name) => import(join(ROOT, `dist/ops/${name}.js`))
const { meters } = await load('metrics/meters')
const { tally } = await load('metrics/tally')
const { labels } = await load('metrics/labels')
const { tokenBalance } = await load('metrics/token-balance')
const { reloadState } = await load('metrics/reload-state')
const { topNetworks } = await load('metrics/top-networks')
const { exposition } = await load('metrics/exposition')
const { minutes } = await load('fleet/minute-counts')
const { pack } = await load('fleet/packet')
const quick = process.argv.includes('--quick')
const [ROUNDS, TIMES] = quick ? [5, 20_000] : [15, 200_000]

const medianOf = (all) => all.toSorted((a, b) => a - b)[all.length >> 1]
/** Milliseconds of the processor, all threads: the machine may be busy with others. */
async function costOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function measure(siteCount) {
  const counts = tally()
  const limited = topNetworks()
  const reloads = reloadState(Date.now)
  const told = meters({ counts, labels: labels(), balance: tokenBalance(counts), reloads, limited })
  const sites = Array.from({ length: siteCount }, (_, i) => `hv_site_${String(i).padStart(22, '0')}`)
  const verify = (i) => {
    told.asked('ledger', 'ours', (i % 13) / 10)
    told.request('siteverify', {
      sitekey: sites[i % siteCount],
      action: 'sign-up',
      code: i % 5 === 0 ? 'low-score' : 'accepted',
      // People gather at a few scores.
      score: i % 5 === 0 ? (i % 17) / 40 : 0.8 + (i % 7) / 50,
      token_ends: 1_800_000_000 + (i % 600),
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
  const expose = exposition({ counts, reloads, ledger: { fault: () => undefined }, version: '0', ofProcess: true })
  const scrapes = []
  for (let i = 0; i < 7; i++) scrapes.push(await costOf(expose))
  const lines = (await expose()).text.split('\n').length
  // One busy minute: ten verifications of each site.
  counts.drain()
  for (let i = 0; i < siteCount * 10; i++) verify(i)
  const status = () => ({ id: 'x'.repeat(22), name: 'machine/12345', version: '0.1.0' })
  const packet = await pack(minutes({ counts, limited, status }).take(Date.now()))
  return {
    sites: siteCount,
    microseconds: medianOf(perRequest),
    lines,
    scrapeMs: medianOf(scrapes),
    packet: packet.length,
  }
}

const results = []
for (const count of [1, 10, 100, 1000]) results.push(await measure(count))
const rows = results.map(
  ({ sites, microseconds, lines, scrapeMs, packet }) =>
    `| ${sites} | ${microseconds.toFixed(2)} | ${lines.toLocaleString('en')} | ${scrapeMs.toFixed(1)} | ${packet.toLocaleString('en')} |`,
)
writeResult(
  'meters',
  `# What counting costs

${inWords('npm run bench -- meters', machine())}

Of one verification with its ledger: median of ${ROUNDS} rounds of ${TIMES.toLocaleString('en')}, processor time. Of \`/metrics\`: with what the library tells of
the process. A packet is what a process leaves in Redis for a minute in which each site had ten verifications.

| Sites | µs for each request | Lines of /metrics | ms to write them | Bytes of a packet |
|---:|---:|---:|---:|---:|
${rows.join('\n')}
`,
  { results },
  quick,
)
process.exit(0)
