import { type Pow, STEPS } from '../domain/challenge.ts'
import { checkPbSolution } from '../domain/pb.ts'
import { checkSolution, powKey, type Samples } from '../domain/solution.ts'
import { inLine, turns } from './turns.ts'

export type CheckWork = (
  challenge: string,
  pow: Pow,
  samples: Samples,
  positions: readonly [number, number],
) => Promise<boolean>

/**
 * Checks work in its turn: `s32.1` here, some of them in each turn of the event loop; `pb.1` in other threads, a check at a
 * time, so that whatever comes two of the four threads of Node.js are left to files and names of hosts.
 */
export function workCheck(): CheckWork {
  const inTurn = turns()
  const line = inLine()
  warmUp()
  return async (challenge, pow, samples, positions) => {
    const key = powKey(challenge)
    if (pow.a === 'pb.1') return line(() => checkPbSolution(key, pow, samples, positions))
    return inTurn(() => checkSolution(key, pow, samples, positions))
  }
}

/** V8 compiles a unit while the first ones run: 10 ms, in which nobody else is served. So none of them is a visitor's. */
function warmUp(): void {
  const pow: Pow = { a: 's32.1', s: STEPS, n: 1, b: 0 }
  for (let i = 0; i < 2; i++) checkSolution(powKey(''), pow, [{ index: 0, tag: 0 }], [0, 0])
}
