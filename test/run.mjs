/**
 * Runs tiers of tests (test/tiers.mjs) and prints one sum.
 *
 *   node test/run.mjs              house, rooms, whole, the core of world and browser, two at a time: `npm test`
 *   node test/run.mjs TIER...      these tiers, in this order; further arguments go to jest
 *   node test/run.mjs --changed    quick tests near the working tree's change, and house: `npm run t`
 *   node test/run.mjs --install    installs the programs that the tiers need: `npm test -- --install`
 *   node test/run.mjs --sum        the sum of all runs in build/tests/
 *   node test/run.mjs --slowest N  the N slowest files of those runs, 10 unless told otherwise: `npm test -- --slowest`
 *   node test/run.mjs FILES...     one jest, with these arguments
 *
 * A tier whose programs are missing is reported as not run, and the exit code is 1.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensurePrograms } from './support/programs.mjs'
import { nearTests } from './near.mjs'
import { ALL, CORE, SLOW, TIERS } from './tiers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const BUILD = `${root}build/tests`
const NODE = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
]
/** Hundreds of processes and browsers share the machine there: a failed test is tried once more, and printed. */
const RETRY = ['--setupFilesAfterEnv', '<rootDir>/test/support/once-more.ts']
const RETRIED = new Set([
  'whole',
  'world',
  'browser',
  'published',
  'wordpress',
  'packages',
  'release',
])

/** Runs jest and returns its exit code. @param isBeside prints everything at the end, since another run prints meanwhile */
async function jest(args, isBeside = false) {
  const child = spawn(process.execPath, [...NODE, ...args], {
    cwd: root,
    stdio: isBeside ? 'pipe' : 'inherit',
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      printed += text
    })
  const [code] = await once(child, 'close')
  process.stdout.write(printed)
  return code ?? 1
}

/** Runs jest; its counts and times go to build/tests/NAME.json. A run that cannot start counts as one failure. */
async function counted(name, args, isBeside) {
  const file = `${BUILD}/${name}.json`
  rmSync(file, { force: true })
  const code = await jest([...args, '--json', `--outputFile=${file}.full`], isBeside)
  const full = existsSync(`${file}.full`)
    ? JSON.parse(readFileSync(`${file}.full`, 'utf8'))
    : undefined
  rmSync(`${file}.full`, { force: true })
  const {
    numPassedTests: passed = 0,
    numFailedTests = 0,
    numRuntimeErrorTestSuites = 0,
    testResults = [],
  } = full ?? {}
  const failed = Math.max(numFailedTests + numRuntimeErrorTestSuites, code === 0 ? 0 : 1)
  // Seconds that each file took, its start included.
  const suites = testResults.map((each) => ({
    file: relative(root, each.name),
    seconds: (each.endTime - each.startTime) / 1000,
  }))
  const retried = testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status, invocations }) => status === 'passed' && invocations > 1)
      .map(({ fullName }) => `${relative(root, path)}: ${fullName}`),
  )
  writeFileSync(file, JSON.stringify({ passed, failed, suites, retried }))
  return { passed, failed, retried }
}

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

/** Returns the runs of a tier, to be started. @param core the only files to run, of the tier */
function partsOf(name, core, extra) {
  const { paths = [], pairs = [], alone = [], config } = TIERS[name]
  const files = core && Object.keys(core).map((file) => `test/${name}/${file}.test.ts`)
  const chosen = (patterns) =>
    files
      ?.filter((file) => patterns.some((each) => new RegExp(each).test(file)))
      .map((file) => `^${file}$`) ?? patterns
  const more = [
    ...(config ? ['--config', config] : []),
    ...(RETRIED.has(name) ? RETRY : []),
    ...extra,
  ]
  const parts = [
    [name, chosen(paths), []],
    [`${name}-pairs`, chosen(pairs), extra.includes('--runInBand') ? [] : ['--maxWorkers=2']],
    [`${name}-alone`, chosen(alone), ['--runInBand']],
  ]
  return parts
    .filter(([, each]) => each.length > 0)
    .map(([label, each, how]) => {
      const patterns = config ? [] : anchored(each).map((path) => `--testPathPatterns=${path}`)
      return (isBeside) => counted(label, [...patterns, ...how, ...more], isBeside)
    })
}

/** @param atOnce runs side by side: most tests wait for browsers, servers and the clock */
async function runTiers(names, { cores = {}, extra = [], atOnce = 1 } = {}) {
  const reasons = names.map(lacks)
  const parts = names.flatMap((name, at) =>
    reasons[at] === undefined ? partsOf(name, cores[name], extra) : [],
  )
  const results = []
  const lane = async () => {
    for (let part = parts.shift(); part; part = parts.shift()) results.push(await part(atOnce > 1))
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  report(results, reasons.filter(Boolean))
}

function report(results, notRun) {
  const failed = sum(results, 'failed')
  for (const reason of notRun) console.log(`\nNOT RUN: ${reason}`)
  printSum(results, notRun.length ? `, ${notRun.length} tiers not run` : '')
  process.exitCode = failed > 0 || notRun.length > 0 ? 1 : 0
}
const sum = (results, key) => results.reduce((total, result) => total + result[key], 0)

/** Prints the sum as the last line. What needed a second try counts as passed, and is named: it may be a defect. */
function printSum(results, more = '') {
  const retried = results.flatMap((result) => result.retried ?? [])
  for (const name of retried) console.log(`PASSED AT THE SECOND TRY: ${name}`)
  const again = retried.length > 0 ? `, ${retried.length} passed at the second try` : ''
  console.log(`\n${sum(results, 'passed')} passed, ${sum(results, 'failed')} failed${again}${more}`)
}

/** What `counted` wrote. */
const allRuns = () =>
  readdirSync(BUILD)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(`${BUILD}/${file}`, 'utf8')))

function slowest(most) {
  const suites = allRuns().flatMap((each) => each.suites)
  for (const { file, seconds } of suites
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, most))
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
}

/** House rules, and the quick tests near the change: some seconds each, so that they can be run after every edit. */
async function runChanged() {
  build('build:service')
  const near = nearTests(root, ['test/rooms/', 'test/whole/', 'packages/'])
  const quick = near.filter(
    (file) => !anchored(SLOW).some((path) => new RegExp(path).test(`${root}${file}`)),
  )
  const files = ['test/house.test.ts', ...quick]
  report([await counted('changed', ['--maxWorkers=2', '--runTestsByPath', ...files])], [])
}

function build(script = 'build') {
  if (process.env['HV_BUILD'] === 'no') return
  if (spawnSync('npm', ['run', '--silent', script], { cwd: root, stdio: 'inherit' }).status !== 0)
    process.exit(1)
}

mkdirSync(BUILD, { recursive: true })
const args = process.argv.slice(2)
const names = args.slice(
  0,
  [...args, ''].findIndex((arg) => !Object.hasOwn(TIERS, arg)),
)
if (args[0] === '--sum') printSum(allRuns())
else if (args[0] === '--slowest') slowest(Number(args[1] ?? 10))
else if (args[0] === '--install')
  ensurePrograms([...new Set(Object.values(TIERS).flatMap(({ needs }) => needs))])
else if (args[0] === '--changed') await runChanged()
else {
  build()
  if (args[0] === 'all') await runTiers(ALL)
  else if (names.length > 0) await runTiers(names, { extra: args.slice(names.length) })
  else if (args.length > 0) process.exitCode = await jest(args)
  // The longest first, so that neither lane ends with a long one alone.
  else await runTiers(['house', 'browser', 'whole', 'world', 'rooms'], { cores: CORE, atOnce: 2 })
}
