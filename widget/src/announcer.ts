import type { SvcCaptchaEvents } from '../captcha.d.ts'
import { userActivation } from './activation.ts'
import { after } from './clock.ts'
import { isRefused, missingSources, watchCsp } from './csp.ts'
import { tellDeveloper } from './developer-log.ts'
import { type ErrorNumber, ERRORS, isSetUp } from './errors.ts'
import { callBack, type Options } from './options.ts'
import type { State } from './state.ts'

type EventName = 'statechange' | 'solved' | 'expired' | 'error' | 'reset'

/** The lifetime of a ticket, which is the time that a visitor has for the step. Milliseconds. docs/api/api.md, "Limits" */
const STEP_MS = 600_000

export type Announcer = ReturnType<typeof announcer>

/**
 * Notifies the page, by events on the container and by its callbacks (docs/widget/widget.md, "The widget"). A renewed token is not an
 * event: a page that sends its form on `solved` would send it twice.
 */
export function announcer(
  container: HTMLElement,
  options: Options,
  base: string,
  stop: AbortSignal,
) {
  function emit<Name extends EventName>(
    name: Name,
    detail: SvcCaptchaEvents[`svc-captcha:${Name}`]['detail'],
  ): void {
    container.dispatchEvent(
      new CustomEvent(`svc-captcha:${name}`, { detail, bubbles: true, composed: true }),
    )
  }

  watchCsp(base, stop)
  let cancelStep: (() => void) | undefined
  stop.addEventListener('abort', () => cancelStep?.())

  /** Reports a new state. */
  function showState(before: State, now: State): void {
    emit('statechange', { state: now.at, previous: before.at })
    if (before.at === 'asking') {
      cancelStep?.()
      callBack(options.afterInteractiveCallback)
    }
    if (now.at === 'asking') {
      callBack(options.beforeInteractiveCallback)
      cancelStep = after(STEP_MS, () => callBack(options.timeoutCallback))
    }
    if (now.at === 'verified') {
      emit('solved', { token: now.token })
      callBack(options.callback, now.token)
    } else if (now.at === 'expired') {
      emit('expired', {})
      callBack(options.expiredCallback)
    } else if (now.at === 'failed') {
      report(now.code === 200 && isRefused(base) ? 205 : now.code)
    }
  }

  /** Reports an error; the state may stay as it is. */
  function report(code: ErrorNumber): void {
    if (isSetUp(code)) logError(code)
    emit('error', {
      code,
      message: ERRORS[code],
      retryable: !isSetUp(code),
      directives: missingSources(),
    })
    if (code === 400) callBack(options.unsupportedCallback)
    callBack(options.errorCallback, code)
  }

  return {
    showState,
    report,
    reset() {
      emit('reset', {})
      callBack(options.resetCallback)
    },
  }
}

/** Logs an error for the developer of the page. */
export function logError(code: ErrorNumber): void {
  tellDeveloper('error', `${code} ${ERRORS[code]}`)
}

let hasHinted = false
/** Tells a developer once, on this machine or with `hv test-server`, how a token scores that a script requests on an untouched page. */
export function hintUntouched(sitekey: string): void {
  // Plain http is a secure context only on this machine.
  const isTrial =
    (isSecureContext && location.protocol === 'http:') || sitekey === 'hv_site_testsite'
  if (hasHinted || !isTrial || userActivation().hasBeenActive !== false) return
  hasHinted = true
  tellDeveloper('info', 'an untouched visit scores 0.48')
}
