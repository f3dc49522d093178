import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepTokensUntil } from '../../src/domain/challenge.ts'
import { seconds, unixSeconds } from '../../src/domain/words.ts'
import { BUCKET_MS } from '../../src/store/ledger-partition.ts'
import { table } from './table.ts'

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
  readonly rssMiBAfter: number
  readonly requests: number
  readonly sites: number
  readonly entries: number
  readonly microsPerVisit: number
  readonly redisMicrosPerVisit: number
  readonly references: number
  readonly over: number
  readonly malformed: number
  readonly unknown: number
  readonly bare: number
  readonly rate: number
  readonly beforeSubmit: number
}

/** What a bench found; undefined: it was not run to its end yet. */
function figures(root: string, bench: string): Found | undefined {
  const file = join(root, `bench/results/${bench}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Found) : undefined
}

const many = (count: number): string => count.toLocaleString('en')
const result = (bench: string): string => `[${bench}.md](../../bench/results/${bench}.md)`

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

/** The goals, as docs/design/performance.md lists them. */
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
  goal('a whole visit: challenge, `solve`, `siteverify`', 'visit', '≤ 3 references', ({ references }) => references),
  goal('the same, Node.js 24', 'visit-node24', '≤ 3 references', ({ references }) => references),
  goal('429, to a challenge that is issued', 'refusals', '≤ 0.3', ({ over }) => over),
  goal('a malformed body, to a challenge', 'refusals', '≤ 0.1', ({ malformed }) => malformed),
  goal('an unknown sitekey, to a challenge', 'refusals', '≤ 0.2', ({ unknown }) => unknown),
  goal('bare `node:http` with the same bytes, to a challenge', 'refusals', '–', ({ bare }) => bare),
  goal('bytes before the submit, gzip', 'widget', '≤ 20,000', ({ beforeSubmit }) => many(beforeSubmit)),
  goal('Redis for each verification', 'memory', '≤ 200 bytes', (at) => `${at.bytesPerVerification} bytes`),
]

/** The goals of docs/design/performance.md, each beside what its bench found. */
export const goalsTable = (root: string): string =>
  table(
    ['Figure', 'Goal', 'Measured', 'Result'],
    GOALS.map(({ question, bench, wanted, seen }) => {
      const found = figures(root, bench)
      return [question, wanted, found ? String(seen(found)) : 'not measured yet', found ? result(bench) : '–']
    }),
  )

/** The figures of README. */
export function headlineFigures(root: string): string {
  const { 64: at } = figures(root, 'siteverify')!
  const { bytesPerVerification } = figures(root, 'memory')!
  const { microsPerRequest, requestsPerSecond, toReference, toUsual } = at
  return [
    `One core verifies ${many(requestsPerSecond)} tokens a second (64 connections, Node.js 20), each for ${microsPerRequest} µs: ${toReference.micros} of what a bare Express`,
    `application with one \`SET NX\` takes, ${toUsual.micros} of the same packages put together as usual. A verification leaves ${bytesPerVerification} bytes in Redis.`,
  ].join('\n')
}

interface Sizing {
  readonly question: string
  readonly bench: string
  readonly says: (found: Found) => string
}

const SIZING: readonly Sizing[] = [
  {
    question: 'verifications of one core, 64 connections',
    bench: 'siteverify',
    says: ({ 64: busy }) =>
      `${many(busy.requestsPerSecond)} a second, ${many(busy.microsPerRequest)} µs of processor each`,
  },
  {
    question: 'Redis for each verification',
    bench: 'memory',
    says: (found) => `${many(found.bytesPerVerification)} bytes`,
  },
  {
    question: 'memory of a process',
    bench: 'memory',
    says: (found) => `${many(found.rssMiBAfter)} MiB after ${many(found.requests)} verifications`,
  },
  {
    question: 'the same with much of everything',
    bench: 'scale',
    says: (found) => `${found.sites} × the processor with 10,000 sites, ${found.entries} × with 5 million entries`,
  },
]

/** The figures of docs/operate/operations.md that size a fleet. */
export const sizingTable = (root: string): string =>
  table(
    ['Figure', 'Measured', 'Measure it on your machine'],
    SIZING.map(({ question, bench, says }) => {
      const found = figures(root, bench)
      const answer = found ? `${says(found)} (${result(bench)})` : 'not measured yet on a quiet machine'
      return [question, answer, `\`npm run bench -- ${bench}\``]
    }),
  )

/** The busiest hour of a day has so many times its mean. */
const PEAK = 3
/** What one core, and one Redis, is loaded with at the most. */
const LOAD = 0.5
/** A visit leaves the entry of its challenge and that of its token. */
const ENTRIES = 2
/** Seconds that an entry is kept with the default lifetimes of challenge and token. */
const KEPT = keepTokensUntil(unixSeconds(600), seconds(120)) + (30_000 + BUCKET_MS) / 1000

const round = (value: number): string => many(value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value))

/** What so many visits a day take, computed from what the benches found. docs/operate/redis.md */
export function fleetTable(root: string): string {
  const visit = figures(root, 'visit')
  const memory = figures(root, 'memory')
  if (!visit || !memory) return 'Not measured yet on a quiet machine: `npm run bench -- visit memory`.'
  const rows = [1e6, 1e7, 1e8, 1e9].map((aDay) => {
    const peak = (aDay / 86_400) * PEAK
    return [
      many(aDay),
      round(peak),
      round((peak * visit.microsPerVisit) / 1e6 / LOAD),
      round((peak * visit.redisMicrosPerVisit) / 1e6 / LOAD),
      `${round((peak * KEPT * ENTRIES * memory.bytesPerVerification) / 1e6)} MB`,
    ]
  })
  return table(
    ['Visits a day', 'A second, busiest hour', 'Cores of the service', 'Cores of Redis', 'Entries in Redis'],
    rows,
  )
}
