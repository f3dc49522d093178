/** Jest's environment for Node.js, in which the tests after one that failed are skipped: one is enough to notice a mutant. */
const Environment = require('@stryker-mutator/jest-runner/jest-env/node')

let noticed
module.exports = class StopAtFailure extends Environment {
  async handleTestEvent({ name, test }) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__
    if (mutant === undefined) return
    if (name === 'test_done' && test.errors.length > 0) noticed = mutant
    if (name === 'test_start' && noticed === mutant) test.mode = 'skip'
  }
}
