import type { WireSignals } from '../../../src/wire.ts'

type PageSignals = NonNullable<WireSignals['page']>

export interface PageWatch {
  /** The form was touched; only the first time counts. */
  touched(): void
  /** The work starts. */
  working(): void
  /** The form was sent: the next one is filled in from its own first touch. */
  sent(): void
  summary(): PageSignals
}

/** When the form was touched and how long it took, rounded to a tenth of a second. */
export function watchPage(page: Document, clock: () => number): PageWatch {
  let firstTouch: number | undefined
  let atWork: Pick<PageSignals, 'visible' | 'focused'> = {}
  return {
    touched: () => void (firstTouch ??= clock()),
    working() {
      atWork = { visible: Number(!page.hidden), focused: Number(page.hasFocus()) }
    },
    sent: () => void (firstTouch = undefined),
    summary: () => ({
      ...atWork,
      ...(firstTouch !== undefined && {
        firstTouch: tenths(firstTouch, 600_000),
        filling: tenths(clock() - firstTouch, 3_600_000),
      }),
    }),
  }
}

const tenths = (ms: number, max: number): number => Math.min(max, Math.round(ms / 100) * 100)
