// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline-worker.d.ts" />
import source from 'inline:worker'
import { after } from './captured.ts'
import { frameRung } from './frame-rung.ts'
import type { Hired } from './lanes.ts'
import { trustedAddress } from './policy.ts'

/**
 * The ways to start a worker, the best first. From the page's own origin it is a plain file, which the strictest
 * policies allow; elsewhere a `blob:` with the source we carry, since workers cannot be started across origins.
 * Where the page's policy refuses both, a frame of the service's, which has a policy of its own.
 *
 * @param base the service's address, with a slash at its end.
 * @param version what follows the `?` of our own script's address, or nothing.
 * @param place where a frame may hide.
 * @param isSparing whether another file is loaded already: then the way without a request comes first.
 */
export function workerRungs(base: string, version: string, place: Node, isSparing: boolean): (() => Hired)[] {
  const rungs = [fromBlob, frameRung(`${base}assets/captcha-frame.html${version}`, place)]
  if (new URL(base).origin === location.origin) {
    const address = `${base}assets/captcha-worker.js${version}`
    rungs.splice(Number(isSparing), 0, () => new Worker(trustedAddress(address)))
  }
  return rungs
}

function fromBlob(): Worker {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  try {
    return new Worker(trustedAddress(address))
  } finally {
    // The worker has taken hold of it by then, or never will.
    after(10_000, () => URL.revokeObjectURL(address))
  }
}
