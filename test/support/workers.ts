import { Worker } from 'node:worker_threads'
import type { WireWork } from '../../src/wire.ts'

/** Threads that do the work of challenges, away from the thread that measures how long answers take. */
export interface Workers {
  solve(challenge: string, work: WireWork): Promise<string>
  close(): Promise<void>
}

export function startWorkers(count: number): Workers {
  const waiting = new Map<number, (solution: string) => void>()
  const workers = Array.from({ length: count }, () => new Worker(new URL('worker.js', import.meta.url)))
  for (const worker of workers) {
    worker.on('message', ({ id, solution }: { id: number; solution: string }) => {
      waiting.get(id)?.(solution)
      waiting.delete(id)
    })
  }
  let asked = 0
  return {
    solve: (challenge, work) =>
      new Promise((resolve) => {
        const id = asked++
        waiting.set(id, resolve)
        workers[id % count]!.postMessage({ id, challenge, work }, [])
      }),
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  }
}
