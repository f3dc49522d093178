import { readsNames } from './signals/listened.ts'
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
  /** True if this worker asks who listens to its console: one of a crew does. */
  readonly probes?: boolean
}

/** Facts of the worker's own navigator; a spoofed window often forgets it. docs/design/risk.md#spoofed-agent */
export interface WorkerFacts {
  readonly agent: string
  readonly platform: string
  readonly languages: string
  readonly cores: number
  /** True if somebody listens to the worker's console; left out: not asked. */
  readonly isListened?: boolean | undefined
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
  const answer = self.postMessage.bind(self) as unknown as (message: WorkerFacts | FlatHits | undefined) => void
  let setUp: SetUp
  /** Chunks are answered in the order in which they came. */
  let last = Promise.resolve()
  self.addEventListener('message', ({ data }: MessageEvent<SetUp | Chunk>) => {
    if ('key' in data) {
      setUp = data
      const { userAgent, platform, languages, hardwareConcurrency } = navigator
      answer({
        agent: userAgent,
        platform,
        languages: String(languages),
        cores: hardwareConcurrency,
        // Firefox reads what its workers say whether anybody listens or not.
        isListened: data.probes && !/Firefox/.test(userAgent) ? readsNames() : undefined,
      })
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
