// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import type pbCode from 'inline:pb-worker'
import type { extend } from './extras.ts'
import type { Options } from './options.ts'
import type { tryPb } from './pb-units.ts'
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
  readonly tryPb: typeof tryPb
  /** The worker of `pb.1`, for engines that are slow at `s32.2`. */
  readonly pbCode: typeof pbCode
}

/**
 * Signs of a page that needs the third script at once: a pass in the address, the element, and options of few pages
 * (src/extras.ts). Parts of names that no other option has: the whole ones are 5 bytes more.
 */
const RARE = /#hv=|n-v|,pass|activ|meout/

export const needsExtras = (container: HTMLElement, options: Options): boolean =>
  RARE.test([location.hash, container.localName, Object.keys(options)].join())
