/** Does work in a thread of its own, one solution after the other, so that calls are answered while it goes on. */
import { parentPort } from 'node:worker_threads'
import { solve } from './work.mjs'

parentPort.on('message', ({ id, challenge, work, share }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage({ id, solution: solve(challenge, work, share) })
})
