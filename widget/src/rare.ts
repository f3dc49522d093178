// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import pbCode from 'inline:pb-worker'

/**
 * The third script, `captcha-rare.js`: parts that few visits need, loaded when a page turns out to need one of them.
 * The pages that load it do so by visit-script.ts.
 */
export { extend } from './extras.ts'
export { frameRung } from './frame-worker.ts'
export { tryPb } from './pb-units.ts'
export { sha256 } from './sha256.ts'
export { showStep } from './step.ts'
export { pbCode }

// Pages on the service's own origin start their workers for `pb.1` from this very file.
if (typeof document === 'undefined') pbCode(self)
