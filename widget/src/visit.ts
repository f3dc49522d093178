import type { WireProof, WireSignals } from '../../src/wire.ts'
import { clock } from './browser-apis.ts'
import type { Options } from './options.ts'
import { answerProof } from './proof/answer.ts'
import { watchAutomation } from './signals/automation.ts'
import { environmentSignals } from './signals/environment.ts'
import { watchInput } from './signals/input.ts'
import { type PageWatch, watchPage } from './signals/page.ts'
import type { PressedStep } from './step.ts'
import type { KeptWork } from './work-supply.ts'
import type { WorkerFacts } from './worker-messages.ts'

/** A visit as one widget sees it. */
export interface Visit extends Pick<PageWatch, 'touched' | 'working' | 'sent'> {
  /** Answers the proof while the work is done, so that no submit waits for it. */
  prove(proof: WireProof | undefined): void
  /** Sums the visit up, as JSON text. */
  readonly summarise: (work: KeptWork, step: PressedStep | undefined) => Promise<string>
}

interface Watch {
  /** @param probes whether the console may be asked who listens. */
  readonly summary: (worker: WorkerFacts | undefined, probes: boolean) => WireSignals
  readonly end: () => void
}

/** Watches the page, once for all its widgets. src/domain/score/signals.ts says what each count means. */
let shared: Watch | undefined
let widgets = 0

/**
 * Watches the visit of one widget until `stop`.
 *
 * @param place where something may be put for a moment, out of the page's sight.
 * @param own the address of our own script.
 */
export function watchVisit(place: Node, options: Pick<Options, 'consoleProbe'>, own: string, stop: AbortSignal): Visit {
  const page = watchPage(document, clock.steady)
  const proofs = new WeakMap<WireProof, ReturnType<typeof answerProof>>()
  const watch = joinIn(place, own)
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
    async summarise({ ms, workers, workerFacts, proof }, step) {
      // Once more where the page was not laid out then.
      const answers = proof && ((await proofs.get(proof)) ?? (await answer(proof)))
      const watched = attempt(() => watch?.summary(workerFacts, options.consoleProbe)) ?? {}
      const signals: WireSignals = {
        v: 1,
        ...(answers && { proof: asList(answers.map(asList)) }),
        ...watched,
        page: { ...watched.page, ...page.summary() },
        ...(step && { step }),
        work: { ms: Math.min(3_600_000, Math.round(ms / 10) * 10), workers },
      }
      return JSON.stringify(signals)
    },
  }
}

const answer = (proof: WireProof): ReturnType<typeof answerProof> => answerProof(proof).catch(() => undefined)

function joinIn(place: Node, own: string): Watch | undefined {
  widgets++
  return (shared ??= attempt(() => begin(place, own)))
}

function begin(place: Node, own: string): Watch {
  const input = watchInput(document, own)
  const automation = watchAutomation(place)
  return {
    summary(worker, probes) {
      const { input: counts, scripted, loneFocus } = input.summary()
      return {
        automation: {
          ...automation.summary(scripted, probes),
          ...(worker?.isListened !== undefined && { workerConsole: Number(worker.isListened) }),
        },
        input: counts,
        page: { loneFocus },
        environment: environmentSignals(worker),
      }
    },
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
