import type { Sample } from '../../src/work/spell-solution.ts'
import { after, steady } from './clock.ts'
import { trustedAddress } from './csp.ts'
import type { Chunk, SetUp } from './units.ts'
import { workerCode } from './worker.ts'

type Hits = readonly Sample[] | undefined

/** Somewhere the work is done. */
export interface Lane {
  /** @returns undefined: the engine is slow, and other work may be asked for. */
  run(chunk: Chunk): Promise<Hits>
  end(): void
  readonly isWorker: boolean
}

/** A worker that has not said hello by then never will: some policies refuse without an event. Milliseconds. */
const HELLO_MS = 5000
/** A slice of the main thread; 12 ms halve the frame rate of a page, 4 do not. docs/design/work.md, "In the browser". Milliseconds. */
const SLICE_MS = 4

/**
 * Returns the ways to start a worker, the best first. From the page's own origin it is a plain file, which the strictest policies allow:
 * our own script, so that no request is made for it. Elsewhere it is a `blob:` with the source we carry, since workers cannot be
 * started across origins. Where the page's policy refuses both, the main thread works.
 *
 * @param file the address of our own script; '' where it must not be loaded once more: a page that named its hash could not hold a worker to it.
 */
export function workerRungs(file: string): (() => Worker)[] {
  const isOurs = file && new URL(file).origin === location.origin
  return [...(isOurs ? [() => new Worker(trustedAddress(file))] : []), startBlob]
}

function startBlob(): Worker {
  const address = URL.createObjectURL(new Blob([`(${String(workerCode)})(self)`], { type: 'text/javascript' }))
  // The worker has taken hold of it by then, or never will.
  after(10_000, () => URL.revokeObjectURL(address))
  return new Worker(trustedAddress(address))
}

/**
 * A lane in a worker.
 *
 * @param start may throw, as it does where the page's policy refuses workers.
 * @throws whatever keeps the worker from saying hello.
 */
export async function workerLane(start: () => Worker, setUp: SetUp): Promise<Lane> {
  const worker = start()
  const waiting: { resolve: (hits: Hits) => void; reject: (error: unknown) => void }[] = []
  let isBroken = false
  const ask = (message: SetUp | Chunk): Promise<Hits> =>
    new Promise((resolve, reject) => {
      if (isBroken) return reject(new Error('worker'))
      waiting.push({ resolve, reject })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      worker.postMessage(message)
    })
  const end = (): void => {
    isBroken = true
    cancel()
    worker.terminate()
    for (const { reject } of waiting.splice(0)) reject(new Error('worker'))
  }
  const cancel = after(HELLO_MS, end)
  // One answer for each message, in order: the next in line is the one it is for.
  worker.addEventListener('message', ({ data }) => waiting.shift()?.resolve(data))
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    end()
  })
  await ask(setUp)
  cancel()
  return { isWorker: true, run: ask, end }
}

/** The lane of last resort, in slices so short that the page stays smooth. */
export function mainLane(setUp: SetUp): Lane {
  const doChunk = workerCode({ Promise, Array, Object })
  let started = -Infinity
  // Timers are held to 4 ms after five in a row, and to a second in the background; messages are not.
  const channel = new MessageChannel()
  channel.port1.start()
  const pause = (): Promise<void> | undefined =>
    steady() - started > SLICE_MS
      ? new Promise((resolve) => {
          channel.port1.addEventListener('message', () => ((started = steady()), resolve()), { once: true })
          channel.port2.postMessage(0)
        })
      : undefined
  return { isWorker: false, run: (chunk) => doChunk(setUp, chunk, pause), end: () => channel.port1.close() }
}
