/**
 * Runs tiers of tests (test/tiers.mjs) and prints one sum.
 *
 *   node test/run.mjs              house, rooms, whole, the core of world and browser: `npm test`
 *   node test/run.mjs TIER...      these tiers, in this order; further arguments go to jest
 *   node test/run.mjs --changed    quick tests near the working tree's change, and house: `npm run t`
 *   node test/run.mjs --install    installs the programs that the tiers need: `npm test -- --install`
 *   node test/run.mjs --sum        the sum of all runs in build/tests/
 *   node test/run.mjs --slowest N  the N slowest files of those runs, 10 unless told otherwise: `npm test -- --slowest`
 *   node test/run.mjs FILES...     one jest, with these arguments
 *
 * A tier whose programs are missing is reported as not run, and the exit code is 1.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensurePrograms } from './support/programs.mjs'
import { nearTests } from './near.mjs'
import { ALL, CORE, SLOW, TIERS } from './tiers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const BUILD = `${root}build/tests`
const NODE = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
/** Hundreds of processes and browsers share the machine there: a failed test is tried once more, and printed. */
const RETRY = ['--setupFilesAfterEnv', '<rootDir>/test/support/once-more.ts']
const RETRIED = new Set(['whole', 'world', 'browser', 'published', 'wordpress', 'packages', 'release'])

const run = (command, args, options) => spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
const jest = (args) => run(process.execPath, [...NODE, ...args]).status ?? 1

/** One jest, whose counts and times go to build/tests/NAME.json. A run that cannot start counts as one failure. */
function counted(name, args) {
  const file = `${BUILD}/${name}.json`
  rmSync(file, { force: true })
  const code = jest([...args, '--json', `--outputFile=${file}.full`])
  const full = existsSync(`${file}.full`) ? JSON.parse(readFileSync(`${file}.full`, 'utf8')) : undefined
  rmSync(`${file}.full`, { force: true })
  const { numPassedTests: passed = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = full ?? {}
  const failed = Math.max(numFailedTests + numRuntimeErrorTestSuites, code === 0 ? 0 : 1)
  writeFileSync(file, JSON.stringify({ passed, failed, suites: timesOf(full) }))
  return { passed, failed }
}

/** Seconds that each file took, its start included. */
const timesOf = ({ testResults = [] } = {}) =>
  testResults.map(({ name, startTime, endTime }) => ({
    file: relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }))

const escaped = root.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
const anchored = (paths) => paths.map((path) => path.replace('^', `^${escaped}`))

/** @returns {string | undefined} one sentence when the tier cannot run here */
function lacks(name) {
  try {
    ensurePrograms(TIERS[name].needs)
    return undefined
  } catch (error) {
    return `${name} ${error.message}`
  }
}

function runTier(name, core, extra) {
  const { paths = [], pairs = [], alone = [], config } = TIERS[name]
  const wanted = core && `^${escaped}test/${name}/(${Object.keys(core).join('|')})\\.test\\.ts$`
  // None of the core may be among the files that run alone.
  const none = core ? ['--passWithNoTests'] : []
  const more = [...none, ...(config ? ['--config', config] : []), ...(RETRIED.has(name) ? RETRY : []), ...extra]
  const parts = [
    [name, paths, []],
    [`${name}-pairs`, pairs, extra.includes('--runInBand') ? [] : ['--maxWorkers=2']],
    [`${name}-alone`, alone, ['--runInBand']],
  ]
  return parts
    .filter(([, each]) => each.length > 0)
    .map(([label, each, how]) => {
      const patterns = anchored(each).map((path) => `--testPathPatterns=${wanted ? `(?=${path})(?=${wanted})` : path}`)
      return counted(label, [...(config ? [] : patterns), ...how, ...more])
    })
}

function runTiers(names, { cores = {}, extra = [] } = {}) {
  const results = []
  const notRun = []
  for (const name of names) {
    const reason = lacks(name)
    if (reason === undefined) results.push(...runTier(name, cores[name], extra))
    else notRun.push(reason)
  }
  report(results, notRun)
}

function report(results, notRun) {
  const failed = sum(results, 'failed')
  for (const reason of notRun) console.log(`\nNOT RUN: ${reason}`)
  console.log(`\n${sentence(results)}${notRun.length ? `, ${notRun.length} tiers not run` : ''}`)
  process.exitCode = failed > 0 || notRun.length > 0 ? 1 : 0
}
const sum = (results, key) => results.reduce((total, result) => total + result[key], 0)
const sentence = (results) => `${sum(results, 'passed')} passed, ${sum(results, 'failed')} failed`

/** What `counted` wrote. */
const allRuns = () =>
  readdirSync(BUILD)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(`${BUILD}/${file}`, 'utf8')))

function slowest(most) {
  const suites = allRuns().flatMap((each) => each.suites)
  for (const { file, seconds } of suites.sort((one, other) => other.seconds - one.seconds).slice(0, most))
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
}

/** House rules, and the quick tests near the change: some seconds each, so that they can be run after every edit. */
function runChanged() {
  build('build:service')
  const near = nearTests(root, ['test/rooms/', 'test/whole/', 'packages/'])
  const quick = near.filter((file) => !anchored(SLOW).some((path) => new RegExp(path).test(`${root}${file}`)))
  const files = ['test/house.test.ts', ...quick]
  report([counted('changed', ['--maxWorkers=2', '--runTestsByPath', ...files])], [])
}

function build(script = 'build') {
  if (process.env['HV_BUILD'] === 'no') return
  if (run('npm', ['run', '--silent', script]).status !== 0) process.exit(1)
}

mkdirSync(BUILD, { recursive: true })
const args = process.argv.slice(2)
const names = args.slice(
  0,
  [...args, ''].findIndex((arg) => !Object.hasOwn(TIERS, arg)),
)
if (args[0] === '--sum') console.log(sentence(allRuns()))
else if (args[0] === '--slowest') slowest(Number(args[1] ?? 10))
else if (args[0] === '--install') ensurePrograms([...new Set(Object.values(TIERS).flatMap(({ needs }) => needs))])
else if (args[0] === '--changed') runChanged()
else {
  build()
  if (args[0] === 'all') runTiers(ALL)
  else if (names.length > 0) runTiers(names, { extra: args.slice(names.length) })
  else if (args.length > 0) process.exitCode = jest(args)
  else runTiers(['house', 'rooms', 'whole', 'world', 'browser'], { cores: CORE })
}
