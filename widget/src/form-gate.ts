import type { After } from './clock.ts'

/** The form around a widget: its field, its first touch, and its submits. */
export interface FormGate {
  /** Puts the token into the field ('' empties it). */
  put(token: string): void
  isHolding(): boolean
  /** Sends the held submit, with the button that was pressed. */
  release(): void
  /** The page came back from the browser's cache, so it did not leave. */
  returned(): void
  end(): void
}

export interface GateNeeds {
  /** undefined: no field. */
  readonly fieldName: string | undefined
  readonly after: After
  /** Ends the listening. */
  readonly stop: AbortSignal
  /** The visitor focuses, presses or fills in something of the form. */
  readonly touched: () => void
  /** Tells whether the field holds a token that may go with the form now. */
  readonly isReady: () => boolean
  /** A submit was stopped; `release` sends it. Called again for each further submit meanwhile. */
  readonly hold: () => void
  /** A submit goes on, to the page's own listeners and then, perhaps, to the server. */
  readonly passing: () => void
  /** A script reads the field, which is empty: it is about to send the form past our submit. */
  readonly missed: () => void
  /** It went, and the page is still here. */
  readonly stayed: () => void
}

/** A page that is still here so long after a submit has not left: a download, a 204, a server that is away. Milliseconds. */
const LEAVING_MS = 5000

export function formGate(container: HTMLElement, needs: GateNeeds): FormGate {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = needs.fieldName ?? ''
  // Markup that was saved and put back has an old token, and a server would read it first.
  container.querySelector('[type=hidden]')?.remove()
  container.append(field)
  let token = ''
  /** True while a press or a key is handled: scripts that send a form read it then. */
  let isPressing = false
  // `$(form).serialize()` and its like read no FormData.
  Object.defineProperty(field, 'value', {
    get() {
      if (!token && isPressing) needs.missed()
      return token
    },
    // oxlint-disable-next-line eslint/no-empty-function -- a form library that clears its fields has nothing to clear here
    set() {},
  })

  let submission: { form: HTMLFormElement; submitter: HTMLElement | null } | undefined
  let cancelLeaving: (() => void) | undefined
  let hasPassed = false
  let isEcho = false

  // Looked up each time: pages move nodes, and frameworks mount before they insert.
  const formNow = (): HTMLFormElement | null => container.closest('form')
  /** Where we listen, each with the tree it is the top of. */
  const stages = new Set<EventTarget>()

  /**
   * On the window we are before every listener of the page, framework roots included, so that none of them takes the held
   * submit for the real one. Submits do not leave a shadow tree; there its root has to do as well, from the first touch
   * after the page put us there.
   */
  function listen(): void {
    const root = container.getRootNode()
    for (const stage of root instanceof ShadowRoot ? [window, root] : [window]) {
      if (stages.has(stage)) continue
      stages.add(stage)
      for (const [name, listener] of listeners)
        stage.addEventListener(name, listener, { capture: true, signal: needs.stop })
    }
  }

  function onTouch(event: Event): void {
    listen()
    const target = event.composedPath()[0]
    if (target instanceof Node && formNow()?.contains(target)) needs.touched()
  }

  /** Remembers whether the next submit only repeats one: the second half of a double click, a key held down. */
  function onTrigger(event: Event): void {
    if (event instanceof KeyboardEvent) isEcho = event.repeat
    else if ((event as MouseEvent).detail > 0) isEcho = (event as MouseEvent).detail > 1
    // The submit of a click or a key follows in the same task; one made by a script later is no echo.
    isPressing = true
    needs.after(0, () => (isPressing = isEcho = false))
  }

  /** `new FormData(form)` and `form.submit()`. */
  function onRead(event: Event): void {
    if (token || event.target !== formNow() || !field.name) return
    ;(event as FormDataEvent).formData.delete(field.name)
    needs.missed()
  }

  function onSubmit(event: Event): void {
    const form = formNow()
    if (!form || event.target !== form || event.defaultPrevented) return
    if (cancelLeaving || (isEcho && hasPassed)) return stop(event)
    const { submitter } = event as SubmitEvent
    if (needs.isReady()) {
      submission = undefined
      return pass(event, form, submitter)
    }
    stop(event)
    submission = { form, submitter }
    needs.hold()
  }

  function pass(event: Event, form: HTMLFormElement, submitter: HTMLElement | null): void {
    hasPassed = true
    needs.passing()
    const target = submitter?.getAttribute('formtarget') ?? form.target
    const method = submitter?.getAttribute('formmethod') ?? form.method
    // After the page's own listeners had their say.
    needs.after(0, () => {
      const leaves = !event.defaultPrevented && (!target || target === '_self') && method !== 'dialog'
      if (!leaves) return needs.stayed()
      cancelLeaving = needs.after(LEAVING_MS, () => {
        cancelLeaving = undefined
        needs.stayed()
      })
    })
  }

  const listeners = [
    ['focusin', onTouch],
    ['pointerdown', onTouch],
    ['input', onTouch],
    ['click', onTrigger],
    ['keydown', onTrigger],
    ['submit', onSubmit],
    ['formdata', onRead],
  ] as const
  listen()

  return {
    put(now) {
      token = now
      field.setAttribute('value', now)
      if (field.parentNode !== container) container.append(field)
    },
    isHolding: () => submission !== undefined,
    release() {
      const sending = submission
      submission = undefined
      if (sending?.form.isConnected) send(sending.form, sending.submitter)
    },
    returned() {
      cancelLeaving?.()
      cancelLeaving = undefined
    },
    end() {
      cancelLeaving?.()
      field.remove()
    },
  }
}

function stop(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Submits as the visitor did: with the button's name, value and `formaction`, and with the page's validation. */
function send(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const belongs = submitter?.isConnected && (submitter as HTMLButtonElement).form === form
  if (!form.requestSubmit) {
    // Safari before 16.
    const button = belongs ? submitter : form.appendChild(document.createElement('button'))
    button.click()
    if (!belongs) button.remove()
  } else form.requestSubmit(belongs ? submitter : null)
}

/** Tells whether the visitor was in the form before our script arrived; an `autofocus` is nobody's touch. */
export function wasTouched(container: HTMLElement): boolean {
  const { userActivation } = navigator as { userActivation?: { hasBeenActive: boolean } }
  return Boolean(userActivation?.hasBeenActive && container.closest('form')?.contains(document.activeElement))
}
