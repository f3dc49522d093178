import type { WireProof, WireSignals } from '../../src/wire.ts'
import type { Options } from './options.ts'
import { answerProof } from './proof.ts'
import { automationSignals } from './signals/automation.ts'
import { environmentSignals } from './signals/environment.ts'
import { type InputWatch, watchInput } from './signals/input.ts'
import { watchPage } from './signals/page.ts'
import type { KeptWork } from './solver.ts'
import type { PressedStep } from './step.ts'

export type Visit = ReturnType<typeof watchVisit>

/** The input events of the page, shared by all its widgets. src/score/signals.ts explains each count. */
let input: InputWatch | undefined
let widgets = 0

/** Collects the signals of a visit, for one widget. */
export function watchVisit(options: Pick<Options, 'consoleProbe'>, stop: AbortSignal) {
  const page = watchPage(document)
  const proofs = new WeakMap<WireProof, number[][] | undefined>()
  widgets++
  input ??= attempt(() => watchInput(document))
  stop.addEventListener('abort', () => {
    if (--widgets) return
    input?.end()
    input = undefined
  })
  return {
    noteWork: page.noteWork,
    /** Answers the proof during the work, so that no submit waits for it. */
    prove(proof: WireProof | undefined): void {
      if (proof) proofs.set(proof, answer(proof))
    },
    /** Returns the signals as JSON text. */
    summarise({ ms, proof }: KeptWork, step: PressedStep | undefined): string {
      // Answered again if the page was not laid out then.
      const answers = proof && (proofs.get(proof) ?? answer(proof))
      const signals: WireSignals = {
        v: 1,
        ...(answers && { proof: asList(answers.map(asList)) }),
        // Asks the console again at the step.
        ...attempt(() => ({
          automation: automationSignals(options.consoleProbe, step !== undefined),
          environment: environmentSignals(),
        })),
        ...attempt(() => input && { input: input.summary() }),
        page: page.summary(),
        ...(step && { step }),
        work: { ms: Math.min(3_600_000, Math.round(ms / 10) * 10) },
      }
      return JSON.stringify(signals)
    },
  }
}

const answer = (proof: WireProof): number[][] | undefined => attempt(() => answerProof(proof))

/** Protects a list from a `toJSON` that the page has added to all lists. */
const asList = <T extends object>(list: T): T =>
  Object.defineProperty(list, 'toJSON', { value: undefined })

/** Returns undefined if `measure` throws: a page may have removed what it needs. */
function attempt<T>(measure: () => T): T | undefined {
  try {
    return measure()
  } catch {
    return undefined
  }
}
