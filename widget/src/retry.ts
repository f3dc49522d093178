import { wait } from './clock.ts'
import { WidgetError } from './errors.ts'
import type { Options } from './options.ts'
import type { Reply } from './service.ts'
import type { Move } from './state.ts'

/** Maximum of all delays of a call together, jitter included, so that visitors do not wait longer. */
const LONGEST_WAIT_MS = 120_000
const LOST_WAITS_MS = [500, 2000]
const BUSY_WAITS_MS = [2000, 4000, 8000]

type Settled<T> = Extract<Reply<T>, { is: 'answer' | 'again' }>

/**
 * Retries a call: twice after a lost one, three times while the service is unavailable, and until the time is over while the
 * visitor's network is over its rate limit. Safe, since the service answers the same body with the same token.
 *
 * @throws {WidgetError} when the service refuses or stays unavailable.
 */
export async function callWithRetry<T>(
  call: () => Promise<Reply<T>>,
  { retry, retryInterval }: Pick<Options, 'retry' | 'retryInterval'>,
  tell: (move: Move) => void,
): Promise<Settled<T>> {
  const waitMsAfter = patience(retryInterval)
  let left = LONGEST_WAIT_MS
  for (;;) {
    const reply = await call()
    if (reply.is === 'answer' || reply.is === 'again') return reply
    const waitMs = retry === 'never' ? Infinity : waitMsAfter(reply)
    if (waitMs > left) throw new WidgetError(reply.code)
    tell({ is: 'delayed' })
    // Jitter: not all visitors retry at once when the service is back.
    const jitteredMs = Math.min(left, waitMs * (1 + Math.random() / 4))
    left -= jitteredMs
    await wait(jitteredMs)
  }
}

/** @returns the milliseconds to wait after each reply of one call; Infinity: no retry. */
function patience(retryInterval: number) {
  let lost = 0
  let busy = 0
  return (reply: Exclude<Reply<unknown>, { is: 'answer' | 'again' }>): number => {
    if (reply.is === 'unreachable') {
      const waitMs = LOST_WAITS_MS[lost++]
      return waitMs === undefined ? Infinity : retryInterval || waitMs
    }
    if (reply.is !== 'busy') return Infinity
    const waitMs = BUSY_WAITS_MS[reply.code === 202 ? Math.min(busy, 2) : busy]
    busy++
    if (waitMs === undefined) return Infinity
    return reply.waitMs === undefined ? waitMs : Math.max(500, reply.waitMs)
  }
}
