import type { SvcCaptchaEvents } from '../captcha.d.ts'
import { type ErrorNumber, ERRORS, isSetUp } from './errors.ts'
import { callBack, type Options } from './options.ts'
import { isRefused, missingSources } from './csp.ts'
import { after } from './clock.ts'
import type { State } from './state.ts'

export interface Announce {
  /** Another state was entered. */
  (before: State, now: State): void
  reset(): void
  /** An error that leaves the state as it is. */
  report(code: ErrorNumber): void
}

/** `detail` of each event. */
type Events = {
  [
    Name in keyof SvcCaptchaEvents as Name extends `svc-captcha:${infer Short}` ? Short : never
  ]: SvcCaptchaEvents[Name]['detail']
}

/** Milliseconds that a visitor has for the step: the life of a ticket. docs/api/api.md, "Limits" */
const STEP_MS = 600_000

/**
 * Tells the page, by events on the container and by its callbacks. docs/widget/widget.md, "The widget".
 *
 * A renewed token is no new event: a page that sends its form at `solved` would send it twice.
 */
export function announcer(container: HTMLElement, options: Options, base: string, stop: AbortSignal): Announce {
  function emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void {
    container.dispatchEvent(new CustomEvent(`svc-captcha:${name}`, { detail, bubbles: true, composed: true }))
  }

  let cancelStep: (() => void) | undefined
  stop.addEventListener('abort', () => cancelStep?.())

  function entered(before: State, now: State): void {
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

  function report(code: ErrorNumber): void {
    if (isSetUp(code)) tellMaker(code)
    else if (code === 200) void tellOfLocalNetwork()
    emit('error', { code, message: ERRORS[code], retryable: !isSetUp(code), directives: missingSources() })
    if (code === 400) callBack(options.unsupportedCallback)
    callBack(options.errorCallback, code)
  }

  return Object.assign(entered, {
    report,
    reset() {
      emit('reset', {})
      callBack(options.resetCallback)
    },
  })
}

/** Says in the console what the page's maker has to know. */
export function tellMaker(code: ErrorNumber): void {
  // oxlint-disable-next-line eslint/no-console -- the one place where the page's maker will look
  console.error(`svc-captcha: ${code} ${ERRORS[code]}`)
}

/** Browsers may keep a public page from addresses of the local network; then all that is seen is a failed call. */
async function tellOfLocalNetwork(): Promise<void> {
  try {
    const { state } = await navigator.permissions.query({ name: 'local-network-access' as PermissionName })
    if (state === 'denied')
      // oxlint-disable-next-line eslint/no-console -- as above
      console.error('svc-captcha: 200 Local Network Access denied')
  } catch {
    // Not every browser knows the name.
  }
}
