import { Writable } from 'node:stream'

/** Bytes that wait for a reader: about 5,000 lines of the log. */
const MAX_WAITING = 1024 * 1024

export interface Losses {
  /** Called for each line that is lost. */
  readonly lost: () => void
  /** Called once lines are written again, with how many were lost before. */
  readonly resumed: (lines: number) => void
}

/**
 * Passes lines on to a stream that writes asynchronously, and drops them while 1 MiB waits for a reader that has stopped.
 *
 * Node.js writes to pipes and sockets without waiting, and keeps in memory what the reader has not taken: without a
 * bound, a stopped reader ends the process. A line that fails (EPIPE, ENOSPC) is lost too; the next one is tried again.
 */
export function boundedStream(target: Writable, { lost, resumed }: Losses): Writable {
  let isFull = false
  let missing = 0

  function miss(): void {
    missing++
    lost()
  }
  function resume(): void {
    if (isFull || missing === 0) return
    const lines = missing
    missing = 0
    resumed(lines)
  }

  // Each failed line is counted by its own callback.
  target.on('error', () => {})
  target.on('drain', () => {
    isFull = false
    resume()
  })
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      isFull ||= target.writableLength + line.length > MAX_WAITING
      if (isFull) miss()
      else target.write(line, (error) => (error ? miss() : resume()))
      done()
    },
  })
}
