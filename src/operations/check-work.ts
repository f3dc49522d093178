import { type Pow, STEPS } from '../work/pow.ts'
import type { AttemptId } from '../domain/words.ts'
import { checkPbSolution } from '../work/pb.ts'
import { checkSolution, powKey } from '../work/solution.ts'
import type { Sample } from '../work/spell-solution.ts'
import { inLine, turns } from './turns.ts'

/** Number of bodies whose outcome is remembered; some 200 bytes each. */
const REMEMBERED = 4096

/** Work to check. */
export interface HandedIn {
  /** Names the body: a repeat gets the remembered outcome. */
  readonly attempt: AttemptId
  readonly challenge: string
  readonly pow: Pow
  readonly samples: readonly Sample[]
  /** The indices of the samples that are checked. */
  readonly positions: readonly [number, number]
}

export type CheckWork = (work: HandedIn) => Promise<boolean>

/**
 * Checks work: `s32.1` in this thread, a few checks in each turn of the event loop; `pb.1` in other threads, one check at a
 * time, so that two of libuv's four threads stay free for files and DNS.
 *
 * A repeated body gets the outcome of the first one while that is among the last `REMEMBERED`; later it is checked again.
 */
export function workCheck(): CheckWork {
  const inTurns = turns()
  const line = inLine()
  warmUp()
  const outcomes = new Map<AttemptId, Promise<boolean>>()

  return ({ attempt, challenge, pow, samples, positions }) => {
    const earlier = outcomes.get(attempt)
    if (earlier !== undefined) return earlier
    const key = powKey(challenge)
    const outcome =
      pow.a === 'pb.1'
        ? line(() => checkPbSolution(key, pow, samples, positions))
        : inTurns(() => checkSolution(key, pow, samples, positions))
    if (outcomes.size >= REMEMBERED) outcomes.delete(outcomes.keys().next().value!)
    outcomes.set(attempt, outcome)
    // The outcome is unknown then, so the next repeat is checked.
    outcome.catch(() => outcomes.delete(attempt))
    return outcome
  }
}

/** Warms up the unit of work: V8 compiles it during the first runs, which block for 10 ms. */
function warmUp(): void {
  const pow: Pow = { a: 's32.1', s: STEPS, n: 1, b: 0 }
  for (let i = 0; i < 2; i++) checkSolution(powKey(''), pow, [{ index: 0, tag: 0 }], [0, 0])
}
