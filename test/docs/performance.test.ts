/** README and docs/performance.md quote the benches: `npm run docs:pages` writes what bench/results says. */
import { expect, test } from '@jest/globals'
import { figures, type Found, many, quoting } from './measured.ts'

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
  const { page, written } = quoting(name, says())
  expect(page).toBe(written)
})
