import type { Options } from './options.ts'
import type { Parts } from './parts.ts'
import type { TokenKeeper } from './token-keeper.ts'
import type { WorkSupply } from './work-supply.ts'

export type WorkSchedule = ReturnType<typeof workSchedule>

/** Decides when work is done and tokens are requested: at the first touch, after one was used, and when one has expired. */
export function workSchedule({ options, state }: Parts, supply: WorkSupply, keeper: TokenKeeper) {
  let hasStarted = false
  const rendersToken = (): boolean => options.execution === 'render'

  /** Starts the work while the form is being filled in. */
  function wake(): void {
    hasStarted = true
    const { at } = state.current()
    // After a failure, a press or a submit retries, not each key.
    if (at !== 'failed' && at !== 'verified') supply.start(true)
  }

  function renewExpired(): void {
    const isWanted = options.start !== 'manual' && options.refreshExpired === 'auto'
    if (state.current().at === 'expired' && isWanted && !document.hidden) supply.start(false)
  }

  return {
    wake,
    renewExpired,
    /** Notes that the widget is used, so that it stays in use. */
    noteUse(): void {
      hasStarted = true
    },
    /** The visitor has touched the form. */
    onTouch(): void {
      if (options.start === 'focus' || hasStarted) wake()
    },
    /** The state has changed. */
    onState(): void {
      if (state.current().at === 'ready' && rendersToken())
        keeper.requestToken('script').catch(() => {})
      renewExpired()
    },
    /** After a token was used: prepares the next one, without an event. */
    restock(): void {
      supply.start(true)
      if (rendersToken()) keeper.requestToken().catch(() => {})
    },
    /** After a reset: prepares the next token, so that it is as quick. */
    refill(): void {
      if (!hasStarted) return
      keeper.requestToken('script').then(
        () => supply.start(true),
        () => {},
      )
    },
    /** Continues after a failure, or where the visitor starts the work. */
    again(): void {
      const { at } = state.current()
      const isOver = at === 'expired' && options.refreshExpired !== 'never'
      if (at !== 'failed' && at !== 'idle' && !isOver) return
      hasStarted = true
      supply.start(true)
    },
  }
}

/** Widgets of markup that begin their work before a touch: more would slow a form that a visitor fills in. */
const MOST_SELF_STARTED = 4
let selfStarted = 0

/** Reports whether the work begins at once. Visitors may be able to write markup, so only a few widgets of markup may. */
export function mayStart({ start }: Options, isOfScript: boolean, stop: AbortSignal): boolean {
  if (start !== 'load' || isOfScript) return start === 'load'
  if (selfStarted >= MOST_SELF_STARTED) return false
  selfStarted++
  stop.addEventListener('abort', () => selfStarted--)
  return true
}
