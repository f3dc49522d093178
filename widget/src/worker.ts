import { readsNames } from './signals/listened.ts'
import type { Chunk } from './chunks.ts'
import { type FlatHits, hitsOf } from './units.ts'

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

const answer = self.postMessage.bind(self) as unknown as (message: WorkerFacts | FlatHits | undefined) => void
let setUp: SetUp
/** Chunks are answered in the order in which they came. */
let last = Promise.resolve()

export { hitsOf } from './units.ts'

// In a page this file is only on its way to a worker, or does the work of the main thread.
if (typeof document === 'undefined') self.addEventListener('message', onMessage)

function onMessage({ data }: MessageEvent<SetUp | Chunk>): void {
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
    last = last.then(() => /*@__NOINLINE__*/ hitsOf(setUp, data)).then(answer)
    // Only what is thrown here reaches the page, as the end of this worker.
    last.catch((error: unknown) =>
      setTimeout(() => {
        throw error
      }),
    )
  }
}
