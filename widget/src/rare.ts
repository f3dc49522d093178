/**
 * The third script, `captcha-rare.js`: parts that few visits need, loaded when a page turns out to need one of them.
 * The pages that load it do so by visit-script.ts.
 */
export { extend } from './extras.ts'
export { frameRung } from './frame-worker.ts'
export { sha256 } from './sha256.ts'
export { showStep } from './step.ts'
