import type { Reply } from './service.ts'
import { WidgetError } from './errors.ts'
import type { Options } from './options.ts'

/** Waits of one call together. Longer than this nobody waits in front of a form; then it is better to say so. */
const LONGEST_WAIT_MS = 120_000
const LOST_WAITS_MS = [500, 2000]
const BUSY_WAITS_MS = [2000, 4000, 8000]

export interface Patience {
  /** Settles after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>
  /** 0 to 1: spreads the visitors of a service that comes back over a moment. */
  readonly random: () => number
  /** `retry`: true if a failed call is repeated at all; `retryInterval`: the milliseconds between tries; 0: as above. */
  readonly options: Pick<Options, 'retry' | 'retryInterval'>
  /** Called before each wait. */
  readonly delayed: () => void
}

export type Settled<T> = Extract<Reply<T>, { is: 'answer' | 'again' }>

/**
 * Asks again as long as that makes sense: twice after a lost call, three times while the service is in trouble, and as
 * often as it takes where the address of a school or an office is over its budget and the visitor only has to wait.
 * Repeating is safe: the service answers the same body with the same token.
 *
 * @throws {WidgetError} when the service refuses, or stays away.
 */
export async function persist<T>(call: () => Promise<Reply<T>>, patience: Patience): Promise<Settled<T>> {
  const { options } = patience
  let lost = 0
  let busy = 0
  let left = LONGEST_WAIT_MS
  for (;;) {
    const reply = await call()
    let waitMs: number | undefined
    switch (reply.is) {
      case 'answer':
      case 'again':
        return reply
      case 'refused':
        throw new WidgetError(reply.code)
      case 'unreachable':
        waitMs = LOST_WAITS_MS[lost++]
        if (waitMs) waitMs = options.retryInterval || waitMs
        break
      case 'busy':
        waitMs = BUSY_WAITS_MS[reply.code === 202 ? Math.min(busy++, 2) : busy++]
        if (waitMs !== undefined && reply.waitMs !== undefined) waitMs = Math.max(500, reply.waitMs)
        break
    }
    if (waitMs === undefined || (left -= waitMs) < 0 || options.retry === 'never') throw new WidgetError(reply.code)
    patience.delayed()
    await patience.wait(waitMs * (1 + patience.random() / 4))
  }
}
