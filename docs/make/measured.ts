import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepTokensUntil } from '../../src/claims/challenge.ts'
import { seconds, unixSeconds } from '../../src/domain/words.ts'
import { BUCKET_MS } from '../../src/store/ledger/buckets.ts'
import { table } from './table.ts'

/** Of the processes of one run. */
interface Spread {
  readonly median: number
  readonly range: readonly [least: number, most: number]
}

interface Siteverify {
  readonly microsPerRequest: number
  readonly requestsPerSecond: number
  readonly toReference: Spread
}

/** The processor time of a visit to that of the others, whose store is of the same kind. */
interface Ratios {
  readonly toCap: Spread
  readonly toAltcha: Spread
}

/** What the benches found; each found some of it. */
interface Found {
  readonly 1: Siteverify
  readonly 64: Siteverify
  readonly bytesPerVisit: number
  readonly bytesPerVisitor: number
  readonly bytesPerEntry: number
  readonly rssMiBAfter: number
  readonly requests: number
  readonly microsPerVisit: number
  readonly onRedis?: Ratios
  readonly inMemory?: Ratios
  readonly coldOnRedis?: Ratios
  readonly redisMicrosPerVisit: number
}

const figures = (root: string, bench: string): Found =>
  JSON.parse(readFileSync(join(root, `lab/results/${bench}.json`), 'utf8')) as Found

const spread = ({ median, range }: Spread): string => `${median} (${range.join('–')})`
/** Spells a figure that the last run may not have had: the results of runs before 2026-11-29 had Cap in its own memory alone. */
const maybe = (found: Spread | undefined): string => (found ? spread(found) : 'not measured')
const many = (count: number): string => count.toLocaleString('en')
const result = (bench: string): string => `[${bench}.md](../../lab/results/${bench}.md)`

type Goal = readonly [
  question: string,
  /** Its result for Node.js 24 has the same name with `-node24`. */
  bench: string,
  budget20: string,
  budget24: string,
  seen: (found: Found) => string | number,
]

/** What is measured with both versions of Node.js, as docs/design/performance.md lists it. */
const GOALS: readonly Goal[] = [
  ['a whole visit, µs', 'visit', '–', '–', (found) => many(found.microsPerVisit)],
  ['a visit, all on Redis, to Cap', 'visit', '–', '≤ 1.0', (found) => maybe(found.onRedis?.toCap)],
  [
    'a visit, all on Redis, to ALTCHA',
    'visit',
    '–',
    '≤ 1.0',
    (found) => maybe(found.onRedis?.toAltcha),
  ],
  [
    'a visit, all in memory, to Cap',
    'visit',
    '–',
    '≤ 1.0',
    (found) => maybe(found.inMemory?.toCap),
  ],
  [
    'a visit, all in memory, to ALTCHA',
    'visit',
    '–',
    '≤ 1.0',
    (found) => maybe(found.inMemory?.toAltcha),
  ],
  [
    'the first 512 visits, on Redis, to Cap',
    'visit',
    '–',
    '–',
    (found) => maybe(found.coldOnRedis?.toCap),
  ],
  [
    'the first 512 visits, on Redis, to ALTCHA',
    'visit',
    '–',
    '–',
    (found) => maybe(found.coldOnRedis?.toAltcha),
  ],
  [
    '`siteverify`, 64 connections, µs',
    'siteverify',
    '–',
    '–',
    (found) => found[64].microsPerRequest,
  ],
  [
    '`siteverify`, 64 connections, to bare Express',
    'siteverify',
    '–',
    '–',
    (found) => spread(found[64].toReference),
  ],
  [
    '`siteverify`, one connection, µs',
    'siteverify',
    '–',
    '–',
    (found) => found[1].microsPerRequest,
  ],
  [
    '`siteverify`, one connection, to bare Express',
    'siteverify',
    '–',
    '–',
    (found) => spread(found[1].toReference),
  ],
]

/** Returns what the processor is asked for, each figure beside its budget. */
export const processorTable = (root: string): string =>
  table(
    ['Processor of', 'Node.js 20', 'Budget', 'Node.js 24', 'Budget', 'Results'],
    GOALS.map(([question, bench, budget20, budget24, seen]) => {
      const benches = [bench, `${bench}-node24`]
      const [node20, node24] = benches.map((name) => String(seen(figures(root, name))))
      return [question, node20!, budget20, node24!, budget24, benches.map(result).join(', ')]
    }),
  )

/** What a visit leaves in Redis, as docs/design/performance.md says it. */
export function redisFigures(root: string): string {
  const { bytesPerVisit, bytesPerEntry } = figures(root, 'memory')
  return `A whole visit leaves ${bytesPerVisit} bytes in Redis: two entries of the ledger, ${bytesPerEntry} bytes each (budget: 165), and what it paid (${result('memory')}).`
}

/** The figures of README, with the day of the run. */
export function headlineFigures(root: string): string {
  const { 64: at } = figures(root, 'siteverify-node24')
  const { bytesPerVisit } = figures(root, 'memory')
  const page = readFileSync(join(root, 'lab/results/siteverify-node24.md'), 'utf8')
  const [, day] = /at commit .*?, (\d{4}-\d\d-\d\d):/.exec(page)!
  return [
    `On ${day} one core verified ${many(at.requestsPerSecond)} tokens a second (64 connections, Node.js 24); a whole visit leaves ${bytesPerVisit} bytes in Redis`,
    '([performance.md](docs/design/performance.md)).',
  ].join('\n')
}

const SIZING: readonly (readonly [
  question: string,
  bench: string,
  says: (found: Found) => string,
])[] = [
  [
    'verifications of one core, 64 connections, Node.js 24',
    'siteverify-node24',
    ({ 64: busy }) =>
      `${many(busy.requestsPerSecond)} a second, ${many(busy.microsPerRequest)} µs of processor each`,
  ],
  [
    'Redis for each visit, and for its address',
    'memory',
    (found) => `${many(found.bytesPerVisit)} bytes, and ${many(found.bytesPerVisitor)}`,
  ],
  [
    'memory of a process',
    'memory',
    (found) => `${many(found.rssMiBAfter)} MiB after ${many(found.requests)} verifications`,
  ],
]

/** The figures of docs/operate/operations.md that size a fleet. */
export const sizingTable = (root: string): string =>
  table(
    ['Figure', 'Measured', 'Measure it on your machine'],
    SIZING.map(([question, bench, says]) => {
      const answer = `${says(figures(root, bench))} (${result(bench)})`
      return [question, answer, `\`npm run bench -- ${bench}\``]
    }),
  )

/** The busiest hour of a day has so many times its mean. */
const PEAK = 3
/** The maximum load of one core, and of one Redis. */
const LOAD = 0.5
/** Seconds that the last of what a visit leaves is kept, with the default lifetimes of challenge and token. */
const KEPT = keepTokensUntil(unixSeconds(600), seconds(120)) + (30_000 + BUCKET_MS) / 1000

const round = (value: number): string =>
  many(value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value))

/** What so many visits a day take, computed from what the benches found. docs/operate/redis.md */
export function fleetTable(root: string): string {
  const { microsPerVisit, redisMicrosPerVisit } = figures(root, 'visit')
  const { bytesPerVisit, bytesPerVisitor } = figures(root, 'memory')
  const rows = [1e6, 1e7, 1e8, 1e9].map((aDay) => {
    const peak = (aDay / 86_400) * PEAK
    return [
      many(aDay),
      round(peak),
      round((peak * microsPerVisit) / 1e6 / LOAD),
      round((peak * redisMicrosPerVisit) / 1e6 / LOAD),
      `${round((peak * KEPT * bytesPerVisit) / 1e6)} MB`,
    ]
  })
  const sizes = table(
    [
      'Visits a day',
      'A second, busiest hour',
      'Cores of the service',
      'Cores of Redis',
      'Entries in Redis',
    ],
    rows,
  )
  const history = `History ([work.md](../design/work.md#history)) takes ${many(bytesPerVisitor)} bytes more for each visitor of the last 20 minutes.`
  return [sizes, '', history].join('\n')
}
