import { announcer, hintUntouched } from './announcer.ts'
import { backgroundPause, deadlineIn, request } from './clock.ts'
import { watchCsp } from './csp.ts'
import { isGone } from './errors.ts'
import { formGate, type GateEvents, wasTouched } from './form-gate.ts'
import type { Options } from './options.ts'
import type { Parts } from './parts.ts'
import { serviceAt } from './service.ts'
import { type Move, next, type State } from './state.ts'
import { showStep, type Step } from './step.ts'
import { pickLanguage, preferredLanguages, speakIn } from './texts.ts'
import { tokenKeeper } from './token-keeper.ts'
import { widgetView } from './view.ts'
import { watchVisit } from './visit.ts'
import { workSupply } from './work-supply.ts'

/** Widgets of markup that begin their work before a touch: more would slow a form that a visitor fills in. */
const MOST_SELF_STARTED = 4
let selfStarted = 0
/** A form is not sent by a press that is older. A browser gives up as well: Firefox ends a request without an answer after 300 s. */
const PRESS_COUNTS_MS = 300_000

export type Widget = ReturnType<typeof mountWidget>

/**
 * Mounts a widget: connects state, service, work, token, view and form.
 *
 * @param version the query of our script's address.
 * @param isOfScript whether a script of the page asked for it, rather than the container's class.
 */
export function mountWidget(
  container: HTMLElement,
  options: Options,
  workerFile: string,
  version: string,
  isOfScript: boolean,
) {
  let state: State = { at: 'idle' }
  let hasStarted = false
  let step: Step | undefined
  /** How long the visitor's last press can still send the form. */
  let pressCounts = deadlineIn(0)
  const stop = new AbortController()
  const { signal } = stop
  const base = options.apiBase || `${location.origin}/`
  watchCsp(base, signal)
  const language = pickLanguage(preferredLanguages(options.language, container))
  const announce = announcer(container, options, base, signal)
  const view = widgetView(container, options, pressed, signal)
  const visit = watchVisit(options, signal)
  const service = serviceAt(base)
  const pause = backgroundPause(signal)
  const parts: Parts = { options, service, visit, tell: move, pause, stop: signal, workerFile }
  const supply = workSupply(parts)
  const keeper = tokenKeeper(parts, supply, () => (step = showStep(move)).pressed)
  const events: GateEvents = {
    touched() {
      visit.touched()
      if (options.start === 'focus' || hasStarted) wake()
    },
    hold() {
      pressCounts = deadlineIn(PRESS_COUNTS_MS)
      void obtainAndSend()
    },
    cancelled: () => move({ is: 'cancelled' }),
    missed: () => announce.report(107),
    unsent() {
      move({ is: 'wanted', by: 'form', progress: 1 })
      move({ is: 'failed', code: 400 })
    },
    stayed() {
      visit.sent()
      move({ is: 'sent' })
      restock()
    },
  }
  const gate = formGate(container, options, keeper, events, signal, isOfScript)

  function move(change: Move): void {
    if (signal.aborted) return
    const before = state
    state = next(state, change)
    if (state === before) return
    view.show(state, gate.pressed())
    if (['minted', 'lapsed', 'reset'].includes(change.is)) gate.put(keeper.current())
    if (state.at === before.at) return
    announce.show(before, state)
    if (state.at === 'ready' && rendersToken()) keeper.obtain('script').catch(() => {})
    renewExpired()
  }

  /** Reports whether the work begins at once. Visitors may be able to write markup, so only a few widgets of markup may. */
  function mayStart(): boolean {
    if (options.start !== 'load' || isOfScript) return options.start === 'load'
    if (selfStarted >= MOST_SELF_STARTED) return false
    selfStarted++
    signal.addEventListener('abort', () => selfStarted--)
    return true
  }

  const rendersToken = (): boolean => options.execution === 'render'

  function renewExpired(): void {
    const isWanted = options.start !== 'manual' && options.refreshExpired === 'auto'
    if (state.at === 'expired' && isWanted && !document.hidden) supply.start(false)
  }

  /** After a token was used: prepares the next one, without an event. */
  function restock(): void {
    supply.start(true)
    if (rendersToken()) keeper.obtain().catch(() => {})
  }

  /** Starts the work while the form is being filled in. */
  function wake(): void {
    hasStarted = true
    // After a failure, a press or a submit retries, not each key.
    if (state.at !== 'failed' && state.at !== 'verified') supply.start(true)
  }

  async function obtainAndSend(): Promise<void> {
    hasStarted = true
    try {
      if (gate.opensWindow() || pressCounts() <= 0) {
        // No token is requested that cannot be sent.
        move({ is: 'wanted', by: 'form', progress: supply.progress() })
        await pause.during(supply.ready())
        if (isLate()) return
      }
      await keeper.obtain('form')
      if (!isLate()) gate.release()
    } catch {
      // Still held: "Try again" or the next submit sends it.
    }
  }

  /** Asks for another press if this one is too old: hours offline, or the browser would open no window for it. */
  function isLate(): boolean {
    const { userActivation } = navigator as { userActivation?: { isActive: boolean } }
    const isForgotten = gate.opensWindow() && userActivation?.isActive === false
    if (!gate.isHolding() || (!isForgotten && pressCounts() > 0)) return false
    gate.cancelHeld()
    move({ is: 'late' })
    return true
  }

  function pressed(event: Event): void {
    visit.touched()
    pressCounts = deadlineIn(PRESS_COUNTS_MS)
    if (state.at === 'asking') step!.press(event.isTrusted)
    else again()
  }

  /** Continues after a failure. */
  function again(): void {
    if (gate.isHolding()) void obtainAndSend()
    else if (
      state.at === 'failed' ||
      state.at === 'idle' ||
      (state.at === 'expired' && options.refreshExpired !== 'never')
    ) {
      hasStarted = true
      supply.start(true)
    }
  }

  function review(): void {
    if (document.hidden) return
    keeper.review()
    supply.review()
    renewExpired()
  }

  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (!persisted) return
    gate.returned()
    // The next page may have used the token.
    if (keeper.current() && !keeper.isForForm()) {
      keeper.dropToken()
      move({ is: 'reset' })
    }
    review()
  }

  function onOnline(): void {
    if (state.at === 'failed' && isGone(state.code)) again()
  }

  document.addEventListener('visibilitychange', review, { signal })
  window.addEventListener('pageshow', onPageShow, { signal })
  window.addEventListener('online', onOnline, { signal })

  const words = `${base}assets/captcha-text-${language}.json${version}`
  const init = { credentials: 'omit', referrerPolicy: 'origin', signal } as const
  speakIn(
    language,
    async () => (await request(words, init)).json(),
    (texts, spokenIn) => view.setTexts({ ...texts, ...options.texts }, spokenIn),
  )
  if (!options.sitekey || mayStart() || (options.start === 'focus' && wasTouched(container))) wake()

  return {
    execute(): Promise<string> {
      hasStarted = true
      hintUntouched(options.sitekey)
      return keeper.toScript().then((token) => {
        restock()
        return token
      })
    },
    stepUp(ticket: string): Promise<string> {
      hasStarted = true
      return keeper.stepUp(ticket)
    },
    /** Takes the current token away from the form, which gets another one. */
    spend(): void {
      keeper.dropToken()
      move({ is: 'reset' })
      restock()
    },
    response: keeper.current,
    isExpired: (): boolean =>
      state.at === 'expired' || (state.at === 'verified' && !keeper.current()),
    reset(): void {
      // The held form continues without the step.
      if (state.at === 'asking') step!.giveUp()
      keeper.dropToken()
      move({ is: 'reset' })
      announce.reset()
      if (!hasStarted) return
      // So that the next one is as quick.
      keeper.obtain('script').then(
        () => supply.start(true),
        () => {},
      )
    },
    /** The customer's server did not accept the token. */
    refused(): void {
      keeper.dropToken()
      move({ is: 'reset' })
      move({ is: 'failed', code: 302 })
    },
    /** The options, or the page around the widget, have changed. */
    restyle(): void {
      view.show(state, null)
      gate.put(keeper.current())
    },
    isHolding: () => gate.isHolding(),
    remove(): void {
      stop.abort()
      supply.end()
      keeper.dropToken()
      gate.end()
      view.end()
    },
  }
}
