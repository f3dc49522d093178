import type { WireSignals } from '../../../src/wire.ts'

type PageSignals = NonNullable<WireSignals['page']>

export interface PageWatch {
  /** The form was touched; only the first time counts. */
  touched(): void
  /** The work starts. */
  working(): void
  /** A challenge is here: what is told of time is told from here on, because the service looks at its own clock. */
  challenged(): void
  /** The form was sent: the next one is filled in from its own first touch. */
  sent(): void
  summary(): PageSignals
}

/** When the form was touched and how long it took, rounded to a tenth of a second. */
export function watchPage(page: Document, clock: () => number): PageWatch {
  let firstTouch: number | undefined
  let challengedAt = 0
  let atWork: Pick<PageSignals, 'visible' | 'focused'> = {}
  return {
    touched: () => void (firstTouch ??= clock()),
    working() {
      atWork = { visible: Number(!page.hidden), focused: Number(page.hasFocus()) }
    },
    challenged: () => void (challengedAt = clock()),
    sent: () => void (firstTouch = undefined),
    summary: (): PageSignals => ({
      ...atWork,
      ...(firstTouch !== undefined && {
        firstTouch: tenths(firstTouch, 600_000),
        filling: tenths(clock() - Math.max(firstTouch, challengedAt), 3_600_000),
      }),
    }),
  }
}

const tenths = (ms: number, max: number): number => Math.min(max, Math.round(ms / 100) * 100)
