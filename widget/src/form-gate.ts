import { logError } from './announcer.ts'
import { after } from './clock.ts'
import type { ErrorNumber } from './errors.ts'
import { formAttribute, formMember, formOf, formOfContainer } from './form-owner.ts'
import {
  type HeldSubmit,
  holdSubmit,
  isReadingEntries,
  leavesWindow,
  targetOf,
} from './held-submit.ts'
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
  /** The visitor has cancelled the held submit, or leaves the page. */
  cancelled(): void
  /** A script is about to send the form without a token. */
  missed(): void
}

/** Where the submit of a form is. */
type Submit =
  | { readonly at: 'none' }
  /** Stopped until there is a token. `hasActed`: the visitor has done something else since the press, and what follows may cancel it. */
  | { readonly at: 'held'; readonly held: HeldSubmit; readonly hasActed: boolean }
  /** Sent again, as it was at the press; our listeners have not seen it yet. */
  | { readonly at: 'replayed'; readonly held: HeldSubmit }
  /** Sent with a token. `held`: its entries may still be read in this task. */
  | { readonly at: 'sent'; readonly held?: HeldSubmit | undefined }
  /** Sent with a token; the page will navigate soon. */
  | { readonly at: 'leaving'; readonly cancel: () => void }

/** What the visitor does in this task: nothing, a press or a key, a repetition of one, or a press of a button with `SKIP`. */
type Press = 'none' | 'first' | 'repeated' | 'skipping'

const NONE: Submit = { at: 'none' }
const STAYED: Submit = { at: 'sent' }

/** A page that is still open this long after a submit does not navigate: a download, a 204, a server that is down. */
const LEAVING_MS = 5000

/** On a button: it sends the form at once and without a token, as "Back" and "Save draft". */
const SKIP = 'data-svc-captcha-skip'

const BUTTONS = 'button,a,[type=submit],[type=button]'

/** The current form and the field of every widget. */
const gates = new Set<{
  readonly form: () => HTMLFormElement | null
  readonly field: HTMLInputElement
}>()

/**
 * Connects a widget with its form: the field, the first touch, and the submits.
 *
 * @param isOfScript whether a script of the page mounted the widget. Otherwise the container may be markup that a framework has not hydrated
 *   yet: the field is put into it for the task of a press, and with the token when the form is sent.
 */
export function formGate(
  container: HTMLElement,
  { responseField, responseFieldName, execution, tabindex }: Options,
  keeper: TokenKeeper,
  events: GateEvents,
  signal: AbortSignal,
  isOfScript: boolean,
) {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = responseField ? responseFieldName : ''
  // Markup that was saved and restored has an old token, which a server would read first.
  // Other hidden fields are the page's own: a CSRF token may stand in the container.
  for (const old of container.querySelectorAll<HTMLInputElement>('[type=hidden]')) {
    if (old.name === responseFieldName) old.remove()
  }
  let token = ''
  // `$(form).serialize()` reads no FormData.
  Object.defineProperty(field, 'value', {
    get() {
      if (!token && press !== 'none') miss()
      return token
    },
    // oxlint-disable-next-line eslint/no-empty-function -- form libraries cannot clear it
    set() {},
  })

  let submit = NONE
  let press: Press = 'none'
  /** Where the visitor pressed to send the form. */
  let pressed: Element | null = null
  /** Whether the field stays in the container; otherwise it is there during a press and after the form was sent. */
  let isLasting = isOfScript
  /** Errors that were logged or reported. */
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
      if (said.has(107) || submit.at === 'held' || token) return
      said.add(107)
      events.missed()
    })
  }

  /** Reports whether an earlier widget of the form has a field of the same name: only its token is sent. */
  function isSecond(): boolean {
    const form = formNow()
    const first =
      form && [...gates].find((one) => one.field.name === field.name && one.form() === form)
    return !!field.name && !!first && first !== mine
  }

  /** Puts the field where it is part of the form. */
  function place(): void {
    if (isSecond()) {
      say(108)
      return field.remove()
    }
    // An empty container is hidden by some themes.
    isLasting ||=
      (!!token && execution === 'render') || getComputedStyle(container).display === 'none'
    const isPlaced = isLasting || press !== 'none' || submit.at === 'sent'
    if (isPlaced && field.parentNode !== container) container.append(field)
    // Libraries that trap the focus look for it there. Once: each setting is observed as a change.
    if ((isPlaced || tabindex) && container.shadowRoot && container.tabIndex !== tabindex)
      container.tabIndex = tabindex
    const form = formNow()
    if (!form || !field.name) return
    const id = formAttribute(form, 'id')
    if (isPlaced && field.form !== form && id) field.setAttribute('form', id)
    const others = [...formMember(form, 'elements')].filter(
      (one) => (one as HTMLInputElement).name === field.name,
    )
    if (others.some((one) => one !== field)) say(108)
  }
  // Frameworks mount before they insert.
  if (isLasting) container.append(field)
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
      for (const [name, listener] of listeners)
        target.addEventListener(name, listener, { capture: true, signal })
    }
  }

  function onTouch(event: Event): void {
    listen()
    if (event.type === 'pointerdown') act(event)
    const form = formNow()
    if (form && formOf(event.composedPath()[0]) === form && !isSecond()) events.touched()
  }

  /** Notes that the visitor did something else. Pressing the button of the held submit again does not count. */
  function act(event: Event): void {
    if (submit.at !== 'held' || !event.isTrusted) return
    const by = submit.held.submitter
    if (!by || !event.composedPath().includes(by)) submit = { ...submit, hasActed: true }
  }

  /** Notes whether the next submit is a repetition: the second half of a double click, or a key held down. */
  function onTrigger(event: Event): void {
    if (event instanceof KeyboardEvent) {
      press = event.repeat ? 'repeated' : 'first'
      if (event.key === 'Escape' && event.isTrusted) cancelHeld()
      else if (!event.repeat) act(event)
    } else {
      const { detail } = event as MouseEvent
      // 0: the click that the browser makes of a key.
      if (detail || press === 'none') press = detail > 1 ? 'repeated' : 'first'
      const [target] = event.composedPath()
      // A script may read the field in answer to the press.
      if (target instanceof Element && target.closest(BUTTONS)) place()
    }
    // The submit of a click or a key follows in the same task.
    after(0, () => {
      press = 'none'
      takeBack()
    })
  }

  /** Removes the field unless a script needs it. */
  function takeBack(): void {
    if (!isLasting && submit.at !== 'sent') field.remove()
  }

  /** Forgets the held submit. */
  function cancelHeld(): void {
    if (submit.at !== 'held') return
    submit = NONE
    window.removeEventListener('beforeunload', cancelHeld)
    events.cancelled()
  }

  /** Holds a submit until it is released, or cancelled by what would end one of the browser's. */
  function hold(held: HeldSubmit): void {
    submit = { at: 'held', held, hasActed: false }
    // A navigation begins. Not for longer: Firefox keeps no page that has such a listener.
    window.addEventListener('beforeunload', cancelHeld, { signal })
  }

  /** Cancels the held submit when the visitor closes the dialog or resets the form; the page may do so in answer to the press. */
  function onEnd({ target }: Event): void {
    if (submit.at !== 'held' || !submit.hasActed || !(target instanceof Node)) return
    if (Node.prototype.contains.call(target, submit.held.form)) cancelHeld()
  }

  /** Handles `new FormData(form)`, `form.submit()` and every submit. */
  function onRead(event: Event): void {
    if (event.target !== formNow() || !field.name || isSecond()) return
    const { formData } = event as FormDataEvent
    if (!isReadingEntries() && (submit.at === 'replayed' || submit.at === 'sent'))
      submit.held?.restore(formData)
    // One value, even if the page has a field of that name.
    if (token && !isReadingEntries()) return formData.set(field.name, token)
    formData.delete(field.name)
    if (!isReadingEntries() && press !== 'skipping') miss()
  }

  function onSubmit(event: Event): void {
    const form = formNow()
    const { submitter, target } = event as SubmitEvent
    if (
      !form &&
      container.isConnected &&
      field.name &&
      !token &&
      ![...gates].some((one) => one.form() === target)
    )
      after(0, () => event.defaultPrevented || say(109))
    if (!form || target !== form || event.defaultPrevented || isSecond()) return
    const isSkipping = !!submitter?.hasAttribute(SKIP)
    const to = targetOf(form, submitter)
    // This submit only closes a dialog.
    if (to.method === 'dialog') return cancelHeld()
    if (isSkipping) return void (press = 'skipping')
    if (
      submit.at === 'leaving' ||
      (press === 'repeated' && (submit.at === 'held' || submit.at === 'sent'))
    )
      return stop(event)
    if (keeper.isForForm()) return pass(event, event.isTrusted && leavesWindow(to))
    stop(event)
    pressed = submitter ?? document.activeElement
    hold(holdSubmit(form, event as SubmitEvent))
    takeBack()
    events.hold()
  }

  function put(now: string): void {
    token = now
    if (now) said.delete(107)
    field.setAttribute('value', now)
    place()
  }

  function pass(event: Event, leaves: boolean): void {
    submit = { at: 'sent', held: submit.at === 'replayed' ? submit.held : undefined }
    put(keeper.current())
    keeper.toForm()
    // After the page's own listeners.
    after(0, () => {
      submit = STAYED
      if (event.defaultPrevented || !leaves) return events.stayed()
      const cancel = after(LEAVING_MS, () => {
        submit = STAYED
        events.stayed()
      })
      submit = { at: 'leaving', cancel }
      takeBack()
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
  window.addEventListener('pagehide', cancelHeld, { signal })

  return {
    /** Puts the token into the field; '' clears it. */
    put,
    isHolding: () => submit.at === 'held',
    /** Reports whether the held submit opens a window, which the browser allows for a few seconds after a press. */
    opensWindow: () => submit.at === 'held' && submit.held.opensWindow(),
    pressed: () => pressed,
    cancelHeld,
    /** Sends the held submit as it was at the press, unless the visitor has cancelled it. */
    release(): void {
      if (submit.at !== 'held') return
      const { held, hasActed } = submit
      if (hasActed && !formMember(held.form, 'isConnected')) return cancelHeld()
      submit = { at: 'replayed', held }
      window.removeEventListener('beforeunload', cancelHeld)
      try {
        held.send()
      } catch {
        events.unsent()
      }
      after(0, () => {
        if (submit.at === 'replayed') submit = NONE
      })
    },
    /** The page came back from the back/forward cache. */
    returned(): void {
      if (submit.at !== 'leaving') return
      submit.cancel()
      submit = STAYED
    },
    end(): void {
      gates.delete(mine)
      if (submit.at === 'leaving') submit.cancel()
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
