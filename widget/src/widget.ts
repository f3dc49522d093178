import { announcer } from './announce.ts'
import { serviceAt } from './api.ts'
import { after, clock, request } from './captured.ts'
import { type ErrorNumber, isSetUp } from './errors.ts'
import { formGate } from './form.ts'
import { minting } from './minting.ts'
import type { Options } from './options.ts'
import type { Patience } from './persist.ts'
import { watchPolicy } from './policy.ts'
import { KNOWN_PROOF } from './proof/version.ts'
import { workerRungs } from './rungs.ts'
import { solveWork } from './solver.ts'
import { type Move, next, type State } from './state.ts'
import { pickLanguage, speakIn, type Texts, wishesOf } from './texts.ts'
import { widgetView } from './view.ts'
import { loadVisit, type OwnScript, visitAddress, visitOf } from './visit-script.ts'
import { workSupply } from './work.ts'

/** One container, brought to life. */
export interface Widget {
  /** @throws {WidgetError} */
  execute(): Promise<string>
  response(): string
  isExpired(): boolean
  reset(): void
  remove(): void
}

/** 1 to 64 of `A-Z a-z 0-9 _ - / .`; CONTRACT.md, section 3. */
const ACTION = /^[A-Za-z0-9_\-/.]{1,64}$/

/**
 * Joins state, service, solver, view and form.
 *
 * @param own our own script: the other files are asked for in the same way.
 */
export function mountWidget(container: HTMLElement, options: Options, own: OwnScript): Widget {
  let state: State = { at: 'idle' }
  let hasStarted = false
  const stop = new AbortController()
  const base = options.apiBase || `${location.origin}/`
  const service = serviceAt(base, request, after)
  const policy = watchPolicy(base)
  const language = pickLanguage(wishesOf(options.language, container))
  const address = visitAddress(base, language, own)
  const script = loadVisit(address, own)
  const visit = visitOf(script, () => view.root, clock, after)
  const announce = announcer(container, options, policy)
  const view = widgetView(container, options, pressed)
  const setUpFault: ErrorNumber | undefined = !options.sitekey
    ? 100
    : !ACTION.test(options.action)
      ? 101
      : !options.apiBase
        ? 106
        : // A sandboxed frame without `allow-same-origin`, or a file: a site cannot list it.
          window.origin === 'null'
          ? 103
          : undefined

  const patience: Patience = {
    wait: (ms) => new Promise((resolve) => after(ms, resolve)),
    random: Math.random,
    delayed: () => move({ is: 'delayed' }),
  }

  const rungs = workerRungs(base, address, own, view.root)
  const supply = workSupply({
    ask: (algorithm) => {
      if (setUpFault) return Promise.resolve({ is: 'refused', code: setUpFault })
      visit.working()
      return service.challenge(
        { sitekey: options.sitekey, action: options.action, cdata: options.cdata, proof: KNOWN_PROOF, algorithm },
        stop.signal,
      )
    },
    solve(answer, progressed, mayAsk) {
      if (answer.test) view.markTest()
      visit.prove(answer.proof)
      return solveWork(answer, { rungs, progressed, visible, stop: stop.signal, mayAsk })
    },
    isVisible: () => !document.hidden,
    tell: move,
    patience,
    clock,
    after,
  })

  const mint = minting({
    supply,
    hand: (body) => service.solve(body, stop.signal),
    summarise: (work) => visit.summarise(work),
    tell: move,
    patience,
    clock,
    after,
  })

  const gate = formGate(container, {
    fieldName: options.responseFieldName,
    after,
    touched() {
      visit.touched()
      if (options.start === 'focus' || hasStarted) wake()
    },
    isReady: () => mint.isForForm(),
    held: obtainAndSend,
    passing() {
      gate.put(mint.current())
      mint.toForm()
    },
    stayed() {
      visit.sent()
      supply.start(true)
    },
  })

  function move(made: Move): void {
    if (stop.signal.aborted) return
    const before = state
    state = next(state, made)
    if (state === before) return
    view.show(state)
    if (made.is === 'minted' || made.is === 'lapsed' || made.is === 'reset') gate.put(mint.current())
    if (state.at === before.at) return
    announce(before, state)
    if (state.at === 'expired' && options.start !== 'manual' && !document.hidden) supply.start(false)
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

  function pressed(): void {
    visit.touched()
    if (gate.isHolding()) obtainAndSend()
    else if (state.at === 'failed' || state.at === 'idle' || state.at === 'expired') {
      hasStarted = true
      supply.start(true)
    }
  }

  function visible(): Promise<void> {
    if (!document.hidden) return Promise.resolve()
    return new Promise((resolve) => {
      const look = (): void => {
        if (document.hidden && !stop.signal.aborted) return
        document.removeEventListener('visibilitychange', look)
        stop.signal.removeEventListener('abort', look)
        resolve()
      }
      document.addEventListener('visibilitychange', look)
      stop.signal.addEventListener('abort', look)
    })
  }

  function review(): void {
    if (document.hidden) return
    mint.review()
    supply.review()
  }

  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (!persisted) return
    gate.returned()
    // Whatever was handed out before is gone with the page that followed.
    if (mint.current() && !mint.isForForm()) {
      mint.drop()
      move({ is: 'reset' })
    }
    review()
  }

  function onOnline(): void {
    if (state.at === 'failed' && !isSetUp(state.code) && state.wanted === 'nobody') supply.start(true)
  }

  document.addEventListener('visibilitychange', review)
  window.addEventListener('pageshow', onPageShow)
  window.addEventListener('online', onOnline)

  speakIn(language, {
    async load() {
      if (!own.isPinned) return (await script).texts
      const words = `${base}assets/captcha-text-${language}.json${own.version}`
      const answer = await request(words, { credentials: 'omit', referrerPolicy: 'origin', signal: stop.signal })
      return answer.json() as Promise<Partial<Texts>>
    },
    after,
    speak: (texts, spokenIn) => view.speak({ ...texts, ...options.texts }, spokenIn),
  })
  if (options.start === 'load' || (options.start === 'focus' && wasTouched(container))) wake()

  return {
    execute() {
      hasStarted = true
      return mint.toScript().then((token) => {
        // The next token from work already done.
        supply.start(true)
        return token
      })
    },
    response: () => mint.current(),
    isExpired: () => state.at === 'expired' || (state.at === 'verified' && !mint.current()),
    reset() {
      mint.drop()
      move({ is: 'reset' })
      announce.reset()
      if (!hasStarted) return
      // The one after it will be as quick.
      mint
        .obtain('script')
        .then(() => supply.start(true))
        .catch(() => {})
    },
    remove() {
      stop.abort()
      supply.end()
      mint.drop()
      gate.end()
      visit.end()
      policy.end()
      view.end()
      document.removeEventListener('visibilitychange', review)
      window.removeEventListener('pageshow', onPageShow)
      window.removeEventListener('online', onOnline)
    },
  }
}

/** Whether the visitor was in the form before our script arrived; an `autofocus` is nobody's touch. */
function wasTouched(container: HTMLElement): boolean {
  const { userActivation } = navigator as { userActivation?: { hasBeenActive: boolean } }
  return Boolean(userActivation?.hasBeenActive && container.closest('form')?.contains(document.activeElement))
}
