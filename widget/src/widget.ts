import { announcer } from './announcer.ts'
import { request } from './clock.ts'
import { watchPolicy } from './csp.ts'
import { isGone } from './errors.ts'
import { formGate, type GateNeeds, wasTouched } from './form-gate.ts'
import type { Options } from './options.ts'
import { type Service, serviceAt } from './service.ts'
import { type Move, next, type State } from './state.ts'
import { showStep, type Step } from './step.ts'
import { pickLanguage, speakIn, wishesOf } from './texts.ts'
import { tokenKeeper } from './token-keeper.ts'
import { widgetView } from './view.ts'
import { type Visit, watchVisit } from './visit.ts'
import { workSupply } from './work-supply.ts'

/** How our own script was put into the page. */
export interface OwnScript {
  /** What follows the path of its address. */
  readonly version: string
  /** Its address as workers may load it; '' if they must not. */
  readonly workerFile: string
}

/** What the parts of one widget share. */
export interface Parts {
  readonly options: Options
  readonly service: Service
  readonly visit: Visit
  readonly tell: (move: Move) => void
  /** Aborted when the widget is taken down. */
  readonly stop: AbortSignal
  /** The address of our own script as a worker may load it; '' if it may not. */
  readonly workerFile: string
}

/** One container, brought to life. */
export interface Widget {
  /** @throws {WidgetError} */
  execute(): Promise<string>
  /** @throws {WidgetError} */
  stepUp(ticket: string): Promise<string>
  response(): string
  isExpired(): boolean
  reset(): void
  /** The customer's server did not accept the token. */
  refused(): void
  /** The options changed. */
  restyle(): void
  /** A submit waits for its token: what is taken out of the page meanwhile is still to be sent. */
  isHolding(): boolean
  remove(): void
}

/**
 * Joins state, service, solver, view and form.
 *
 * @param own how our own script was put into the page.
 */
export function mountWidget(container: HTMLElement, options: Options, { workerFile, version }: OwnScript): Widget {
  let state: State = { at: 'idle' }
  let hasStarted = false
  let step: Step | undefined
  const stop = new AbortController()
  const { signal } = stop
  const base = options.apiBase || `${location.origin}/`
  watchPolicy(base, signal)
  const language = pickLanguage(wishesOf(options.language, container))
  const announce = announcer(container, options, base, signal)
  const view = widgetView(container, options, pressed, signal)
  const visit = watchVisit(options, signal)
  const service = serviceAt(base)
  const parts: Parts = { options, service, visit, tell: move, stop: signal, workerFile }
  const supply = workSupply(parts)
  const keeper = tokenKeeper(parts, supply, () => (step = showStep(move)).pressed)
  const needs: GateNeeds = {
    touched() {
      visit.touched()
      if (options.start === 'focus' || hasStarted) wake()
    },
    hold: obtainAndSend,
    missed: () => announce.report(107),
    unsent() {
      move({ is: 'wanted', by: 'form', progress: 1 })
      move({ is: 'failed', code: 400 })
    },
    stayed() {
      visit.sent()
      restock()
    },
  }
  const gate = formGate(container, options, keeper, needs, signal)

  function move(change: Move): void {
    if (signal.aborted) return
    const before = state
    state = next(state, change)
    if (state === before) return
    view.show(state)
    if (['minted', 'lapsed', 'reset'].includes(change.is)) gate.put(keeper.current())
    if (state.at === before.at) return
    announce(before, state)
    if (state.at === 'ready' && rendersToken()) keeper.obtain('script').catch(() => {})
    renewExpired()
  }

  const rendersToken = (): boolean => options.execution === 'render'

  function renewExpired(): void {
    const isWanted = options.start !== 'manual' && options.refreshExpired === 'auto'
    if (state.at === 'expired' && isWanted && !document.hidden) supply.start(false)
  }

  /** After a token was used: work for the next one, or the next one itself. It is no event, as no renewal is. */
  function restock(): void {
    supply.start(true)
    if (rendersToken()) keeper.obtain().catch(() => {})
  }

  /** Work early: while the form is being filled in. */
  function wake(): void {
    hasStarted = true
    // After a failure the visitor's own next step asks again, not each key that is typed.
    if (state.at !== 'failed' && state.at !== 'verified') supply.start(true)
  }

  function obtainAndSend(): void {
    hasStarted = true
    keeper.obtain('form').then(
      () => gate.release(),
      () => {
        // Stays held: the visitor reads that it was not sent, and "Try again" or the next submit goes on with it.
      },
    )
  }

  function pressed(event: Event): void {
    visit.touched()
    if (state.at === 'asking') step!.press(event.isTrusted)
    else again()
  }

  /** Goes on where something was in the way. */
  function again(): void {
    if (gate.isHolding()) obtainAndSend()
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
    // Tokens handed out before are gone with the previous page.
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
    (texts, spokenIn) => view.sayIn({ ...texts, ...options.texts }, spokenIn),
  )
  if (!options.sitekey || options.start === 'load' || (options.start === 'focus' && wasTouched(container))) wake()

  return {
    execute() {
      hasStarted = true
      return keeper.toScript().then((token) => {
        restock()
        return token
      })
    },
    stepUp(ticket) {
      hasStarted = true
      return keeper.stepUp(ticket)
    },
    response: keeper.current,
    isExpired: () => state.at === 'expired' || (state.at === 'verified' && !keeper.current()),
    reset() {
      // A step that nobody will press is over, and its form goes on without.
      if (state.at === 'asking') step!.giveUp()
      keeper.dropToken()
      move({ is: 'reset' })
      announce.reset()
      if (!hasStarted) return
      // The one after it will be as quick.
      keeper.obtain('script').then(
        () => supply.start(true),
        () => {},
      )
    },
    refused() {
      keeper.dropToken()
      move({ is: 'reset' })
      move({ is: 'failed', code: 302 })
    },
    restyle() {
      view.show(state)
      gate.put(keeper.current())
    },
    isHolding: () => gate.isHolding(),
    remove() {
      stop.abort()
      supply.end()
      keeper.dropToken()
      gate.end()
      view.end()
    },
  }
}
