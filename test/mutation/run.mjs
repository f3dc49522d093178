/**
 * `node test/mutation/run.mjs [ROOM… | FILE…] [--concurrency 1]`: changes the source in every small way Stryker knows, a room
 * (or a file) at a time, and counts the changes that no test of that room notices. Only the room's own tests are asked:
 * they are fast, and a rule ought to be held where it lives. What survives for a reason is written down in survivors.md;
 * of a whole room, the counts go to scores.md.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { ExpirableTask } from '@stryker-mutator/util'

const ROOMS = {
  operations: { files: 'src/operations/*.ts', tests: ['test/rooms/operations/**/*.test.ts'] },
  score: { files: 'src/score/*.ts', tests: ['test/rooms/score/*.test.ts'] },
  store: {
    files: 'src/store/*.ts',
    tests: ['test/rooms/store/*.test.ts', 'test/world/store/*.test.ts', 'test/world/history/history.test.ts'],
  },
  tokens: { files: 'src/tokens/*.ts', tests: ['test/rooms/tokens/**/*.test.ts'] },
}
/** Per cent of the mutants that must be noticed, in each room. */
const WANTED = 90
const SCORES = 'test/mutation/scores.md'

const TICK_MS = 50
/** Stryker's limit of a mutant counts ticks, as that of a test does: a run that was stopped for a while has not been slow. */
ExpirableTask.timeout = (work, ms) => {
  let left = Math.ceil(ms / TICK_MS)
  let timer
  const late = new Promise((resolve) => {
    timer = setInterval(() => {
      left -= 1
      if (left <= 0) resolve(ExpirableTask.TimeoutExpired)
    }, TICK_MS)
  })
  return Promise.race([work, late]).finally(() => clearInterval(timer))
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
})
mkdirSync('build/mutation', { recursive: true })

let reached = true
for (const { name, files, tests, room } of (positionals.length > 0 ? positionals : Object.keys(ROOMS)).flatMap(
  runsOf,
)) {
  const counts = await measure(name, files, tests)
  const { Killed, Timeout, Survived, NoCoverage } = counts
  const score = (100 * (Killed + Timeout)) / (Killed + Timeout + Survived + NoCoverage)
  process.stdout.write(`${name} ${JSON.stringify({ ...counts, score })}\n`)
  if (room) writeScore(name, counts, score)
  if (score < WANTED) reached = false
}
process.exitCode = reached ? 0 : 1

/** The rooms of a name, or a file (`src/tokens/keyring.ts`) with the tests of its room. */
function runsOf(name) {
  const [, first = ''] = /^src\/(\w+)\//.exec(name) ?? []
  if (ROOMS[first]) return [{ name, files: name, tests: ROOMS[first].tests, room: false }]
  const found = Object.keys(ROOMS).filter((each) => each === name || each.startsWith(`${name}/`))
  if (found.length === 0) throw new Error(`${name}: wants a room (${Object.keys(ROOMS).join(', ')}) or a file in one`)
  return found.map((each) => ({ name: each, files: ROOMS[each].files, tests: ROOMS[each].tests, room: true }))
}

/** @returns how many of the mutants met which end. */
async function measure(name, files, testFiles) {
  const report = `build/mutation/${name.replace(/\W+/g, '-')}`
  keepKilled(`${report}.json`)
  const stryker = new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: [files],
    testFiles,
    concurrency: Number(values.concurrency),
    incrementalFile: `${report}.json`,
    jsonReporter: { fileName: `${report}-report.json` },
  })
  const counts = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0 }
  for (const { status } of await stryker.runMutationTest()) counts[status] = (counts[status] ?? 0) + 1
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
