/**
 * JSON lines, in the shape of the service's log. Fields are written as they come, so callers must pass no token, cookie or path of
 * a request, and no whole address of a visitor.
 */

type Fields = Readonly<Record<string, string | number | undefined>>
const LEVELS = ['error', 'warn', 'info'] as const
type Write = (message: string, fields?: Fields) => void

/** @param least the lowest level that is written. */
export function createLog(least: (typeof LEVELS)[number], write: (line: string) => unknown) {
  const lastAt = new Map<string, number>()
  const [error, warn, info] = LEVELS.map((level, rank): Write => (message, fields) => {
    // Written at every level: whoever starts the process waits for it.
    if (rank > LEVELS.indexOf(least) && message !== 'listening') return
    write(`${JSON.stringify({ level, message, ...fields, timestamp: new Date().toISOString() })}\n`)
  }) as [Write, Write, Write]
  /** A warning that visitors can cause: one line a second for each message. */
  function seldom(message: string, fields?: Fields): void {
    if (Date.now() - (lastAt.get(message) ?? 0) < 1000) return
    lastAt.set(message, Date.now())
    warn(message, fields)
  }
  return { error, warn, info, seldom }
}

export type Log = ReturnType<typeof createLog>
