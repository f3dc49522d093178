import type { WireSignals } from '../../../src/wire.ts'

type PageSignals = NonNullable<WireSignals['page']>

/** Watches whether the page was in sight while it worked. */
export function watchPage(page: Document) {
  let atWork: PageSignals = {}
  const noteWork = (): void => {
    atWork = { visible: Number(!page.hidden), focused: Number(page.hasFocus()) }
  }
  return {
    noteWork,
    summary(): PageSignals {
      // Work done in the background goes with a token that waited for the focus.
      if (page.hasFocus()) noteWork()
      return atWork
    },
  }
}
