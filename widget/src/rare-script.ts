import type { extend } from './extras.ts'
import type { showStep } from './step.ts'
import type { Hired } from './workers.ts'

/** Functions that src/rare.ts hands over. */
export interface RareScript {
  /** @returns the 32 bytes of the hash. */
  readonly sha256: (bytes: Uint8Array) => ArrayBuffer
  /** Features that few pages ask for. */
  readonly extend: typeof extend
  readonly showStep: typeof showStep
  /** Starts workers in a hidden frame of the service's. */
  readonly frameRung: (address: string, place: Node) => () => Hired
}
