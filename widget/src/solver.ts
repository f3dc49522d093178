import { hitThreshold } from '../../src/work/s32.ts'
import { spellSolution } from '../../src/work/spell-solution.ts'
import type { ChallengeAnswer } from '../../src/wire.ts'
import { clock } from './browser-apis.ts'
import { WidgetError } from './errors.ts'
import { type Lane, mainLane, workerLane } from './lanes.ts'
import { tally, type Tally } from './tally.ts'
import type { SetUp } from './worker-messages.ts'

export interface Solved {
  /** base64url; docs/design/proof-of-work.md, "The protocol". */
  readonly solution: string
  /** Milliseconds, pauses included. */
  readonly ms: number
}

export interface SolverNeeds {
  /** Ways to start a worker, the best first; those that fail are removed. With none left the main thread works. */
  readonly rungs: (() => Worker)[]
  /** 0 to 1. */
  readonly progressed: (progress: number) => void
  /** Settles when the page is visible: no work is done behind the visitor's back. */
  readonly visible: () => Promise<void>
  readonly stop: AbortSignal
  /** True if other work may be asked for. */
  readonly mayAsk: boolean
}

/**
 * Does the work of a challenge. Its workers are ended whatever happens.
 *
 * @returns undefined when the engine is slow, and other work may be asked for.
 */
export async function solveWork({ work, key }: ChallengeAnswer, needs: SolverNeeds): Promise<Solved | undefined> {
  const started = clock.steady()
  const setUp = {
    key: Int32Array.from(key),
    steps: work.s,
    threshold: hitThreshold(work.n),
    isPb: work.a === 'pb.1',
    mayAsk: needs.mayAsk,
  }
  await needs.visible()
  const lanes = await hire(needs, setUp)
  try {
    const units = tally(work.n)
    await share(units, lanes, setUp, work.b, needs)
    const hits = units.result() ?? units.part()
    if (!hits) throw new WidgetError(400)
    return { solution: spellSolution(work.n, hits), ms: clock.steady() - started }
  } catch (error) {
    if (error !== SLOW) throw error
    return undefined
  } finally {
    for (const lane of lanes) lane.end()
  }
}

/** A slow engine ends the work with it, so that other work may be asked for. */
const SLOW = new Error('slow')

/** Four at the most, two on phones, where more cores are slow ones and heat counts. docs/design/proof-of-work.md, "In the browser". */
export function crewSize(): number {
  const isPhone = /Mobi|Android/.test(navigator.userAgent)
  return Math.max(1, Math.min(isPhone ? 2 : 4, navigator.hardwareConcurrency || 2))
}

async function hire({ rungs }: SolverNeeds, setUp: SetUp): Promise<Lane[]> {
  for (let rung = rungs[0]; rung; rung = rungs[0]) {
    const hireOne = rung
    const hired = await Promise.allSettled(Array.from({ length: crewSize() }, () => workerLane(hireOne, setUp)))
    const lanes = hired.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (lanes.length) return lanes
    rungs.shift()
  }
  return [mainLane(setUp)]
}

/**
 * Every lane takes chunks until enough is found; a worker that dies gives its chunk back.
 *
 * @param budget milliseconds of work, pauses left out, after which a part is enough; undefined: none ever is.
 * @throws SLOW
 */
async function share(
  units: Tally,
  lanes: Lane[],
  setUp: SetUp,
  budget: number | undefined,
  needs: SolverNeeds,
): Promise<void> {
  let isPartEnough = false
  const runner = async (lane: Lane): Promise<void> => {
    let spent = 0
    while (!units.result() && !(isPartEnough && units.part())) {
      await needs.visible()
      const began = clock.steady()
      if (needs.stop.aborted) throw new WidgetError(400)
      const chunk = units.take()
      if (!chunk) return
      let hits: Awaited<ReturnType<Lane['run']>>
      try {
        hits = await lane.run(chunk)
      } catch {
        units.giveBack(chunk)
        return
      }
      if (!hits) throw SLOW
      units.put(chunk, hits)
      spent += clock.steady() - began
      if (spent >= budget!) isPartEnough = true
      needs.progressed(units.progress())
    }
  }
  // Two chunks on the way to each worker, so that it never waits for the next.
  await Promise.all(lanes.flatMap((lane) => (lane.isWorker ? [runner(lane), runner(lane)] : [runner(lane)])))
  if (units.result() || isPartEnough) return
  const lane = mainLane(setUp)
  lanes.push(lane)
  await runner(lane)
}
