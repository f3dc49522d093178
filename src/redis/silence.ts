import { isTimeOut } from './errors.ts'
import type { CommandWatch } from './script-calls.ts'

/** Knows whether the server is silent: connected, and no command is answered any more. */
export interface SilenceWatch extends CommandWatch {
  isHung(): boolean
}

/**
 * The server hangs from the time-out of a command on, until it answers anything.
 *
 * Without it every request waits its whole time while Redis hangs, 400 ms at the least; at 500 requests a second 250
 * of them wait on connections of their own, and on a busy machine the last of those that came together were answered
 * after more than a second (test/world/long/hung-redis.test.ts).
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function silenceWatch(elapsed: () => number): SilenceWatch {
  let isHung = false
  let answeredAt = -Infinity

  return {
    onAnswer() {
      isHung = false
      answeredAt = elapsed()
    },
    onSilence(error, sentAt) {
      // In a Cluster another server may hang than the one that answered since.
      if (isTimeOut(error) && answeredAt < sentAt) isHung = true
    },
    isHung: () => isHung,
  }
}
