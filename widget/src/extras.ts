import type { SolveAnswer } from '../../src/wire.ts'
import { after } from './browser-apis.ts'
import { defineElement } from './element.ts'
import { callBack, ELEMENT, type Options } from './options.ts'

/** Features that few pages ask for, by an option or by their address. */
export interface Extras {
  /** The pass that goes with the first form in place of a token, once. */
  pass(): Promise<SolveAnswer | undefined>
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
  let pass = options.pass || takePass()
  return {
    pass() {
      const token = pass
      pass = undefined
      const answer: SolveAnswer | undefined = token ? { token, expires_in: PASS_S } : undefined
      // A form cannot be sent while its submit is still being told of.
      return new Promise((resolve) => after(0, () => resolve(answer)))
    },
  }
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
