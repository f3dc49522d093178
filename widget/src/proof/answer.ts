import type { WireProof, WireProofTask } from '../../../src/wire.ts'
import { hearEvents } from './events.ts'
import { measureBoxes } from './boxes.ts'
import { matchElements } from './query.ts'
import { measurePath } from './path.ts'
import { openStage, type Stage } from './stage.ts'
import { writeTexts } from './texts.ts'
import { KNOWN_PROOF } from './version.ts'

/**
 * Does the tasks of a challenge, in one go, off the screen: nothing is left in the page afterwards.
 *
 * @returns a list per task, empty where this browser could not do it; undefined when nothing can be measured now, as in
 *   a frame that is not shown: ask again later.
 */
export async function answerProof({ v, tasks }: WireProof): Promise<number[][] | undefined> {
  const stage = v === KNOWN_PROOF ? openStage() : undefined
  if (!stage) return undefined
  const answers = tasks.map((task) => answer(task, stage))
  // Before anybody else runs: no script of the page, not even a MutationObserver, finds the stage there.
  stage.close()
  return Promise.all(answers)
}

/** By the kind of a task: the function that does it. */
const KINDS = { box: measureBoxes, path: measurePath, query: matchElements, intl: writeTexts, event: hearEvents }

async function answer(task: WireProofTask, stage: Stage): Promise<number[]> {
  try {
    return await KINDS[task[0]](task as never, stage)
  } catch {
    // An old browser, or a page that broke something: this one is wrong, the others may be right.
    return []
  }
}
