import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { solve } from './work.mjs'

let threads
let last = 0
/** Work that no thread has begun. */
const queue = []

/**
 * Does the work of a challenge in another thread of this process, as many at a time as the machine has cores: its CPU time
 * counts as the process's.
 */
export function workFor(challenge, work, share) {
  threads ??= Array.from({ length: availableParallelism() }, started)
  return new Promise((resolve, reject) => {
    queue.push({ id: ++last, challenge, work, share, resolve, reject })
    threads.forEach(takeNext)
  })
}

/** Ends the threads with all that they have not finished: nobody waits for it any more. */
export async function stopWork() {
  queue.length = 0
  await Promise.all((threads ?? []).map(({ thread }) => thread.terminate()))
}

function takeNext(one) {
  if (one.task !== undefined) return
  one.task = queue.shift()
  // A process that waits for a solution stays; one that waits for none may end.
  if (one.task === undefined) return one.thread.unref()
  one.thread.ref()
  const { id, challenge, work, share } = one.task
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  one.thread.postMessage({ id, challenge, work, share })
}

function started() {
  const one = { thread: new Worker(new URL(import.meta.url)), task: undefined }
  const done = (how, value) => {
    const { [how]: end } = one.task
    one.task = undefined
    end(value)
    takeNext(one)
  }
  one.thread.on('message', ({ solution }) => done('resolve', solution))
  one.thread.on('error', (error) => (one.task ? done('reject', error) : undefined))
  return one
}

/** The thread: one solution after the other, so that calls are answered while it goes on. */
if (!isMainThread)
  parentPort.on('message', ({ id, challenge, work, share }) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort.postMessage({ id, solution: solve(challenge, work, share) })
  })
