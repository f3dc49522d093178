import { wait } from './clock.ts'
import { WidgetError } from './errors.ts'
import type { Options } from './options.ts'
import type { Reply } from './service.ts'

/** Waits of one call together. Longer than this nobody waits in front of a form; then it is better to say so. */
const LONGEST_WAIT_MS = 120_000
const LOST_WAITS_MS = [500, 2000]
const BUSY_WAITS_MS = [2000, 4000, 8000]

type Settled<T> = Extract<Reply<T>, { is: 'answer' | 'again' }>

/**
 * Asks again as long as that makes sense: twice after a lost call, three times while the service is in trouble, and as
 * often as it takes where the address of a school or an office is over its budget and the visitor only has to wait.
 * Repeating is safe: the service answers the same body with the same token.
 *
 * @param delayed called before each wait.
 * @throws {WidgetError} when the service refuses, or stays away.
 */
export async function persist<T>(
  call: () => Promise<Reply<T>>,
  { retry, retryInterval }: Pick<Options, 'retry' | 'retryInterval'>,
  delayed: () => void,
): Promise<Settled<T>> {
  let lost = 0
  let busy = 0
  let left = LONGEST_WAIT_MS
  for (;;) {
    const reply = await call()
    let waitMs: number | undefined
    if (reply.is === 'answer' || reply.is === 'again') return reply
    if (reply.is === 'unreachable') {
      waitMs = LOST_WAITS_MS[lost++]
      if (waitMs) waitMs = retryInterval || waitMs
    } else if (reply.is === 'busy') {
      waitMs = BUSY_WAITS_MS[reply.code === 202 ? Math.min(busy++, 2) : busy++]
      if (waitMs !== undefined && reply.waitMs !== undefined) waitMs = Math.max(500, reply.waitMs)
    }
    if (waitMs === undefined || (left -= waitMs) < 0 || retry === 'never') throw new WidgetError(reply.code)
    delayed()
    // Spreads the visitors of a service that comes back over a moment.
    await wait(waitMs * (1 + Math.random() / 4))
  }
}
