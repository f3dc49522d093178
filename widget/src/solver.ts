import { hitThreshold } from '../../src/work/s32.ts'
import { spellSolution } from '../../src/work/spell-solution.ts'
import type { ChallengeAnswer, WireProof } from '../../src/wire.ts'
import { type BackgroundPause, type Deadline, steady } from './clock.ts'
import { WidgetError } from './errors.ts'
import { type Lane, mainLane, workerLane } from './lanes.ts'
import { tally } from './tally.ts'
import type { SetUp } from './units.ts'

export interface Solved {
  /** base64url. docs/design/work.md, "The protocol" */
  readonly solution: string
  /** Milliseconds, pauses included. */
  readonly ms: number
}

/** Work that is done, to be exchanged for a token. */
export interface KeptWork extends Solved {
  readonly challenge: string
  readonly proof: WireProof | undefined
  /** The ticket of a second try; empty: none. */
  readonly ticket: string
  /** Until the challenge expires, less a margin. */
  readonly leftMs: Deadline
}

export interface SolverOptions {
  /** Ways to start a worker, the best first; those that fail are removed. With none left the main thread works. */
  readonly rungs: (() => Worker)[]
  /** 0 to 1. */
  readonly onProgress: (shareDone: number) => void
  readonly pause: BackgroundPause
  readonly stop: AbortSignal
  /** True if other work may be requested. */
  readonly mayAsk: boolean
  /** True if no form waits for the work. */
  readonly isWhole: boolean
}

/** Milliseconds of work after which a part is handed in although no form waits: people do not look at an empty page for longer. */
const WHOLE_MS = 60_000

/**
 * Does the work of a challenge: every lane takes chunks until enough is found, or a part once the time of the challenge is over. Returns
 * undefined if the engine is slow and other work may be requested.
 */
export async function solveWork(
  { work, key }: ChallengeAnswer,
  options: SolverOptions,
): Promise<Solved | undefined> {
  const { rungs, onProgress, pause, stop, mayAsk, isWhole } = options
  const started = steady()
  const isPb = work.a === 'pb.1'
  const setUp = {
    key: Int32Array.from(key),
    steps: work.s,
    threshold: hitThreshold(work.n),
    isPb,
    mayAsk,
  }
  const units = tally(work.n)
  const partAfterMs = isWhole ? Math.max(work.b, WHOLE_MS) : work.b
  let isPartEnough = false
  let isSlow = false
  const enoughHits = (): ReturnType<typeof units.result> =>
    units.result() ?? (isPartEnough ? units.part() : undefined)

  async function run(lane: Lane): Promise<void> {
    // Without pauses.
    let spent = 0
    while (!enoughHits() && !isSlow) {
      await pause.over()
      const began = steady()
      if (stop.aborted) throw new WidgetError(400)
      const chunk = units.nextChunk()
      if (!chunk) return
      const hits = await lane.run(chunk).catch(() => null)
      if (hits === null) return units.giveBack(chunk)
      if (!hits) {
        isSlow = true
        return
      }
      units.noteHits(chunk, hits)
      spent += steady() - began
      if (spent >= partAfterMs) isPartEnough = true
      onProgress(units.shareDone())
    }
  }

  await pause.over()
  const lanes = await hire(rungs, setUp)
  try {
    // Two chunks for each worker, so that it never waits.
    await Promise.all([...lanes, ...lanes.filter(({ isWorker }) => isWorker)].map(run))
    if (!enoughHits() && !isSlow) {
      const last = mainLane(setUp)
      lanes.push(last)
      await run(last)
    }
    if (isSlow) return undefined
    const hits = enoughHits() ?? units.part()
    if (!hits) throw new WidgetError(400)
    return { solution: spellSolution(work.n, hits), ms: steady() - started }
  } finally {
    for (const lane of lanes) lane.end()
  }
}

/** At most four workers, two on phones, whose other cores are slow. docs/design/work.md, "In the browser" */
function crewSize(): number {
  const isPhone = /Mobi|Android/.test(navigator.userAgent)
  return Math.max(1, Math.min(isPhone ? 2 : 4, navigator.hardwareConcurrency || 2))
}

async function hire(rungs: SolverOptions['rungs'], setUp: SetUp): Promise<Lane[]> {
  for (let rung = rungs[0]; rung; rung = rungs[0]) {
    const start = rung
    const hired = await Promise.allSettled(
      Array.from({ length: crewSize() }, () => workerLane(start, setUp)),
    )
    const lanes = hired.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (lanes.length) return lanes
    rungs.shift()
  }
  return [mainLane(setUp)]
}
