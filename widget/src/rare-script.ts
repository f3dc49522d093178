import type { extend } from './extras.ts'
import type { showStep } from './step.ts'
import type { Hired } from './workers.ts'

/** What src/rare.ts hands over. */
export interface RareScript {
  /** @returns the 32 bytes of the hash. */
  readonly sha256: (bytes: Uint8Array) => ArrayBuffer
  /** What few pages ask of a widget. */
  readonly extend: typeof extend
  readonly showStep: typeof showStep
  /** Starts workers in a hidden frame of the service's. */
  readonly frameRung: (address: string, place: Node) => () => Hired
}
