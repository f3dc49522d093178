/**
 * `npm run fuzz [-- --seconds N] [--seed N]`: ten minutes, unless told otherwise, of requests and configurations
 * that are almost genuine. The seed is printed; the same seed makes the same inputs again, in the same order.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.seconds ?? 600)
const seed = Number(values.seed ?? randomInt(2 ** 31))
if (!(seconds >= 1 && seconds <= 7000) || !Number.isSafeInteger(seed)) {
  process.stderr.write('npm run fuzz wants --seconds 1 to 7000 and --seed, a whole number\n')
  process.exit(2)
}
process.stdout.write(`fuzzing for ${seconds} s; again with: npm run fuzz -- --seconds ${seconds} --seed ${seed}\n`)
const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
mkdirSync('build/tests', { recursive: true })
const counts = ['--json', '--outputFile=build/tests/fuzz.json']
const how = ['--config', 'test/fuzz/jest.config.json', '--runInBand', ...counts]
const { status } = spawnSync(process.execPath, [...jest, ...how], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SECONDS: String(seconds), FUZZ_SEED: String(seed) },
})
process.exit(status ?? 1)
