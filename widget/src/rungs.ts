// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import source from 'inline:worker'
import { after } from './captured.ts'
import { frameRung } from './frame-rung.ts'
import type { Hired } from './lanes.ts'
import { trustedAddress } from './policy.ts'
import type { OwnScript } from './visit-script.ts'

/**
 * The ways to start a worker, the best first. From the page's own origin it is a plain file, which the strictest
 * policies allow: the second script, which the page has loaded already, so that no request is made for it. Elsewhere it
 * is a `blob:` with the source we carry, since workers cannot be started across origins. Where the page's policy
 * refuses both, a frame of the service's, which has a policy of its own.
 *
 * @param base the service's address, with a slash at its end.
 * @param script the address of the second script.
 * @param place where a frame may hide.
 */
export function workerRungs(base: string, script: string, { version }: OwnScript, place: Node): (() => Hired)[] {
  const rungs = [fromBlob, frameRung(`${base}assets/captcha-frame.html${version}`, place)]
  if (new URL(script).origin === location.origin)
    rungs.unshift(() => new Worker(trustedAddress(script), { type: 'module' }))
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
