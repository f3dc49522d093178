import type { Chunk } from './tally.ts'

/** Index and tag of each hit, one after the other. */
export type FlatHits = number[]

/** The first message to a worker; after that it is sent chunks. */
export interface SetUp {
  readonly key: Int32Array
  readonly steps: number
  /** The largest output that counts. */
  readonly threshold: number
  /** True if the units are those of `pb.1`. */
  readonly isPb: boolean
  /** True if a slow engine may say so, and be given other work. */
  readonly mayAsk: boolean
}

/**
 * Does a chunk of the work.
 *
 * @param pause waits before each unit; left out: nobody else needs the thread.
 * @returns undefined when this engine is slow all through the first chunk, and another algorithm may be asked for.
 */
export type DoChunk = (
  setUp: SetUp,
  chunk: Chunk,
  pause?: () => Promise<unknown> | undefined,
) => Promise<FlatHits | undefined>

/** Answers the messages that come to a worker. In a page nothing is answered: there the code is only on its way to a worker. */
export function answerMessages(doChunk: DoChunk): void {
  if (typeof document !== 'undefined') return
  const answer = self.postMessage.bind(self) as unknown as (message: FlatHits | undefined) => void
  let setUp: SetUp
  /** Chunks are answered in the order in which they came. */
  let last = Promise.resolve()
  self.addEventListener('message', ({ data }: MessageEvent<SetUp | Chunk>) => {
    if ('key' in data) {
      setUp = data
      answer(undefined)
    } else {
      last = last.then(() => doChunk(setUp, data)).then(answer)
      // Only what is thrown here reaches the page, as the end of this worker.
      last.catch((error: unknown) =>
        setTimeout(() => {
          throw error
        }),
      )
    }
  })
}
