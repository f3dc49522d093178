import { prepare, tagOf, unit } from '../../src/domain/s32.ts'
import { isListened } from './signals/listened.ts'
import type { Chunk } from './tally.ts'

/** What a worker is told first; after that it is sent chunks. */
export interface SetUp {
  readonly key: Int32Array
  readonly steps: number
  /** The largest output that counts. */
  readonly threshold: number
}

/** What the worker's own navigator says; a spoofed window often forgets it. RISK.md, section 1. */
export interface WorkerFacts {
  readonly agent: string
  readonly platform: string
  readonly languages: string
  readonly cores: number
  /** Whether somebody listens to the worker's console. */
  readonly isListened: boolean
}

/** Index and tag of each hit, one after the other. */
export type FlatHits = number[]

const answer = self.postMessage.bind(self) as unknown as (message: WorkerFacts | FlatHits) => void
let setUp: SetUp | undefined

// In a page this file is only on its way to a worker: see visit.ts.
if (typeof document === 'undefined') self.addEventListener('message', onMessage)

function onMessage({ data }: MessageEvent<SetUp | Chunk>): void {
  if ('key' in data) {
    setUp = data
    prepare(data.key, data.steps)
    const { userAgent, platform, languages, hardwareConcurrency } = navigator
    answer({
      agent: userAgent,
      platform,
      languages: String(languages),
      cores: hardwareConcurrency,
      isListened: isListened(),
    })
  } else if (setUp) {
    const hits: FlatHits = []
    for (let index = data.from; index < data.to; index++) {
      const output = unit(setUp.key, index, setUp.steps)
      if (output <= setUp.threshold) hits.push(index, tagOf(output))
    }
    answer(hits)
  }
}
