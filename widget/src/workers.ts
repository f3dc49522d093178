import { after, clock } from './browser-apis.ts'
import type { Sample } from '../../src/domain/work/spell-solution.ts'
import type { Chunk } from './chunks.ts'
import type { DoChunk, FlatHits, SetUp, WorkerFacts } from './worker-messages.ts'

/** Somewhere the work is done. */
export interface Lane {
  /** @returns undefined: the engine is slow, and other work may be asked for. */
  run(chunk: Chunk): Promise<readonly Sample[] | undefined>
  end(): void
  /** Facts of its navigator; undefined on the main thread. */
  readonly facts: WorkerFacts | undefined
}

/** A worker that has not said hello by then never will (some policies refuse in silence). Milliseconds. */
const HELLO_MS = 5000
/** A slice of the main thread; 12 ms halve the frame rate of a page, 4 do not. docs/design/proof-of-work.md, "In the browser". Milliseconds. */
const SLICE_MS = 4

/** A worker, or what stands for one that runs elsewhere. */
export interface Hired extends EventTarget {
  postMessage(message: SetUp | Chunk): void
  /** May be called again. */
  terminate(): void
}

/**
 * A lane in a worker.
 *
 * @param hire starts the worker; may throw, as it does where the page's policy refuses workers.
 * @throws whatever keeps the worker from saying hello.
 */
export async function workerLane(hire: () => Hired | Promise<Hired>, setUp: SetUp): Promise<Lane> {
  const worker = await hire()
  const waiting: { resolve: (data: unknown) => void; reject: (error: unknown) => void }[] = []
  let isBroken = false
  const ask = (message: SetUp | Chunk): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isBroken) return reject(new Error('worker'))
      waiting.push({ resolve, reject })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      worker.postMessage(message)
    })
  // One answer for each message, in order: the next in line is the one it is for.
  worker.addEventListener('message', (event) => {
    waiting.shift()?.resolve((event as MessageEvent).data)
  })
  const fail = (): void => {
    isBroken = true
    cancel()
    worker.terminate()
    for (const { reject } of waiting.splice(0)) reject(new Error('worker'))
  }
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    fail()
  })
  const cancel = after(HELLO_MS, fail)
  const facts = (await ask(setUp)) as WorkerFacts
  cancel()
  return {
    facts,
    run: async (chunk) => paired((await ask(chunk)) as FlatHits | undefined),
    end: fail,
  }
}

function paired(flat: FlatHits | undefined): Sample[] | undefined {
  if (!flat) return undefined
  const hits: Sample[] = []
  for (let i = 0; i < flat.length; i += 2) hits.push({ index: flat[i]!, tag: flat[i + 1]! })
  return hits
}

/** The lane of last resort, in slices so short that the page stays smooth. */
export function mainLane(doChunk: DoChunk, setUp: SetUp): Lane {
  let started = -Infinity
  // Timers are held to 4 ms after five in a row, and to a second in the background; messages are not.
  const channel = new MessageChannel()
  channel.port1.start()
  const pause = (): Promise<void> | undefined =>
    clock.steady() - started > SLICE_MS
      ? new Promise((resolve) => {
          channel.port1.addEventListener('message', () => ((started = clock.steady()), resolve()), { once: true })
          channel.port2.postMessage(0)
        })
      : undefined
  return {
    facts: undefined,
    run: async (chunk) => paired(await doChunk(setUp, chunk, pause)),
    end: () => channel.port1.close(),
  }
}
