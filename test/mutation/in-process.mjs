/**
 * Runs Jest's tests for Stryker without Jest: in one process, each mutant with modules of its own, only the tests that
 * reach it, until the first one fails. A pure rule costs some milliseconds this way; Jest starts anew for each mutant,
 * loads every test file of the room, and takes seconds.
 *
 * `describe`, `test`, `each` and `expect` are Jest's own. What a file does when it is loaded, or in `beforeAll`, counts
 * for all of its tests.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { determineHitLimitReached, DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner'
import { loadTests, useRealTimers } from './load.mjs'
import { runTests } from './run-tests.mjs'

/** In the sandbox, which all processes of a run share: what the dry run learned of each file. */
const LEARNED = '.mutation-learned.json'

class InProcessTestRunner {
  #learned

  capabilities() {
    return { reloadEnvironment: true }
  }

  async dryRun({ testFiles }) {
    const stryker = (globalThis.__stryker__ ??= {})
    const results = []
    const coverage = { static: {}, perTest: {} }
    this.#learned = []
    for (const file of testFiles) {
      stryker.mutantCoverage = { static: {}, perTest: {} }
      const started = performance.now()
      const root = await loadTests(file)
      const outcomes = await runTests(root, { file, begins: (id) => void (stryker.currentTestId = id) })
      for (const { id, ms, error } of outcomes) {
        const result = { id, name: id, timeSpentMs: ms, fileName: relative(process.cwd(), file) }
        results.push(
          error === undefined
            ? { ...result, status: TestStatus.Success }
            : { ...result, status: TestStatus.Failed, failureMessage: textOf(error) },
        )
      }
      add(coverage.static, stryker.mutantCoverage.static)
      Object.assign(coverage.perTest, stryker.mutantCoverage.perTest)
      this.#learned.push({
        file,
        ms: performance.now() - started,
        ids: outcomes.map(({ id }) => id),
        always: Object.keys(stryker.mutantCoverage.static),
        reached: Object.fromEntries(
          Object.entries(stryker.mutantCoverage.perTest).map(([id, mutants]) => [id, Object.keys(mutants)]),
        ),
      })
    }
    this.#learned.sort((a, b) => a.ms - b.ms)
    writeFileSync(LEARNED, JSON.stringify(this.#learned))
    delete stryker.mutantCoverage
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: coverage }
  }

  async mutantRun({ activeMutant, hitLimit }) {
    const stryker = (globalThis.__stryker__ ??= {})
    this.#learned ??= existsSync(LEARNED) ? JSON.parse(readFileSync(LEARNED, 'utf8')) : []
    stryker.activeMutant = activeMutant.id
    stryker.hitLimit = hitLimit
    stryker.hitCount = hitLimit === undefined ? undefined : 0
    let nrOfTests = 0
    const endIntervals = watchIntervals()
    try {
      for (const { file, wanted } of this.#asked(activeMutant.id)) {
        const outcomes = await loadTests(file).then(
          (root) => runTests(root, { file, wanted, bail: true }),
          (error) => [{ id: wanted[0], error: error ?? new Error('thrown while loading') }],
        )
        nrOfTests += outcomes.length
        const overLimit = determineHitLimitReached(stryker.hitCount, stryker.hitLimit)
        if (overLimit) return overLimit
        const failed = outcomes.find(({ error }) => error !== undefined)
        if (failed) {
          return {
            status: MutantRunStatus.Killed,
            killedBy: [failed.id],
            failureMessage: textOf(failed.error),
            nrOfTests,
          }
        }
      }
      return { status: MutantRunStatus.Survived, nrOfTests }
    } finally {
      useRealTimers()
      endIntervals()
      delete stryker.activeMutant
    }
  }

  /** The quickest file first; of each, the tests that can notice this mutant. */
  #asked(mutant) {
    return this.#learned
      .map(({ file, ids, always, reached }) => ({
        file,
        wanted: always.includes(mutant) ? ids : ids.filter((id) => reached[id]?.includes(mutant)),
      }))
      .filter(({ wanted }) => wanted.length > 0)
  }
}

/** What a mutant leaves running, because it broke what should have stopped it, would fail in the tests of the next one. */
function watchIntervals() {
  const { setInterval } = globalThis
  const begun = []
  globalThis.setInterval = (...args) => {
    const timer = setInterval(...args)
    begun.push(timer)
    return timer
  }
  return () => {
    globalThis.setInterval = setInterval
    for (const timer of begun) clearInterval(timer)
  }
}

function add(sum, counts) {
  for (const [mutant, count] of Object.entries(counts)) sum[mutant] = (sum[mutant] ?? 0) + count
}

const textOf = (error) => String(error instanceof Error ? (error.stack ?? error.message) : error).slice(0, 500)

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessTestRunner)]
