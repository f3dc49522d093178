import type { SolveAnswer, WireSignals } from '../../src/wire.ts'
import type { SolveBody } from './api.ts'
import { boundText, digestOf } from './bind.ts'
import { after } from './browser-apis.ts'
import { defineElement } from './element.ts'
import { layHoneypot } from './honeypot.ts'
import { callBack, ELEMENT, type Options } from './options.ts'

/** Features that few pages ask for, by an option or by their address. */
export interface Extras {
  /** The pass that goes with the first form in place of a token, once. */
  pass(): Promise<SolveAnswer | undefined>
  /** Adds what the page's options ask for to a solution: the digest of the bound fields, and the honeypot. */
  add(body: SolveBody): void
  /** The digest of the bound fields as they are now, for the last challenge; undefined where the page binds none. */
  bind(): string | undefined
}

/** Seconds that a pass is kept for the form; the service knows its life. */
const PASS_S = 600
/** Milliseconds that a visitor has for the step: the life of a ticket. docs/design/contract.md, "Limits" */
const STEP_MS = 600_000

const extrasOf = new WeakMap<AbortSignal, Extras>()

/** @param stop ends with the widget. */
export function extend(container: HTMLElement, options: Options, stop: AbortSignal): Extras {
  let extras = extrasOf.get(stop)
  if (!extras) extrasOf.set(stop, (extras = begin(container, options, stop)))
  return extras
}

function begin(container: HTMLElement, options: Options, stop: AbortSignal): Extras {
  if (container.localName === ELEMENT) defineElement()
  tellOfStep(container, options, stop)
  const bind = binding(container, options, stop)
  const honeypot = layHoneypot(container, options, stop)
  let pass = options.pass || takePass()
  return {
    pass() {
      const token = pass
      pass = undefined
      const answer: SolveAnswer | undefined = token ? { token, expires_in: PASS_S } : undefined
      // A form cannot be sent while its submit is still being told of.
      return new Promise((resolve) => after(0, () => resolve(answer)))
    },
    add(body) {
      Object.assign(body, { signals: withHoneypot(body.signals, honeypot()), bind: bind(body.challenge) })
    },
    bind,
  }
}

function withHoneypot(signals: string, isFilled: boolean | undefined): string {
  if (isFilled === undefined) return signals
  const summary = JSON.parse(signals) as WireSignals
  return JSON.stringify({ ...summary, page: { ...summary.page, honeypot: Number(isFilled) } })
}

/** Takes the pass out of the address, `#hv=…`: no server is sent it, and it is for the first widget that looks. */
function takePass(): string | undefined {
  const [, page, pass] = /(.*)#hv=([\w.-]+)$/.exec(location.href) ?? []
  if (pass) history.replaceState(history.state, '', page)
  return pass
}

/** Calls the page before and after the visitor is asked for the step, and when nobody has pressed while it counted. */
function tellOfStep(container: HTMLElement, options: Options, signal: AbortSignal): void {
  let cancel: (() => void) | undefined
  container.addEventListener(
    'svc-captcha:statechange',
    (event) => {
      const { state, previous } = (event as CustomEvent<{ state: string; previous: string }>).detail
      if (state === 'asking') {
        callBack(options.beforeInteractiveCallback)
        cancel = after(STEP_MS, () => callBack(options.timeoutCallback))
      } else if (previous === 'asking') {
        cancel?.()
        callBack(options.afterInteractiveCallback)
      }
    },
    { signal },
  )
  signal.addEventListener('abort', () => cancel?.())
}

/** The digest of the bound fields. A page that shows its token at once (`data-execution="render"`) gets another after an edit. */
function binding(container: HTMLElement, options: Options, signal: AbortSignal) {
  let lastText = ''
  let last: string | undefined
  const text = (): string => boundText(container, options.bind ?? '')
  const renew = (): void => {
    const api = window.svcCaptcha!
    if (options.execution === 'render' && api.getResponse(container) && lastText !== text()) api.reset(container)
  }
  if (options.bind) {
    document.addEventListener('change', renew, { signal })
    // A visitor may have typed while the token was on its way.
    container.addEventListener('svc-captcha:solved', () => after(0, renew), { signal })
  }
  /** @param challenge left out: the last. */
  return (challenge = last): string | undefined => {
    if (!options.bind || !challenge) return undefined
    const now = text()
    if (challenge !== last) lastText = now
    return digestOf(now, (last = challenge))
  }
}
