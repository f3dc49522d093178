// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline-worker.d.ts" />
import source from 'inline:worker'
import { trustedAddress } from './policy.ts'

/**
 * The ways to start a worker, the best first. From the page's own origin it is a plain file, which the strictest
 * policies allow; elsewhere a `blob:` with the source we carry, since workers cannot be started across origins.
 *
 * @param base the service's address, with a slash at its end.
 * @param version what follows the `?` of our own script's address, or nothing.
 */
export function workerRungs(base: string, version: string): (() => Worker)[] {
  const rungs = [fromBlob]
  if (new URL(base).origin === location.origin) {
    const address = `${base}assets/captcha-worker.js${version}`
    rungs.unshift(() => new Worker(trustedAddress(address)))
  }
  return rungs
}

function fromBlob(): Worker {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  try {
    return new Worker(trustedAddress(address))
  } finally {
    // The worker has taken hold of it by now, or never will.
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
}
