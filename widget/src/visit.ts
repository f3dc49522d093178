// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import inlined from 'inline:texts'
import { watchInput } from './signals/input.ts'
import { watchAutomation } from './signals/automation.ts'
import { environmentSignals } from './signals/environment.ts'
import type { VisitScript, Watch } from './visit-script.ts'

/**
 * The second script, `captcha-visit-LANGUAGE.js`: what watches the visit, and the words of the language, in one
 * request. The pages that load it do so by visit-script.ts.
 */
export const texts: VisitScript['texts'] = inlined

export { answerProof } from './proof/answer.ts'

let watch: (Watch & { readonly end: () => void }) | undefined
let widgets = 0

/** Watches the page, once for all its widgets. src/domain/score/signals.ts says what each count means. */
export const watchVisit: VisitScript['watchVisit'] = (place) => {
  watch ??= begin(place)
  widgets++
  const mine = watch
  return {
    summary: mine.summary,
    end() {
      if (--widgets) return
      mine.end()
      watch = undefined
    },
  }
}

function begin(place: Node): NonNullable<typeof watch> {
  const input = watchInput(document, import.meta.url)
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
