import type { Writable } from 'node:stream'
import Transport from 'winston-transport'

/** Where winston keeps what a format has made of a line. */
const MESSAGE = Symbol.for('message')
/** Bytes that wait for a reader: about 5,000 lines of the log. */
const MAX_WAITING = 1024 * 1024

export interface Losses {
  /** Called when lines are lost. */
  readonly lost: (lines: number) => void
  /** Called once lines are written again, with how many were lost before. */
  readonly resumed: (lines: number) => void
}

/**
 * Writes the lines of one turn of the event loop at once, and drops them while 1 MiB waits for a reader that has stopped.
 *
 * Node.js writes to pipes and sockets without waiting, and keeps in memory what the reader has not taken: without a
 * bound, a stopped reader ends the process. Lines that fail (EPIPE, ENOSPC) are lost too; the next are tried again.
 */
export function boundedTransport(target: Writable, { lost, resumed }: Losses): Transport {
  let waiting: string[] = []
  let isFull = false
  let missing = 0

  function miss(lines: number): void {
    missing += lines
    lost(lines)
  }
  function resume(): void {
    if (isFull || missing === 0) return
    const lines = missing
    missing = 0
    resumed(lines)
  }
  function write(): void {
    const text = waiting.join('')
    const lines = waiting.length
    waiting = []
    // Counts what waits in the stream instead of trusting what write() returns: a stream emits `drain` only if it was behind.
    isFull ||= target.writableLength > MAX_WAITING
    if (isFull) miss(lines)
    else target.write(text, (error) => (error ? miss(lines) : resume()))
  }

  // Each failed write is counted by its own callback.
  target.on('error', () => {})
  target.on('drain', () => {
    isFull = false
    resume()
  })
  return new Transport({
    log(info: { readonly [MESSAGE]: string }, done) {
      if (waiting.push(`${info[MESSAGE]}\n`) === 1) setImmediate(write)
      done()
    },
  })
}
