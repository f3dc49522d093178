import type { WireProof, WireSignals } from '../../src/wire.ts'
import { steady } from './clock.ts'
import type { Options } from './options.ts'
import { answerProof } from './proof/answer.ts'
import { automationSignals } from './signals/automation.ts'
import { environmentSignals } from './signals/environment.ts'
import { watchInput } from './signals/input.ts'
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

interface Watch {
  /** @param probes whether the console may be asked who listens. */
  readonly summary: (probes: boolean) => WireSignals
  readonly end: () => void
}

/** Watches the page, once for all its widgets. src/score/signals.ts says what each count means. */
let shared: Watch | undefined
let widgets = 0

/** Watches the visit of one widget until `stop`. */
export function watchVisit(options: Pick<Options, 'consoleProbe'>, stop: AbortSignal): Visit {
  const page = watchPage(document, steady)
  const proofs = new WeakMap<WireProof, number[][] | undefined>()
  const watch = joinIn()
  stop.addEventListener('abort', () => {
    if (--widgets) return
    shared?.end()
    shared = undefined
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
      const watched = attempt(() => watch?.summary(options.consoleProbe)) ?? {}
      const signals: WireSignals = {
        v: 1,
        ...(answers && { proof: asList(answers.map(asList)) }),
        ...watched,
        page: page.summary(),
        ...(step && { step }),
        work: { ms: Math.min(3_600_000, Math.round(ms / 10) * 10) },
      }
      return JSON.stringify(signals)
    },
  }
}

const answer = (proof: WireProof): number[][] | undefined => attempt(() => answerProof(proof))

function joinIn(): Watch | undefined {
  widgets++
  return (shared ??= attempt(begin))
}

function begin(): Watch {
  const input = watchInput(document)
  return {
    // The automation signals are taken at each summary: that of a step looks again.
    summary: (probes) => ({
      automation: automationSignals(probes),
      input: input.summary(),
      environment: environmentSignals(),
    }),
    end: input.end,
  }
}

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
