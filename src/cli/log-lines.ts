import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'

/** Characters; a line of ours has a few thousand. */
const LONGEST = 65_536

export interface LogLine {
  /** undefined: longer than any line of ours, and left out. */
  readonly text: string | undefined
  /** Bytes of the file up to here. */
  readonly read: number
}

/** The lines of a file of any size, one after the other; never more of it than a chunk and a line in memory. */
export async function* logLines(file: string): AsyncIterable<LogLine> {
  yield* linesOf(createReadStream(file, { highWaterMark: 256 * 1024 }))
}

/** The lines of a stream; what follows the last line end is a line, too. */
export async function* linesOf(stream: Readable): AsyncIterable<LogLine> {
  const decoder = new TextDecoder()
  let rest = ''
  let tooLong = false
  let read = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    read += chunk.length
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop()!
    for (const text of pieces) {
      yield { text: tooLong || text.length > LONGEST ? undefined : text, read }
      tooLong = false
    }
    if (rest.length > LONGEST) [rest, tooLong] = ['', true]
  }
  if (rest !== '' || tooLong) yield { text: tooLong ? undefined : rest, read }
}
