/**
 * `HV_ROOM=tokens npx stryker run test/mutation/stryker.config.mjs`: changes the room's source in every small way that
 * Stryker knows, and counts the changes that no test of the room notices. It fails below 90 %: some changes give the same
 * answer. A mutant costs some seconds, a room up to two hours: .github/workflows/weekly.yml runs it.
 */
const ROOMS = {
  // Only the ledger: nothing else in store/ stores tokens.
  ledger: {
    mutate: [
      'src/store/ledger/{memory-entries,memory-ledger,redis-ledger,ledger-partition}.ts',
      'src/store/redis/partitions.ts',
    ],
    tests: [
      'test/rooms/store/{memory-ledger,partitions}.test.ts',
      'test/world/store/{ledger-contract,ledger-partition,lost-entries,redis-ledger}.test.ts',
    ],
  },
  operations: { mutate: ['src/operations/*.ts'], tests: ['test/rooms/operations/*.test.ts'] },
  score: {
    mutate: ['src/score/*.ts'],
    tests: ['test/rooms/score/*.test.ts', 'test/rooms/operations/step-up.test.ts'],
  },
  tokens: {
    mutate: ['src/tokens/*.ts'],
    tests: ['test/rooms/tokens/*.test.ts', 'test/rooms/operations/pass.test.ts'],
  },
}
const room = process.env['HV_ROOM'] ?? ''
if (!Object.hasOwn(ROOMS, room))
  throw new Error(`HV_ROOM: expected one of ${Object.keys(ROOMS).join(', ')}`)
const { mutate, tests } = ROOMS[room]

export default {
  mutate,
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: false,
    config: {
      preset: './test/jest-preset.json',
      testEnvironment: './test/mutation/stop-at-failure.cjs',
      testMatch: tests.map((glob) => `<rootDir>/${glob}`),
    },
  },
  coverageAnalysis: 'perTest',
  // Jest keeps every mutant's modules: after 140 of them a process has 3.6 GB, and slows down.
  maxTestRunnerReuse: 20,
  ignorePatterns: ['dist', 'build', 'examples', 'lab', 'deploy', 'test/browser', 'test/published'],
  // TypeScript 7 has no API that Stryker could rewrite it with.
  tsconfigFile: 'none.json',
  tempDirName: 'build/stryker',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `build/mutation/${room}.json` },
  thresholds: { high: 95, low: 90, break: 90 },
}
