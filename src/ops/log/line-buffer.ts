import type { Outlet } from './non-blocking-writer.ts'

export interface LineBuffer {
  /** Takes a line; never waits, never throws. */
  write(line: string): void
  /** Writes what can be written at once; for a process that ends. */
  flush(): void
}

export interface LineBufferParts {
  readonly outlet: Outlet
  /** What is said in the log, once it writes again, about the lines that it lost. */
  readonly lostLine: (lines: number) => string
  /** Told as soon as lines are lost. */
  readonly lost: (lines: number) => void
}

/** Bytes of lines that wait for a slow reader: about 5,000 of them. */
const MOST_BYTES = 1024 * 1024
/** Once lines are lost, none is taken until so much is free again: one gap is told, rather than a thousand. */
const FREE_AGAIN = MOST_BYTES / 2
/** Bytes written in one go, so that a long queue does not hold up an answer. */
const PIECE = 64 * 1024
/** Milliseconds until the next try, when nobody reads, and when writing fails. */
const AGAIN = 20
const AGAIN_AFTER_ERROR = 1000
const LINE_END = 10

interface Waiting {
  readonly line: Buffer
  /** How many lost lines it tells of; 0: it is a line like any other. */
  readonly tells: number
}

/**
 * Lines on their way to a reader that may be slow, or gone.
 *
 * They wait in memory, up to 1 MiB; what comes then is lost, counted, and told where it would have stood. A line of
 * which a part was written, when writing failed, is ended before the next.
 */
export function lineBuffer({ outlet, lostLine, lost }: LineBufferParts): LineBuffer {
  /** Whole lines, but the first, of which a part may be written already. */
  let waiting: Waiting[] = []
  let bytes = 0
  let begun = false
  let missing = 0
  let timer: NodeJS.Immediate | NodeJS.Timeout | undefined

  function hold(text: string, tells = 0): void {
    const line = Buffer.from(`${begun && waiting.length === 0 ? '\n' : ''}${text}\n`)
    if (waiting.length === 0) begun = false
    waiting.push({ line, tells })
    bytes += line.length
  }
  function tellMissing(): void {
    if (missing > 0) hold(lostLine(missing), missing)
    missing = 0
  }
  function loseAll(): void {
    // What was begun is ended by the next line that can be written.
    begun ||= waiting[0]!.line[0] === LINE_END
    const lines = waiting.filter(({ tells }) => tells === 0).length
    missing += waiting.reduce((sum, { tells }) => sum + Math.max(1, tells), 0)
    ;[waiting, bytes] = [[], 0]
    if (lines > 0) lost(lines)
  }
  function soon(ms: number): void {
    if (timer !== undefined) return
    const run = (): void => {
      timer = undefined
      step()
    }
    timer = ms === 0 ? setImmediate(run) : setTimeout(run, ms).unref()
  }
  /** One piece. @returns whether any of it was taken. */
  function step(): boolean {
    if (waiting.length === 0) tellMissing()
    if (waiting.length === 0) return false
    let taken = 0
    try {
      taken = outlet(pieceOf(waiting))
    } catch {
      loseAll()
      soon(AGAIN_AFTER_ERROR)
      return false
    }
    took(taken)
    if (bytes > 0 || missing > 0) soon(taken === 0 ? AGAIN : 0)
    return taken > 0
  }
  function took(count: number): void {
    bytes -= count
    let whole = 0
    let left = count
    while (whole < waiting.length && left >= waiting[whole]!.line.length) left -= waiting[whole++]!.line.length
    waiting = waiting.slice(whole)
    if (left > 0) waiting[0] = { ...waiting[0]!, line: waiting[0]!.line.subarray(left) }
    begun = left > 0 || (begun && whole === 0 && count === 0)
  }
  return {
    write(line) {
      const most = missing > 0 ? FREE_AGAIN : MOST_BYTES
      if (bytes + line.length > most) {
        missing++
        lost(1)
      } else {
        tellMissing()
        hold(line)
      }
      soon(0)
    },
    flush() {
      while (step());
    },
  }
}

/** The first lines, up to 64 KiB, and at least one. */
function pieceOf(waiting: readonly Waiting[]): Buffer {
  let size = waiting[0]!.line.length
  let count = 1
  while (count < waiting.length && size + waiting[count]!.line.length <= PIECE) size += waiting[count++]!.line.length
  return count === 1 ? waiting[0]!.line : Buffer.concat(waiting.slice(0, count).map(({ line }) => line))
}
