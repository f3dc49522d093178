import { describe, expect, test } from '@jest/globals'
import { silenceWatch } from '../../../src/redis/silence.ts'

const LATE = new Error('Command timed out')

/** A watch whose clock the test moves. */
function watched() {
  const at = { ms: 1000 }
  return { at, watch: silenceWatch(() => at.ms) }
}

describe('a server hangs', () => {
  test('from a command on that timed out', () => {
    const { watch } = watched()
    expect(watch.isHung()).toBe(false)
    watch.onSilence(LATE, 600)
    expect(watch.isHung()).toBe(true)
  })
  test('until it answers anything', () => {
    const { watch } = watched()
    watch.onSilence(LATE, 600)
    watch.onAnswer()
    expect(watch.isHung()).toBe(false)
  })
  test('not when it answered another command that was sent later, or in the same moment', () => {
    const { at, watch } = watched()
    watch.onAnswer()
    at.ms = 1300
    watch.onSilence(LATE, 999)
    watch.onSilence(LATE, 1000)
    expect(watch.isHung()).toBe(false)
    watch.onSilence(LATE, 1001)
    expect(watch.isHung()).toBe(true)
  })
  test('not when the connection was lost: that is known at once', () => {
    const { watch } = watched()
    watch.onSilence(new Error('Connection is closed.'), 600)
    expect(watch.isHung()).toBe(false)
  })
})
