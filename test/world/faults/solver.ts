import { Worker } from 'node:worker_threads'
import type { WireWork } from '../../../src/wire.ts'
import { type Sample, spellSolution } from '../../../src/work/spell-solution.ts'

/** Does the work of challenges, one after the other. */
export interface Solver {
  solve(challenge: string, work: WireWork): Promise<string>
  close(): Promise<void>
}

export function startSolver(): Solver {
  const thread = new Worker(new URL('./solver-thread.js', import.meta.url))
  const waiting = new Map<string, (hits: readonly Sample[]) => void>()
  thread.on('message', ({ challenge, hits }: { challenge: string; hits: readonly Sample[] }) => {
    waiting.get(challenge)?.(hits)
    waiting.delete(challenge)
  })
  return {
    async solve(challenge, work) {
      const hits = await new Promise<readonly Sample[]>((resolve) => {
        waiting.set(challenge, resolve)
        thread.postMessage({ challenge, work }, [])
      })
      return spellSolution(work.n, hits)
    },
    close: async () => void (await thread.terminate()),
  }
}
