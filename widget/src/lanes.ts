import type { Sample } from '../../src/work/spell-solution.ts'
import { after, steady } from './clock.ts'
import { trustedAddress } from './csp.ts'
import type { Chunk, SetUp } from './units.ts'
import { workerCode } from './worker.ts'

type Hits = readonly Sample[] | undefined

/** A worker, or the main thread. */
export interface Lane {
  /** Resolves to undefined if the engine is slow and other work may be requested. */
  run(chunk: Chunk): Promise<Hits>
  end(): void
  readonly isWorker: boolean
}

/** Timeout for the first answer of a worker: some policies block workers without an event. */
const START_MS = 5000
/** A slice of the main thread: 12 ms halve the frame rate of a page, 4 ms do not. docs/design/work.md, "In the browser". */
const SLICE_MS = 4

/**
 * Returns the ways to start a worker, the best first: our own script on the page's origin, which the strictest policies allow and the
 * browser has in its cache; elsewhere a `blob:` with its source, since workers cannot start across origins.
 *
 * @param file the address of our own script; '' if a worker must not load it.
 */
export function workerRungs(file: string): (() => Worker)[] {
  const isOurs = file && new URL(file).origin === location.origin
  return [...(isOurs ? [() => new Worker(trustedAddress(file))] : []), startBlob]
}

function startBlob(): Worker {
  const address = URL.createObjectURL(
    new Blob([`(${String(workerCode)})(self)`], { type: 'text/javascript' }),
  )
  // The worker has loaded by then, or never will.
  after(10_000, () => URL.revokeObjectURL(address))
  return new Worker(trustedAddress(address))
}

/** Starts a worker. @throws if the page's policy blocks it, or if it does not answer. */
export async function workerLane(start: () => Worker, setUp: SetUp): Promise<Lane> {
  const worker = start()
  const waiting: { resolve: (hits: Hits) => void; reject: (error: unknown) => void }[] = []
  let isBroken = false
  const ask = (message: SetUp | Chunk): Promise<Hits> =>
    new Promise((resolve, reject) => {
      if (isBroken) return reject(new Error('worker'))
      waiting.push({ resolve, reject })
      worker.postMessage(message)
    })
  const end = (): void => {
    isBroken = true
    cancel()
    worker.terminate()
    for (const { reject } of waiting.splice(0)) reject(new Error('worker'))
  }
  const cancel = after(START_MS, end)
  // A worker answers each message, in order.
  worker.addEventListener('message', ({ data }) => waiting.shift()?.resolve(data))
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    end()
  })
  await ask(setUp)
  cancel()
  return { isWorker: true, run: ask, end }
}

/** Works on the main thread, in slices so short that the page stays smooth. */
export function mainLane(setUp: SetUp): Lane {
  const doChunk = workerCode({ Promise, Array, Object })
  let started = -Infinity
  // Browsers throttle timers to 4 ms, and to a second in the background, but not messages.
  const channel = new MessageChannel()
  channel.port1.start()
  const pause = (): Promise<void> | undefined =>
    steady() - started > SLICE_MS
      ? new Promise((resolve) => {
          const resume = (): void => {
            started = steady()
            resolve()
          }
          channel.port1.addEventListener('message', resume, { once: true })
          channel.port2.postMessage(0)
        })
      : undefined
  return {
    isWorker: false,
    run: (chunk) => doChunk(setUp, chunk, pause),
    end: () => channel.port1.close(),
  }
}
