import { before } from '../deadline.ts'
import { Fault } from '../domain/codes.ts'
import { seconds } from '../domain/words.ts'

/**
 * Milliseconds that an operation gets once its request is read. Every part has a limit of its own (limiter and probe
 * 500, ledger 500); this one holds for their sum, and for whatever may hang some day. Issue 3: "answered within 1 s",
 * of which the rest is for reading and writing on a busy machine.
 */
const DEADLINE_MS = 800

/**
 * The result, if it comes in time. What comes later is dropped, so a late acceptance is none: the ledger may have
 * burnt the token by then, and that is the safe side (THREATS.md, T32).
 *
 * @throws {Fault} `database-unavailable` after the deadline: nothing else is waited for.
 */
export const inTime = <T>(work: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> =>
  before(deadlineMs, work, () => {
    const cause = new Error(`nothing behind us answered within ${deadlineMs} ms`)
    return new Fault('database-unavailable', { cause, retryAfter: seconds(1) })
  })
