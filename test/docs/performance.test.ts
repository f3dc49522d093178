/** README and docs/performance.md quote the benches: `npm run docs:pages` writes what bench/results says. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from '../deploy/root.ts'

interface Beside {
  readonly micros: number
  readonly perSecond: number
  readonly p99: number
}
interface Siteverify {
  readonly microsPerRequest: number
  readonly requestsPerSecond: number
  readonly toReference: Beside
  readonly toUsual: Beside
}

/** What the benches found; each found some of it. */
interface Found {
  readonly 64: Siteverify
  readonly toCap: Beside
  readonly toAltcha: Beside
  readonly toReference: Beside
  readonly microsPerRequest: number
  readonly bytesPerVerification: number
  readonly sites: number
  readonly entries: number
}

/** What a bench found; undefined: it was not run to its end yet. */
function figures(bench: string): Found | undefined {
  const file = join(ROOT, `bench/results/${bench}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Found) : undefined
}

interface Goal {
  readonly question: string
  readonly bench: string
  readonly wanted: string
  readonly seen: (found: Found) => string | number
}
const goal = (question: string, bench: string, wanted: string, seen: Goal['seen']): Goal => ({
  question,
  bench,
  wanted,
  seen,
})

/** Issue 8, "It must show". */
const GOALS: readonly Goal[] = [
  goal('`siteverify`, processor, to the reference', 'siteverify', '≤ 0.65', ({ 64: at }) => at.toReference.micros),
  goal('requests/s, to the reference', 'siteverify', '≥ 1.4', ({ 64: at }) => at.toReference.perSecond),
  goal('p99, to the reference', 'siteverify', '≤ 1', ({ 64: at }) => at.toReference.p99),
  goal('processor, to the usual assembly', 'siteverify', '≤ 0.4', ({ 64: at }) => at.toUsual.micros),
  goal('Node.js 24: processor, to its reference', 'siteverify-node24', '≤ 1.4', ({ 64: at }) => at.toReference.micros),
  goal('requests/s, to Cap', 'peers', '≥ 1.5', ({ toCap }) => toCap.perSecond),
  goal('requests/s, to ALTCHA', 'peers', '≥ 2.5', ({ toAltcha }) => toAltcha.perSecond),
  goal('`solve`, default level', 'solve', '≤ 350 µs', (at) => `${at.microsPerRequest} µs`),
  goal('`challenge`, processor, to the reference', 'challenge', '≤ 0.6', (at) => at.toReference.micros),
  goal('10,000 sites, to one', 'scale', 'flat', ({ sites }) => sites),
  goal('5 million entries, to none', 'scale', 'flat', ({ entries }) => entries),
  goal('Redis for each verification', 'memory', '≤ 200 bytes', (at) => `${at.bytesPerVerification} bytes`),
]

const goals = (): string =>
  [
    '| What | Wanted | Seen | Result |',
    '|---|---|---|---|',
    ...GOALS.map(({ question, bench, wanted, seen }) => {
      const found = figures(bench)
      const says = found === undefined ? 'not measured yet | ' : `${seen(found)} | [${bench}.md](../bench/results/${bench}.md)`
      return `| ${question} | ${wanted} | ${says} |`
    }),
  ].join('\n')

const many = (count: number): string => count.toLocaleString('en')

const quoted = (): string => {
  const { 64: at } = figures('siteverify')!
  const { bytesPerVerification } = figures('memory')!
  const { microsPerRequest, requestsPerSecond, toReference, toUsual } = at
  return [
    `One core verifies ${many(requestsPerSecond)} tokens a second (64 connections, Node.js 20), each for ${microsPerRequest} µs: ${toReference.micros} of what a bare Express`,
    `application with one \`SET NX\` takes, ${toUsual.micros} of the same packages put together as usual. A verification leaves ${bytesPerVerification} bytes in Redis.`,
  ].join('\n')
}

test.each([
  ['docs/performance.md', goals],
  ['README.md', quoted],
])('%s says what bench/results says (npm run docs:pages writes it)', (name, says) => {
  const file = join(ROOT, name)
  const page = (): string => readFileSync(file, 'utf8')
  const written = page().replace(
    /(npm run docs:pages writes it -->\n)[^]*?(\n<!-- end -->)/,
    (_all, before: string, after: string) => before + says() + after,
  )
  if (process.env['DOCS_WRITE'] === '1') writeFileSync(file, written)
  expect(page()).toBe(written)
  expect(written).toContain(says())
})
