/** The order of test files: those that wait for the clock first, so that the others use the processors meanwhile; then as jest has it. */
import Sequencer from '@jest/test-sequencer'
import { WAITS } from './tiers.mjs'

const waits = ({ path }) => WAITS.some((file) => path.endsWith(`/${file}.test.ts`))

export default class WaitsFirst extends Sequencer {
  sort(tests) {
    const order = super.sort(tests)
    return [...order.filter(waits), ...order.filter((test) => !waits(test))]
  }
}
