/**
 * `npm run mutation [-- ROOM… | FILE…]`: changes the source in every small way Stryker knows, a room (or a file) at a
 * time, and counts the changes that no test of that room notices. Only the room's own tests are asked: they are fast,
 * and a rule ought to be held where it lives. What survives for a reason is written down in survivors.md.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { Stryker } from '@stryker-mutator/core'

const ROOMS = {
  domain: { tests: ['test/domain/**/*.test.ts'] },
  protocol: { tests: ['test/protocol/**/*.test.ts'] },
  token: { tests: ['test/token/**/*.test.ts'] },
  ledger: { tests: ['test/ledger/{ledger,memory,partition*,mutation*,script,redis-*,check*}.test.ts'] },
}
/** Per cent of the mutants that must be noticed, in each room. Issue 3, item 5. */
const WANTED = 90

const preset = JSON.parse(readFileSync('test/jest-preset.json', 'utf8'))
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(ROOMS)
/** Where a room or a file (`src/token/keyring.ts`) is, and whose tests are asked. */
const runs = wanted.map((one) => {
  const [, room = one, file] = /^src\/(\w+)\/(.+)$/.exec(one) ?? []
  if (!ROOMS[room]) throw new Error(`${one}: wants a room (${Object.keys(ROOMS).join(', ')}) or a file in one`)
  const name = file === undefined ? room : `${room}-${file.replace(/\W+/g, '-')}`
  return { name, room, mutate: file === undefined ? `src/${room}/**/*.ts` : one }
})
mkdirSync('build/mutation', { recursive: true })

const scores = {}
for (const { name, room, mutate } of runs) {
  const stryker = new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: [mutate],
    incrementalFile: `build/mutation/${name}.json`,
    jsonReporter: { fileName: `build/mutation/${name}-report.json` },
    jest: {
      projectType: 'custom',
      enableFindRelatedTests: false,
      config: {
        roots: ['<rootDir>/test'],
        testMatch: ROOMS[room].tests.map((glob) => `**/${glob}`),
        extensionsToTreatAsEsm: preset.extensionsToTreatAsEsm,
        transform: preset.transform,
        testTimeout: 10_000,
      },
    },
  })
  const counts = {}
  for (const { status } of await stryker.runMutationTest()) counts[status] = (counts[status] ?? 0) + 1
  const { Killed = 0, Timeout = 0, Survived = 0, NoCoverage = 0 } = counts
  scores[name] = { ...counts, score: (100 * (Killed + Timeout)) / (Killed + Timeout + Survived + NoCoverage) }
}
process.stdout.write(
  `${Object.entries(scores)
    .map(([room, counts]) => `${room} ${JSON.stringify(counts)}`)
    .join('\n')}\n`,
)
process.exitCode = Object.values(scores).every(({ score }) => score >= WANTED) ? 0 : 1
