import { logError } from './announcer.ts'
import { after } from './clock.ts'
import type { ErrorNumber } from './errors.ts'
import { formAttribute, formMember, formOf, formOfContainer } from './form-owner.ts'
import { type HeldSubmit, holdSubmit, isReadingEntries, leavesWindow, targetOf } from './held-submit.ts'
import type { Options } from './options.ts'
import type { TokenKeeper } from './token-keeper.ts'

export interface GateEvents {
  /** The visitor focuses, presses or fills in a part of the form. */
  touched(): void
  /** A submit was stopped; `release` sends it. Called again for each further submit meanwhile. */
  hold(): void
  /** The form was sent, and the page is still open. */
  stayed(): void
  /** The held submit could not be sent. */
  unsent(): void
  /** A script is about to send the form without a token. */
  missed(): void
}

/** A page that is still open so long after a submit does not navigate: a download, a 204, a server that is down. */
const LEAVING_MS = 5000

/** On a button: it sends the form at once and without a token, as "Back" and "Save draft". */
const SKIP = 'data-svc-captcha-skip'

/** The current form and the field of every widget. */
const gates = new Set<{ readonly form: () => HTMLFormElement | null; readonly field: HTMLInputElement }>()

/** Connects a widget with its form: the field, the first touch, and the submits. */
export function formGate(
  container: HTMLElement,
  { responseField, responseFieldName }: Options,
  keeper: TokenKeeper,
  events: GateEvents,
  signal: AbortSignal,
) {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = responseField ? responseFieldName : ''
  // Markup that was saved and restored has an old token, which a server would read first.
  container.querySelector('[type=hidden]')?.remove()
  container.append(field)
  let token = ''
  /** True while a press or a key is handled: then scripts read the form to send it. */
  let isPressing = false
  // `$(form).serialize()` reads no FormData.
  Object.defineProperty(field, 'value', {
    get() {
      if (!token && isPressing) miss()
      return token
    },
    // oxlint-disable-next-line eslint/no-empty-function -- form libraries cannot clear it
    set() {},
  })

  let held: HeldSubmit | undefined
  let sending: HeldSubmit | undefined
  /** True once the visitor has done something else since the press: what follows may cancel it. */
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
  /** Windows and shadow roots with our listeners. */
  const roots = new Set<EventTarget>()

  function say(code: ErrorNumber): void {
    if (said.has(code)) return
    said.add(code)
    logError(code)
  }

  /** A script reads the empty field. The submit event of the same press may still follow. */
  function miss(): void {
    after(0, () => {
      if (hasMissed || held || token) return
      hasMissed = true
      events.missed()
    })
  }

  /** Reports whether an earlier widget of the form has a field of the same name: only its token is sent. */
  function isSecond(): boolean {
    const form = formNow()
    const first = form && [...gates].find((one) => one.field.name === field.name && one.form() === form)
    return !!field.name && !!first && first !== mine
  }

  /** Puts the field where it is part of the form. */
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
   * Listens on the window, to run before all listeners of the page: none of them must see the held submit. Submit events do not leave a
   * shadow tree, so its root has listeners too, from the first touch.
   */
  function listen(): void {
    const root = container.getRootNode()
    for (const target of root instanceof ShadowRoot ? [window, root] : [window]) {
      if (roots.has(target)) continue
      roots.add(target)
      for (const [name, listener] of listeners) target.addEventListener(name, listener, { capture: true, signal })
    }
  }

  function onTouch(event: Event): void {
    listen()
    if (event.type === 'pointerdown') act(event)
    const form = formNow()
    if (form && formOf(event.composedPath()[0]) === form && !isSecond()) events.touched()
  }

  /** Notes an act of the visitor; a second press of the button whose submit is held is none. */
  function act(event: Event): void {
    if (held && event.isTrusted && !(held.submitter && event.composedPath().includes(held.submitter))) hasActed = true
  }

  /** Notes whether the next submit is a repetition: the second half of a double click, or a key held down. */
  function onTrigger(event: Event): void {
    if (event instanceof KeyboardEvent) {
      isEcho = event.repeat
      if (event.key === 'Escape' && event.isTrusted) held = undefined
      else if (!event.repeat) act(event)
    } else if ((event as MouseEvent).detail > 0) isEcho = (event as MouseEvent).detail > 1
    // The submit of a click or a key follows in the same task.
    isPressing = true
    after(0, () => (isPressing = isEcho = isSkipping = false))
  }

  /** Cancels the held submit when the visitor closes the dialog or resets the form; the page may do so in answer to the press. */
  function onEnd(event: Event): void {
    const { target } = event
    if (held && hasActed && target instanceof Node && Node.prototype.contains.call(target, held.form)) held = undefined
  }

  /** Handles `new FormData(form)`, `form.submit()` and every submit. */
  function onRead(event: Event): void {
    if (event.target !== formNow() || !field.name || isSecond()) return
    const { formData } = event as FormDataEvent
    if (!isReadingEntries()) sending?.restore(formData)
    // One value, even if the page has a field of that name.
    if (token && !isReadingEntries()) return formData.set(field.name, token)
    formData.delete(field.name)
    if (!isReadingEntries() && !isSkipping) miss()
  }

  function onSubmit(event: Event): void {
    const form = formNow()
    const { submitter, target } = event as SubmitEvent
    if (!form && container.isConnected && field.name && !token && ![...gates].some((one) => one.form() === target))
      after(0, () => event.defaultPrevented || say(109))
    if (!form || target !== form || event.defaultPrevented || isSecond()) return
    isSkipping = !!submitter?.hasAttribute(SKIP)
    const to = targetOf(form, submitter)
    // It only closes a dialog.
    if (to.method === 'dialog') return void (held = undefined)
    if (isSkipping) return
    if (cancelLeaving || (isEcho && hasPassed)) return stop(event)
    if (keeper.isForForm()) {
      held = undefined
      return pass(event, leavesWindow(to))
    }
    stop(event)
    hasActed = false
    held = holdSubmit(form, submitter as HTMLButtonElement | null)
    events.hold()
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
    // After the page's own listeners.
    after(0, () => {
      if (event.defaultPrevented || !leaves) return events.stayed()
      cancelLeaving = after(LEAVING_MS, () => {
        cancelLeaving = undefined
        events.stayed()
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
    /** Puts the token into the field; '' clears it. */
    put,
    isHolding: () => held !== undefined,
    /** Sends the held submit as it was at the press, unless the visitor has cancelled it. */
    release(): void {
      sending = held
      held = undefined
      if (!sending || (hasActed && !formMember(sending.form, 'isConnected'))) return
      try {
        sending.send()
      } catch {
        events.unsent()
      }
      after(0, () => (sending = undefined))
    },
    /** The page came back from the back/forward cache. */
    returned(): void {
      cancelLeaving?.()
      cancelLeaving = undefined
    },
    end(): void {
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

/** Reports whether the visitor used the form before our script loaded; `autofocus` alone does not count. */
export function wasTouched(container: HTMLElement): boolean {
  const { userActivation } = navigator as { userActivation?: { hasBeenActive: boolean } }
  const form = formOfContainer(container)
  return Boolean(userActivation?.hasBeenActive && form && formOf(document.activeElement) === form)
}
