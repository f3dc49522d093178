import type { WireSignals } from '../../../src/wire.ts'

type PageSignals = NonNullable<WireSignals['page']>

/** Watches how long the form took from its first touch, to a tenth of a second. */
export function watchPage(page: Document, clock: () => number) {
  let firstTouch: number | undefined
  let challengedAt = 0
  let atWork: Pick<PageSignals, 'visible' | 'focused'> = {}
  const noteWork = (): void => {
    atWork = { visible: Number(!page.hidden), focused: Number(page.hasFocus()) }
  }
  return {
    /** Only the first touch counts. */
    noteTouch(): void {
      firstTouch ??= clock()
    },
    noteWork,
    /** Times start at the challenge, since the service compares them with its own clock. */
    noteChallenge(): void {
      challengedAt = clock()
    },
    /** The next form has its own first touch. */
    noteSend(): void {
      firstTouch = undefined
    },
    summary(): PageSignals {
      // Work done in the background goes with a token that waited for the focus.
      if (page.hasFocus()) noteWork()
      return {
        ...atWork,
        ...(firstTouch !== undefined && {
          filling: tenths(clock() - Math.max(firstTouch, challengedAt), 3_600_000),
        }),
      }
    },
  }
}

const tenths = (ms: number, max: number): number => Math.min(max, Math.round(ms / 100) * 100)
