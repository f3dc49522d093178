import type { WireSignals } from '../../../src/wire.ts'
import { clock } from '../captured.ts'
import type { KeptWork } from '../work.ts'
import { automationSignals } from './automation.ts'
import { environmentSignals } from './environment.ts'
import { watchInput } from './input.ts'
import { type PageWatch, watchPage } from './page.ts'

export interface Visit extends Pick<PageWatch, 'touched' | 'working' | 'sent'> {
  /** What the visit shows, as JSON text. */
  summarise(work: KeptWork): string
  end(): void
}

/** Watches a visit; src/domain/signals.ts says what each count means. */
export function watchVisit(): Visit {
  const input = watchInput(document, () => clock.steady())
  const page = watchPage(document, () => clock.steady())
  return {
    touched: () => page.touched(),
    working: () => page.working(),
    sent: () => page.sent(),
    summarise(work) {
      const signals: WireSignals = {
        v: 1,
        automation: automationSignals(),
        input: input.summary(),
        page: page.summary(),
        environment: environmentSignals(work.workerFacts),
        work: { ms: Math.min(3_600_000, Math.round(work.ms / 10) * 10), workers: work.workers },
      }
      return JSON.stringify(signals)
    },
    end: () => input.end(),
  }
}
