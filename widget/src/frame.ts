// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import workerCode from 'inline:any-worker'
import { BROKEN } from './frame-worker.ts'

/**
 * The script of captcha-frame.html: every port it is given becomes the end of a worker. Any page may frame it: it holds
 * nothing, asks nobody, and answers with sums of what it is given.
 */
const address = URL.createObjectURL(new Blob([`(${String(workerCode)})(self)`], { type: 'text/javascript' }))

window.addEventListener('message', ({ ports: [port] }) => {
  if (!port) return
  const broken = (): void => port.postMessage(BROKEN)
  try {
    const worker = new Worker(address)
    worker.addEventListener('message', ({ data }) => port.postMessage(data))
    worker.addEventListener('error', broken)
    // The page took the frame out, and what works in it ends with it.
    window.addEventListener('pagehide', broken)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    port.addEventListener('message', ({ data }) => worker.postMessage(data))
    port.start()
  } catch {
    broken()
  }
})
// Any origin may read the greeting: it says nothing.
window.parent.postMessage('svc-captcha', '*')
