import type workerCode from 'inline:any-worker'
import { after } from './browser-apis.ts'
import { trustedAddress } from './csp.ts'
import type { SetUp } from './worker-messages.ts'
import { type Hired, type Lane, mainLane } from './workers.ts'

/** The places where the work of one algorithm can be done. */
export interface Ladder {
  /** Ways to start a worker, the best first; those that fail are removed. With none left the main thread works. */
  readonly rungs: (() => Hired | Promise<Hired>)[]
  readonly onMain: (setUp: SetUp) => Lane
}

/**
 * The ways to start a worker, the best first. From the page's own origin it is a plain file, which the strictest
 * policies allow: a script of ours that the page has loaded already, so that no request is made for it. Elsewhere it
 * is a `blob:` with the source we carry, since workers cannot be started across origins. Where the page's policy
 * refuses both, a frame of the service's, which has a policy of its own.
 *
 * @param code the source of the worker.
 * @param script the address of the script that carries it.
 * @param type of that script; undefined: no module.
 * @param openFrame says how workers are started in the frame.
 */
export function workerLadder(
  code: typeof workerCode,
  script: string,
  type: WorkerType | undefined,
  openFrame: () => Promise<() => Hired>,
): Ladder {
  let inFrame: Promise<() => Hired> | undefined
  const fromFrame = async (): Promise<Hired> => (await (inFrame ??= openFrame()))()
  const fromBlob = (): Worker => startBlob(`(${String(code)})(self)`)
  const isOurs = new URL(script).origin === location.origin
  return {
    rungs: [...(isOurs ? [() => new Worker(trustedAddress(script), type && { type })] : []), fromBlob, fromFrame],
    onMain: (setUp) => mainLane(code({ Promise, Array, Object }), setUp),
  }
}

function startBlob(source: string): Worker {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  try {
    return new Worker(trustedAddress(address))
  } finally {
    // The worker has taken hold of it by then, or never will.
    after(10_000, () => URL.revokeObjectURL(address))
  }
}
