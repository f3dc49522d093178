import { Worker } from 'node:worker_threads'
import type { WireWork } from '../../../src/wire.ts'
import { closeLater } from '../../support/close-later.ts'

/** A thread that does the work of challenges, in order, away from the thread that measures how long answers take. */
export type Solver = ReturnType<typeof startSolver>

export function startSolver() {
  const worker = closeLater(new Worker(new URL('worker.js', import.meta.url)), (it) =>
    it.terminate(),
  )
  const waiting: ((solution: string) => void)[] = []
  worker.on('message', (solution: string) => waiting.shift()!(solution))
  return {
    solve(challenge: string, work: WireWork): Promise<string> {
      worker.postMessage({ challenge, work }, [])
      return new Promise((resolve) => void waiting.push(resolve))
    },
  }
}
