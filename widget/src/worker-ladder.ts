// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import workerCode from 'inline:worker'
import { after } from './browser-apis.ts'
import type { Hired } from './workers.ts'
import { trustedAddress } from './csp.ts'
import { assetAddress, type OwnScript } from './visit-script.ts'
import type { RareScript } from './rare-script.ts'

/**
 * The ways to start a worker, the best first. From the page's own origin it is a plain file, which the strictest
 * policies allow: our own script, which the page has loaded already, so that no request is made for it. Elsewhere it
 * is a `blob:` with the source we carry, since workers cannot be started across origins. Where the page's policy
 * refuses both, a frame of the service's, which has a policy of its own.
 *
 * @param base the service's address, with a slash at its end.
 * @param place where a frame may hide.
 * @param loadRare loads what the frame needs.
 */
export function workerRungs(
  base: string,
  own: OwnScript,
  place: Node,
  loadRare: () => Promise<RareScript>,
): (() => Hired | Promise<Hired>)[] {
  const script = assetAddress(base, '', own)
  let inFrame: Promise<() => Hired> | undefined
  const fromFrame = async (): Promise<Hired> => {
    inFrame ??= loadRare().then(({ frameRung }) => frameRung(`${base}assets/captcha-frame.html${own.version}`, place))
    return (await inFrame)()
  }
  const isOurs = new URL(script).origin === location.origin
  return [...(isOurs ? [() => new Worker(trustedAddress(script))] : []), fromBlob, fromFrame]
}

function fromBlob(): Worker {
  const address = URL.createObjectURL(new Blob([`(${String(workerCode)})(self)`], { type: 'text/javascript' }))
  try {
    return new Worker(trustedAddress(address))
  } finally {
    // The worker has taken hold of it by then, or never will.
    after(10_000, () => URL.revokeObjectURL(address))
  }
}
