import { Worker } from 'node:worker_threads'

let worker
let last = 0
const waiting = new Map()

/**
 * Does the work of a challenge in another thread of this process: its CPU time counts as the process's.
 *
 * @param {string} challenge
 * @param {{ a: string, n: number, s: number }} work
 * @param {number} share 1/4 to 1
 * @returns {Promise<string>} the solution as it travels
 */
export function workFor(challenge, work, share) {
  worker ??= started()
  // A process that waits for a solution stays; one that waits for none may end.
  worker.ref()
  return new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ id: last, challenge, work, share })
  })
}

/** Ends the thread with all that it has not finished: nobody waits for it any more. */
export async function stopWork() {
  await worker?.terminate()
}

function started() {
  const thread = new Worker(new URL('work-thread.mjs', import.meta.url))
  thread.on('message', ({ id, solution }) => {
    waiting.get(id).resolve(solution)
    waiting.delete(id)
    if (waiting.size === 0) thread.unref()
  })
  thread.on('error', (error) => waiting.forEach(({ reject }) => reject(error)))
  return thread
}
