import type { ServerResponse } from 'node:http'
import { withDeadline } from '../../runtime/deadlines.ts'
import { Fault } from '../../domain/codes.ts'
import { seconds } from '../../domain/words.ts'

/**
 * Milliseconds that an operation gets once its request has come. Every part has a limit of its own (limiter and probe
 * 500, ledger 500); this one holds for their sum, and for whatever may hang some day. docs/design/threats.md, "Promises": within 1 s,
 * of which the rest is for reading and writing on a busy machine.
 */
const DEADLINE_MS = 800

/** Milliseconds that it waited for its turn, on the responses of those that did. */
const WAITED = Symbol('waited')
type MayHaveWaited = ServerResponse & { [WAITED]?: number }

/** Counts the time before anybody looked at a request as a part of its second. */
export function noteWait(res: ServerResponse, ms: number): void {
  ;(res as MayHaveWaited)[WAITED] = ms
}

/** Milliseconds that are left for the operation. */
export const timeLeft = (res: ServerResponse): number => DEADLINE_MS - ((res as MayHaveWaited)[WAITED] ?? 0)

/**
 * The result, if it comes in time. A later result is dropped, so a late acceptance is none: the ledger may have
 * burnt the token by then, and that is the safe side (docs/design/threats.md#t32).
 *
 * @throws {Fault} `database-unavailable` after the deadline: nothing else is waited for.
 */
export const withinOperation = <T>(work: Promise<T>, deadlineMs: number): Promise<T> =>
  withDeadline(work, deadlineMs, () => {
    const cause = new Error(`nothing behind us answered within ${deadlineMs} ms`)
    return new Fault('database-unavailable', { cause, retryAfter: seconds(1) })
  })
