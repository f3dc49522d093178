/**
 * `npm test`: first everything that runs side by side, then, one at a time, what wants the machine for itself
 * (processes, proxies, browsers). One sum at the end, and in build/tests.json. With arguments: one jest, with them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const ALONE = 'test/(instances|e2e|a11y|fail-closed)/'

function jest(...args) {
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
  return spawnSync(process.execPath, [...node, ...args], { cwd: root, stdio: 'inherit' }).status ?? 1
}

const args = process.argv.slice(2)
if (args.length > 0) process.exit(jest(...args))

mkdirSync(`${root}/build`, { recursive: true })
const phases = [
  ['side-by-side', `--testPathPatterns=^(?!.*${ALONE})`],
  ['alone', `--testPathPatterns=${ALONE}`, '--runInBand'],
]
const MORE = ['--setupFilesAfterEnv', '<rootDir>/test/support/once-more.ts']
const codes = phases.map(([name, ...how]) => jest(...how, ...MORE, '--json', `--outputFile=build/tests-${name}.json`))
const results = phases.map(([name]) => JSON.parse(readFileSync(`${root}/build/tests-${name}.json`, 'utf8')))
const sum = (count) => results.reduce((total, result) => total + result[count], 0)
writeFileSync(
  `${root}/build/tests.json`,
  JSON.stringify({ passed: sum('numPassedTests'), failed: sum('numFailedTests') }),
)
console.log(`\n${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed`)
process.exitCode = Math.max(...codes)
