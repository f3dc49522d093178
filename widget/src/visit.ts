import type { WireProof, WireSignals } from '../../src/wire.ts'
import { steady } from './clock.ts'
import type { Options } from './options.ts'
import { answerProof } from './proof.ts'
import { automationSignals } from './signals/automation.ts'
import { environmentSignals } from './signals/environment.ts'
import { type InputWatch, watchInput } from './signals/input.ts'
import { type PageWatch, watchPage } from './signals/page.ts'
import type { PressedStep } from './step.ts'
import type { KeptWork } from './work-supply.ts'

/** A visit as one widget sees it. */
export interface Visit extends Pick<PageWatch, 'touched' | 'working' | 'sent'> {
  /** Answers the proof while the work is done, so that no submit waits for it. */
  prove(proof: WireProof | undefined): void
  /** Sums the visit up, as JSON text. */
  readonly summarise: (work: KeptWork, step: PressedStep | undefined) => string
}

/** How the page is used, watched once for all its widgets. src/score/signals.ts says what each count means. */
let input: InputWatch | undefined
let widgets = 0

/** Watches the visit of one widget until `stop`. */
export function watchVisit(options: Pick<Options, 'consoleProbe'>, stop: AbortSignal): Visit {
  const page = watchPage(document, steady)
  const proofs = new WeakMap<WireProof, number[][] | undefined>()
  widgets++
  input ??= attempt(() => watchInput(document))
  stop.addEventListener('abort', () => {
    if (--widgets) return
    input?.end()
    input = undefined
  })
  return {
    ...page,
    prove(proof) {
      page.challenged()
      if (proof) proofs.set(proof, answer(proof))
    },
    summarise({ ms, proof }, step) {
      // Once more where the page was not laid out then.
      const answers = proof && (proofs.get(proof) ?? answer(proof))
      const signals: WireSignals = {
        v: 1,
        ...(answers && { proof: asList(answers.map(asList)) }),
        // That of a step looks again.
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

/** A list that is written as one, also where the page has given all lists a `toJSON` of its own. */
const asList = <T extends object>(list: T): T => Object.defineProperty(list, 'toJSON', { value: undefined })

/** Watching never stops the widget: a page may have taken away what the watching needs. */
function attempt<T>(watching: () => T): T | undefined {
  try {
    return watching()
  } catch {
    return undefined
  }
}
