import { announcer } from './announce.ts'
import { serviceAt } from './api.ts'
import { after, clock, request } from './browser-apis.ts'
import { isGone } from './errors.ts'
import type { Extras } from './extras.ts'
import { formGate, wasTouched } from './form.ts'
import { minting } from './token-keeper.ts'
import type { Options } from './options.ts'
import type { Patience } from './retry.ts'
import { watchPolicy } from './csp.ts'
import { needsExtras, type RareScript } from './rare-script.ts'
import { setUpFault } from './set-up.ts'
import { isBare, type Move, next, type State } from './state.ts'
import type { Step } from './step.ts'
import { pickLanguage, speakIn, wishesOf } from './texts.ts'
import { widgetView } from './view.ts'
import { loadRare, loadVisit, loadWords, type OwnScript, visitOf, type VisitScript } from './visit-script.ts'
import { workSupply } from './work.ts'
import { workSource } from './work-source.ts'

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
  remove(): void
}

/**
 * Joins state, service, solver, view and form.
 *
 * @param own our own script: the other files are asked for in the same way.
 */
export function mountWidget(container: HTMLElement, options: Options, own: OwnScript): Widget {
  let state: State = { at: 'idle' }
  let hasStarted = false
  let hasMissed = false
  let step: Step | undefined
  const stop = new AbortController()
  const { signal } = stop
  /** Work that goes on when the page is visible. */
  const paused: (() => void)[] = []
  const base = options.apiBase || `${location.origin}/`
  const service = serviceAt(base, request, after)
  const policy = watchPolicy(base, signal)
  const language = pickLanguage(wishesOf(options.language, container))
  const visit = visitOf(() => view.root, options, clock, after, signal)
  const announce = announcer(container, options, policy)
  let script: Promise<VisitScript>
  let loads = 0
  watch()
  const view = widgetView(container, options, pressed, signal)
  const fault = setUpFault(options)
  const patience: Patience = {
    wait: (ms) => new Promise((resolve) => after(ms, resolve)),
    random: Math.random,
    options,
    delayed: () => move({ is: 'delayed' }),
  }

  const rare = (): Promise<RareScript> => loadRare(base, own)
  const asksRare = needsExtras(container, options)
  const extras = async (): Promise<Extras | undefined> =>
    asksRare ? (await rare()).extend(container, options, signal) : undefined
  // Where the script cannot be had, the first token says so.
  extras().catch(() => {})
  const supply = workSupply({
    ...workSource({ options, fault, base, own, service, visit, view, loadRare: rare, visible, stop: signal }),
    isVisible: () => !document.hidden,
    tell: move,
    patience,
    clock,
    after,
  })

  const mint = minting({
    ticket: options.stepUp,
    extras,
    supply,
    hand: (body) => service.solve(body, signal),
    summarise: visit.summarise,
    // Where its script cannot be had, the visit goes on without.
    confirm: () =>
      rare().then(
        ({ showStep }) => (step = showStep(clock.steady, after, move)).pressed,
        () => undefined,
      ),
    tell: move,
    options,
    patience,
    clock,
    after,
  })

  const gate = formGate(container, {
    fieldName: options.responseField ? options.responseFieldName : undefined,
    after,
    stop: signal,
    touched() {
      visit.touched()
      if (options.start === 'focus' || hasStarted) wake()
    },
    isReady: mint.isForForm,
    hold: obtainAndSend,
    passing() {
      gate.put(mint.current())
      mint.toForm()
    },
    missed() {
      // The submit of the same press may follow, and is held.
      after(0, () => {
        if (hasMissed || gate.isHolding() || mint.current()) return
        hasMissed = true
        announce.report(107)
      })
    },
    stayed() {
      visit.sent()
      restock()
    },
  })

  /** Loads the second script. */
  function watch(): void {
    script = loadVisit(base, language, own, loads++)
    visit.join(script)
    // The work goes on, but the visit shows nothing. A policy is told of a moment after its refusal.
    script.catch(() => after(0, () => announce.report(policy.missing()[0] ? 205 : 200)))
  }

  function move(change: Move): void {
    if (signal.aborted) return
    const before = state
    state = next(state, change)
    if (state === before) return
    view.show(state)
    if (['minted', 'lapsed', 'reset'].includes(change.is)) gate.put(mint.current())
    if (state.at === before.at) return
    announce(before, state)
    if (state.at === 'verified') hasMissed = false
    if (state.at === 'ready' && rendersToken()) mint.obtain('script').catch(() => {})
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
    if (rendersToken()) mint.obtain().catch(() => {})
  }

  /** Work early: done while the form is being filled in. */
  function wake(): void {
    hasStarted = true
    // After a failure the visitor's own next step asks again, not each key that is typed.
    if (state.at !== 'failed' && state.at !== 'verified') supply.start(true)
  }

  function obtainAndSend(): void {
    hasStarted = true
    mint.obtain('form').then(
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
      isBare(state) ||
      (state.at === 'expired' && options.refreshExpired !== 'never')
    ) {
      if (isBare(state)) {
        watch()
        speak()
        mint.dropToken()
        move({ is: 'reset' })
      }
      hasStarted = true
      supply.start(true)
    }
  }

  async function visible(): Promise<void> {
    if (document.hidden && !signal.aborted) await new Promise<void>((resolve) => paused.push(resolve))
  }

  function goOn(): void {
    for (const resume of paused.splice(0)) resume()
  }

  function review(): void {
    if (document.hidden) return
    goOn()
    mint.review()
    supply.review()
    renewExpired()
  }

  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (!persisted) return
    gate.returned()
    // Whatever was handed out before is gone with the page that followed.
    if (mint.current() && !mint.isForForm()) {
      mint.dropToken()
      move({ is: 'reset' })
    }
    review()
  }

  function onOnline(): void {
    if (state.at === 'failed' ? isGone(state.code) : isBare(state)) again()
  }

  document.addEventListener('visibilitychange', review, { signal })
  window.addEventListener('pageshow', onPageShow, { signal })
  window.addEventListener('online', onOnline, { signal })

  function speak(): void {
    speakIn(language, {
      load: async () => (own.isPinned ? loadWords(base, language, own, signal) : (await script).texts),
      after,
      speak: (texts, spokenIn) => view.sayIn({ ...texts, ...options.texts }, spokenIn),
    })
  }
  speak()
  if (fault === 100 || options.start === 'load' || (options.start === 'focus' && wasTouched(container))) wake()

  return {
    execute() {
      hasStarted = true
      return mint.toScript().then((token) => {
        restock()
        return token
      })
    },
    stepUp(ticket) {
      hasStarted = true
      return mint.stepUp(ticket)
    },
    response: mint.current,
    isExpired: () => state.at === 'expired' || (state.at === 'verified' && !mint.current()),
    reset() {
      // A step that nobody will press is over, and its form goes on without.
      if (state.at === 'asking') step!.giveUp()
      mint.dropToken()
      move({ is: 'reset' })
      announce.reset()
      if (!hasStarted) return
      // The one after it will be as quick.
      mint.obtain('script').then(
        () => supply.start(true),
        () => {},
      )
    },
    refused() {
      mint.dropToken()
      move({ is: 'reset' })
      move({ is: 'failed', code: 302 })
    },
    restyle() {
      view.show(state)
      gate.put(mint.current())
    },
    remove() {
      stop.abort()
      goOn()
      supply.end()
      mint.dropToken()
      gate.end()
      view.end()
    },
  }
}
