import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { solve } from './work.mjs'

const threads = []
const waiting = new Map()
let last = 0

/**
 * Does the work of a challenge in another thread of this process, as many at a time as the machine has cores: its CPU time
 * counts as the process's.
 */
export function workFor(challenge, work, share) {
  if (threads.length === 0) threads.push(...Array.from({ length: availableParallelism() }, started))
  const id = ++last
  threads[id % threads.length].postMessage({ id, challenge, work, share })
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** Ends the threads with all that they have not finished: nobody waits for it any more. */
export const stopWork = () => Promise.all(threads.map((thread) => thread.terminate()))

function started() {
  const thread = new Worker(new URL(import.meta.url))
  thread.on('message', ({ id, solution }) => {
    waiting.get(id)(solution)
    waiting.delete(id)
  })
  // The service or the parent keeps the process alive while somebody waits for a solution; a listener would keep it alive for good.
  thread.unref()
  return thread
}

/** The thread: one solution after the other, so that calls are answered while it goes on. */
if (!isMainThread)
  parentPort.on('message', async ({ id, challenge, work, share }) => {
    parentPort.postMessage({ id, solution: await solve(challenge, work, share) })
  })
