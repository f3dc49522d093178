import { tellMaker } from './announcer.ts'
import { after } from './clock.ts'
import type { ErrorNumber } from './errors.ts'
import { formAttribute, formMember, formOf, formOfContainer } from './form-owner.ts'
import { type HeldSubmit, holdSubmit, isRemembering, leavesWindow, wayOf } from './held-submit.ts'
import type { Options } from './options.ts'
import type { TokenKeeper } from './token-keeper.ts'

/** The form around a widget: its field, its first touch, and its submits. */
export interface FormGate {
  /** Puts the token into the field ('' empties it). */
  put(token: string): void
  isHolding(): boolean
  /** Sends the held submit as it was at the press; does nothing where the visitor has taken it back. */
  release(): void
  /** The page came back from the browser's cache, so it did not leave. */
  returned(): void
  end(): void
}

export interface GateNeeds {
  /** The visitor focuses, presses or fills in something of the form. */
  touched(): void
  /** A submit was stopped; `release` sends it. Called again for each further submit meanwhile. */
  hold(): void
  /** It went, and the page is still here. */
  stayed(): void
  /** The held submit could not be sent. */
  unsent(): void
  /** A script is about to send the form past our submit, without a token. */
  missed(): void
}

/** A page that is still here so long after a submit has not left: a download, a 204, a server that is away. Milliseconds. */
const LEAVING_MS = 5000

/** A button with it sends the form without waiting and without a token: "Back", "Save draft". */
const SKIP = 'data-svc-captcha-skip'

/** Of every widget: its form at this moment, and its field. */
const gates = new Set<{ readonly form: () => HTMLFormElement | null; readonly field: HTMLInputElement }>()

export function formGate(
  container: HTMLElement,
  { responseField, responseFieldName }: Options,
  keeper: TokenKeeper,
  needs: GateNeeds,
  signal: AbortSignal,
): FormGate {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = responseField ? responseFieldName : ''
  // Markup that was saved and put back has an old token, and a server would read it first.
  container.querySelector('[type=hidden]')?.remove()
  container.append(field)
  let token = ''
  /** True while a press or a key is handled: scripts that send a form read it then. */
  let isPressing = false
  // `$(form).serialize()` and its like read no FormData.
  Object.defineProperty(field, 'value', {
    get() {
      if (!token && isPressing) miss()
      return token
    },
    // oxlint-disable-next-line eslint/no-empty-function -- a form library that clears its fields has nothing to clear here
    set() {},
  })

  let held: HeldSubmit | undefined
  let sending: HeldSubmit | undefined
  /** True once the visitor has done something else since the press: what follows may be meant to take it back. */
  let hasActed = false
  let cancelLeaving: (() => void) | undefined
  let hasPassed = false
  let isEcho = false
  let isSkipping = false
  let hasMissed = false
  const said = new Set<ErrorNumber>()

  // Looked up each time: pages move nodes, and frameworks mount before they insert.
  const formNow = (): HTMLFormElement | null => formOfContainer(container)
  const mine = { form: formNow, field }
  gates.add(mine)
  /** Where we listen, each with the tree it is the top of. */
  const stages = new Set<EventTarget>()

  function say(code: ErrorNumber): void {
    if (said.has(code)) return
    said.add(code)
    tellMaker(code)
  }

  /** A script reads the field, which is empty. The submit of the same press may follow, and is held. */
  function miss(): void {
    after(0, () => {
      if (hasMissed || held || token) return
      hasMissed = true
      needs.missed()
    })
  }

  /** Tells whether another widget of the form has a field of the same name: one token is sent, and that is its. */
  function isSecond(): boolean {
    const form = formNow()
    const first = form && [...gates].find((one) => one.field.name === field.name && one.form() === form)
    return !!field.name && !!first && first !== mine
  }

  /** Puts the field where the form takes it along. */
  function place(): void {
    if (isSecond()) {
      say(108)
      return field.remove()
    }
    if (field.parentNode !== container) container.append(field)
    const form = formNow()
    if (!form || !field.name) return
    const id = formAttribute(form, 'id')
    if (field.form !== form && id) field.setAttribute('form', id)
    const others = [...formMember(form, 'elements')].filter((one) => (one as HTMLInputElement).name === field.name)
    if (others.some((one) => one !== field)) say(108)
  }
  // Frameworks mount before they insert.
  after(0, () => signal.aborted || place())

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
      for (const [name, listener] of listeners) stage.addEventListener(name, listener, { capture: true, signal })
    }
  }

  function onTouch(event: Event): void {
    listen()
    if (event.type === 'pointerdown') act(event)
    const form = formNow()
    if (form && formOf(event.composedPath()[0]) === form && !isSecond()) needs.touched()
  }

  /** The visitor does something; not to the button whose submit is held, which may be pressed twice. */
  function act(event: Event): void {
    if (held && event.isTrusted && !(held.submitter && event.composedPath().includes(held.submitter))) hasActed = true
  }

  /** Remembers whether the next submit only repeats one: the second half of a double click, a key held down. */
  function onTrigger(event: Event): void {
    if (event instanceof KeyboardEvent) {
      isEcho = event.repeat
      if (event.key === 'Escape' && event.isTrusted) held = undefined
      else if (!event.repeat) act(event)
    } else if ((event as MouseEvent).detail > 0) isEcho = (event as MouseEvent).detail > 1
    // The submit of a click or a key follows in the same task; one made by a script later is no echo.
    isPressing = true
    after(0, () => (isPressing = isEcho = isSkipping = false))
  }

  /** A dialog is closed or the form is reset: by the visitor, or by the page as its own answer to the press. */
  function onEnd(event: Event): void {
    const { target } = event
    if (held && hasActed && target instanceof Node && Node.prototype.contains.call(target, held.form)) held = undefined
  }

  /** `new FormData(form)`, `form.submit()`, and every submit. */
  function onRead(event: Event): void {
    if (event.target !== formNow() || !field.name || isSecond()) return
    const { formData } = event as FormDataEvent
    if (!isRemembering()) sending?.restore(formData)
    // One value, whoever else has a field of that name.
    if (token && !isRemembering()) return formData.set(field.name, token)
    formData.delete(field.name)
    if (!isRemembering() && !isSkipping) miss()
  }

  function onSubmit(event: Event): void {
    const form = formNow()
    const { submitter, target } = event as SubmitEvent
    if (!form && container.isConnected && field.name && !token && ![...gates].some((one) => one.form() === target))
      after(0, () => event.defaultPrevented || say(109))
    if (!form || target !== form || event.defaultPrevented || isSecond()) return
    isSkipping = !!submitter?.hasAttribute(SKIP)
    const way = wayOf(form, submitter)
    // It sends nothing: a dialog is closed.
    if (way.method === 'dialog') return void (held = undefined)
    if (isSkipping) return
    if (cancelLeaving || (isEcho && hasPassed)) return stop(event)
    if (keeper.isForForm()) {
      held = undefined
      return pass(event, leavesWindow(way))
    }
    stop(event)
    hasActed = false
    held = holdSubmit(form, submitter as HTMLButtonElement | null)
    needs.hold()
  }

  function put(now: string): void {
    token = now
    if (now) hasMissed = false
    field.setAttribute('value', now)
    place()
  }

  function pass(event: Event, leaves: boolean): void {
    hasPassed = true
    put(keeper.current())
    keeper.toForm()
    // After the page's own listeners had their say.
    after(0, () => {
      if (event.defaultPrevented || !leaves) return needs.stayed()
      cancelLeaving = after(LEAVING_MS, () => {
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
    ['close', onEnd],
    ['reset', onEnd],
  ] as const
  listen()

  return {
    put,
    isHolding: () => held !== undefined,
    release() {
      sending = held
      held = undefined
      if (!sending || (hasActed && !formMember(sending.form, 'isConnected'))) return
      try {
        sending.send()
      } catch {
        needs.unsent()
      }
      after(0, () => (sending = undefined))
    },
    returned() {
      cancelLeaving?.()
      cancelLeaving = undefined
    },
    end() {
      gates.delete(mine)
      cancelLeaving?.()
      field.remove()
    },
  }
}

function stop(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Tells whether the visitor was in the form before our script arrived; an `autofocus` is nobody's touch. */
export function wasTouched(container: HTMLElement): boolean {
  const { userActivation } = navigator as { userActivation?: { hasBeenActive: boolean } }
  const form = formOfContainer(container)
  return Boolean(userActivation?.hasBeenActive && form && formOf(document.activeElement) === form)
}
