/**
 * `npm run mutation [-- ROOM… | FILE…] [--concurrency 1]`: changes the source in every small way Stryker knows, a room
 * (or a file) at a time, and counts the changes that no test of that room notices. Only the room's own tests are asked:
 * they are fast, and a rule ought to be held where it lives. What survives for a reason is written down in survivors.md;
 * of a whole room, the counts go to scores.md.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

/**
 * `parts` are measured one after the other. The unit of work is one of its own: it runs millions of times, and every
 * changed place asks each time which change is on.
 */
const ROOMS = {
  domain: {
    parts: ['src/domain/!(s32).ts', 'src/domain/rules/*.ts', 'src/domain/proof/*.ts', 'src/domain/s32.ts'],
    tests: ['test/domain/**/*.test.ts'],
  },
  protocol: { parts: ['src/protocol/*.ts'], tests: ['test/protocol/**/*.test.ts'] },
  token: { parts: ['src/token/*.ts'], tests: ['test/token/**/*.test.ts'] },
  ledger: {
    parts: ['src/ledger/*.ts'],
    tests: ['test/ledger/{ledger,memory,partition*,mutation*,script,redis-*,check*}.test.ts'],
  },
}
/** Per cent of the mutants that must be noticed, in each room. Issue 3, item 5. */
const WANTED = 90
const SCORES = 'test/mutation/scores.md'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
})
mkdirSync('build/mutation', { recursive: true })

let reached = true
for (const one of positionals.length > 0 ? positionals : Object.keys(ROOMS)) {
  const [, room = one, file] = /^src\/(\w+)\/(.+)$/.exec(one) ?? []
  if (!ROOMS[room]) throw new Error(`${one}: wants a room (${Object.keys(ROOMS).join(', ')}) or a file in one`)
  const parts = file === undefined ? ROOMS[room].parts : [one]
  const counts = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0 }
  for (const part of parts) {
    for (const [status, count] of await measure(part, ROOMS[room].tests)) counts[status] = (counts[status] ?? 0) + count
  }
  const { Killed, Timeout, Survived, NoCoverage } = counts
  const score = (100 * (Killed + Timeout)) / (Killed + Timeout + Survived + NoCoverage)
  process.stdout.write(`${one} ${JSON.stringify({ ...counts, score })}\n`)
  if (file === undefined) writeScore(room, counts, score)
  if (score < WANTED) reached = false
}
process.exitCode = reached ? 0 : 1

/** @returns how many of the part's mutants met which end. */
async function measure(part, testFiles) {
  const name = part.replace('src/', '').replace('!', 'not').replace(/\W+/g, '-')
  keepKilled(`build/mutation/${name}.json`)
  const stryker = new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: [part],
    testFiles,
    concurrency: Number(values.concurrency),
    incrementalFile: `build/mutation/${name}.json`,
    jsonReporter: { fileName: `build/mutation/${name}-report.json` },
  })
  const counts = new Map()
  for (const { status } of await stryker.runMutationTest()) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

/** Of an earlier run only what was killed is believed: Stryker does not see that a new test reaches a table. */
function keepKilled(incrementalFile) {
  if (!existsSync(incrementalFile)) return
  const report = JSON.parse(readFileSync(incrementalFile, 'utf8'))
  for (const file of Object.values(report.files))
    file.mutants = file.mutants.filter(({ status }) => status === 'Killed')
  writeFileSync(incrementalFile, JSON.stringify(report))
}

/** Puts a room's line in place of its older one. */
function writeScore(room, { Killed, Timeout, Survived, NoCoverage }, score) {
  const sum = Killed + Timeout + Survived + NoCoverage
  const day = new Date().toISOString().slice(0, 10)
  const row = [room, sum, Killed, Timeout, Survived, NoCoverage, `${score.toFixed(1)} %`, day]
  const lines = readFileSync(SCORES, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${room} `))
  if (at === -1) throw new Error(`${SCORES} has no line for ${room}`)
  lines[at] = `| ${row.join(' | ')} |`
  writeFileSync(SCORES, lines.join('\n'))
}
