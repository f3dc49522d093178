/**
 * `npm run engines [-- NAME|PATH…] [--write]`: do ledger, limits and history keep their promises on other servers that speak the
 * protocol of Redis? Runs the suites `ledger` and `faults` on each server of the table below, or on the binary at a path.
 * `--write` puts the rows into engines.json of lab/results, from which `npm run docs` makes the table of docs/operate/engines.md.
 * HV_FAULTS=all runs every fault instead of those of a submission. Exit code 1: a test failed.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensurePrograms, findProgram } from '../test/support/programs.mjs'
import { inTheirPlace, readList, writeList } from './stand/lists.mjs'
import { machine, ROOT } from './stand/machine.mjs'
import { textTable } from './stand/tables.mjs'

/** Servers by the name for the command line, and what test/support/programs.mjs calls them. */
const ENGINES = {
  redis: 'redis',
  'redis-6': 'redis6',
  'redis-8': 'redis8',
  'valkey-8': 'valkey8',
  'valkey-9': 'valkey9',
}
const SUITES = ['ledger', 'faults']
const RESULT = join(ROOT, 'lab/results/engines.json')
const COUNTS = join(ROOT, 'build/tests')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const part = process.env['HV_FAULTS'] ?? 'ci'

/** Finds the binary of a server, or installs it. */
function binaryOf(name) {
  if (!Object.hasOwn(ENGINES, name)) return resolve(name)
  ensurePrograms([ENGINES[name]])
  const found = findProgram(ENGINES[name])
  if (found === undefined) throw new Error(`${name} cannot be had on this machine`)
  return found
}

/** Returns name and version, as a server says them: `Valkey server v=9.1.2 sha=…`. */
function versionOf(binary) {
  const says = execFileSync(binary, ['--version'], { encoding: 'utf8' })
  const [, name, version] = /^(\w+) server v=(\S+)/.exec(says) ?? []
  if (version === undefined) throw new Error(`${binary} --version says: ${says.slice(0, 200)}`)
  return `${name} ${version}`
}

/** Runs a suite on a server. @returns how many tests passed and failed */
function run(suite, binary) {
  const isOfSuite = (file) => new RegExp(`^${suite}(-\\w+)?\\.json$`).test(file)
  const files = () => (existsSync(COUNTS) ? readdirSync(COUNTS).filter(isOfSuite) : [])
  for (const file of files()) rmSync(join(COUNTS, file))
  const env = { ...process.env, HV_BUILD: 'no', HV_FAULTS: part, HV_TEST_REDIS: binary }
  spawnSync(process.execPath, ['test/run.mjs', suite], { cwd: ROOT, env, stdio: 'inherit' })
  const counts = files().map((file) => JSON.parse(readFileSync(join(COUNTS, file), 'utf8')))
  const sum = (key) => counts.reduce((all, count) => all + count[key], 0)
  // A suite that could not start counts nothing.
  return { passed: sum('passed'), failed: sum('failed') + (counts.length === 0 ? 1 : 0) }
}

function rowOf(name) {
  const binary = binaryOf(name)
  const folder = basename(dirname(binary))
  const from = binary.startsWith(join(ROOT, 'build')) ? `${folder} (PyPI)` : basename(binary)
  const [ledger, faults] = SUITES.map((suite) => run(suite, binary))
  const { date, commit } = machine()
  return { name: versionOf(binary), from, ledger, faults: { ...faults, part }, date, commit }
}

const rows = (positionals.length > 0 ? positionals : Object.keys(ENGINES)).map(rowOf)
const cells = ({ passed, failed }) => `${passed} passed, ${failed} failed`
const table = textTable(
  ['Server', 'From', 'ledger', 'faults'],
  rows.map(({ name, from, ledger, faults }) => [name, from, cells(ledger), cells(faults)]),
)
process.stdout.write(`\n${table}\n`)
if (values.write) {
  const { servers = [] } = readList(RESULT)
  writeList(RESULT, { servers: inTheirPlace(servers, rows, () => 0) })
}
process.exitCode = rows.some(({ ledger, faults }) => ledger.failed + faults.failed > 0) ? 1 : 0
