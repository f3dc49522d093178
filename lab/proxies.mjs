/**
 * `npm run proxies [-- NAME…] [--suite SUITE…] [--write]`: do the samples of deploy/ and deploy/gate keep their promises on the
 * proxies of this machine? Runs the tests of both; a test belongs to the proxy that its title names last. `--write` puts the counts
 * into proxies.json of lab/results, from which `npm run docs` makes the table of docs/operate/install.md. Exit code 1: a test failed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensurePrograms, needProgram } from '../test/support/programs.mjs'
import { inTheirPlace, readList, writeList } from './stand/lists.mjs'
import { machine, ROOT } from './stand/machine.mjs'
import { textTable } from './stand/tables.mjs'

/** How each program says its version. */
const PROXIES = {
  nginx: ['-v'],
  HAProxy: ['-v'],
  Caddy: ['version'],
  Traefik: ['version'],
  Envoy: ['--version'],
}
/** Files below test/world. */
const SUITES = [
  'deploy/proxies',
  'deploy/restarts',
  'deploy/strangers',
  'gate/proxies',
  'gate/doctor',
  'gate/another-proxy',
  'gate/names',
  'gate/guests',
  'gate/impostor',
  'gate/strangers',
  'gate/upgrades',
  'gate/spellings',
]
const RESULT = join(ROOT, 'lab/results/proxies.json')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string', multiple: true, default: SUITES },
    write: { type: 'boolean', default: false },
  },
})
const ALL = Object.keys(PROXIES)
const names = positionals.length > 0 ? positionals : ALL
const unknown = [
  ...names.filter((name) => !ALL.includes(name)),
  ...values.suite.filter((suite) => !SUITES.includes(suite)),
]
if (unknown.length > 0)
  throw new Error(
    `expected of ${ALL.join(', ')} and ${SUITES.join(', ')}, got ${unknown.join(', ')}`,
  )

function versionOf(name) {
  const program = name.toLowerCase()
  ensurePrograms([program])
  const { stdout, stderr } = spawnSync(needProgram(program), PROXIES[name], { encoding: 'utf8' })
  const [found] = /\d+\.\d+\.\d+/.exec(stdout + stderr) ?? []
  if (found === undefined) throw new Error(`${name} says no version: ${stdout}${stderr}`)
  return found
}

/** Returns the proxy that a title names last: `files of nginx behind Envoy` is a test of Envoy. */
function proxyOf(title) {
  const named = title.match(new RegExp(ALL.join('|'), 'gi')) ?? []
  return ALL.find((name) => name.toLowerCase() === named.at(-1)?.toLowerCase())
}

/** Returns a pattern of titles that name a wanted proxy, and no other one after it. */
function titlesOf(wanted) {
  const others = ALL.filter((name) => !wanted.includes(name))
  const named = `(${wanted.join('|')})`
  return others.length === 0 ? named : `${named}(?!.*(${others.join('|')}))`
}

/** Runs the tests of these proxies in a suite, each failed one once more. @returns what became of each */
function run(suite) {
  const folder = join(ROOT, 'build')
  const file = join(folder, 'proxies.json')
  mkdirSync(folder, { recursive: true })
  rmSync(file, { force: true })
  const args = [
    'test/run.mjs',
    `test/world/${suite}.test.ts`,
    `--testNamePattern=${titlesOf(names)}`,
    '--setupFilesAfterEnv=<rootDir>/test/support/once-more.ts',
    '--json',
    `--outputFile=${file}`,
  ]
  spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, HV_BUILD: 'no' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { testResults, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'))
  if (numRuntimeErrorTestSuites > 0) throw new Error(`${suite} did not start`)
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

const { date, commit } = machine()
const versions = names.map(versionOf)
const place = ({ proxy, suite }) => ALL.indexOf(proxy) * SUITES.length + SUITES.indexOf(suite)
const ran = []
for (const suite of values.suite) {
  const tests = run(suite)
  for (const [i, proxy] of names.entries()) {
    const own = tests.filter(({ fullName }) => proxyOf(fullName) === proxy)
    const count = (is) => own.filter(is).length
    const counts = {
      passed: count(({ status }) => status === 'passed'),
      again: count(({ status, invocations }) => status === 'passed' && invocations > 1),
      failed: count(({ status }) => status === 'failed'),
    }
    // Not every suite has tests of each.
    if (counts.passed + counts.failed === 0) continue
    const name = `${proxy}, ${suite}`
    ran.push({ name, proxy, version: versions[i], suite, ...counts, date, commit })
  }
  if (!values.write) continue
  const { runs = [] } = readList(RESULT)
  writeList(RESULT, { runs: inTheirPlace(runs, ran, place) })
}
const table = textTable(
  ['Proxy', 'Version', 'Suite', 'Passed', 'At the second try', 'Failed'],
  ran.map(({ proxy, version, suite, passed, again, failed }) => [
    proxy,
    version,
    suite,
    ...[passed, again, failed].map(String),
  ]),
)
process.stdout.write(`\n${table}\n\nCommit ${commit}, ${date}\n`)
process.exitCode = ran.some(({ failed }) => failed > 0) ? 1 : 0
