/** Every run of a small ledger: clocks that jump, a replica that is promoted, and everything that may get lost. */
import { describe, expect, test } from '@jest/globals'
import { bucketRules, expiringRules, search } from './model.ts'

/** Two tokens in one bucket, and one in a later bucket. */
const TOKENS = [{ expiresAt: 2 }, { expiresAt: 2 }, { expiresAt: 5 }]

describe('in no run is a token accepted twice', () => {
  test('of seven steps, while anything may get lost', () => {
    const { run, states } = search(TOKENS, bucketRules(TOKENS), 7, { losses: true, replica: true })
    expect(run).toBeUndefined()
    expect(states).toBeGreaterThan(10_000)
  })
  test('of nine steps with one token, while clocks jump and a replica is promoted', () => {
    const one = [{ expiresAt: 3 }]
    expect(search(one, bucketRules(one), 9, { losses: false, replica: true }).run).toBeUndefined()
  })
})

test('the control: where Redis expires entries, a clock that is ahead for a moment is enough', () => {
  const { run } = search(TOKENS, expiringRules(TOKENS), 5, { losses: false, replica: false })
  expect(run).toEqual([
    'token 0 is presented',
    expect.stringMatching(/^the clock is (4|20) ahead$/),
    'Redis tidies up',
    expect.stringMatching(/^the clock is (-3|0|1) ahead$/),
    'token 0 is presented',
  ])
})
