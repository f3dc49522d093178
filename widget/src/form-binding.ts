import { userActivation } from './activation.ts'
import { after } from './clock.ts'
import { formOf, formOfContainer } from './form-owner.ts'
import type { FormEvents } from './form-events.ts'
import {
  type HeldSubmit,
  holdSubmit,
  isReadingEntries,
  leavesWindow,
  targetOf,
} from './held-submit.ts'
import type { Options } from './options.ts'
import { submitFlow } from './submit-flow.ts'
import { hasWidget, tokenField } from './token-field.ts'
import type { TokenKeeper } from './token-keeper.ts'

/** What the visitor does in this task: nothing, a press or a key, a repetition of one, or a press of a button with `SKIP`. */
type Press = 'none' | 'first' | 'repeated' | 'skipping'

/** The attribute of a button that sends the form at once and without a token, such as "Back" and "Save draft". */
const SKIP = 'data-svc-captcha-skip'

const BUTTONS = 'button,a,[type=submit],[type=button]'

export interface FormBindingParts {
  readonly keeper: TokenKeeper
  readonly events: FormEvents
  readonly signal: AbortSignal
  /** Whether a script of the page mounted the widget. */
  readonly isOfScript: boolean
}

export type FormBinding = ReturnType<typeof formBinding>

/** Connects a widget with its form: the field, the first touch, and the submits. */
export function formBinding(container: HTMLElement, options: Options, parts: FormBindingParts) {
  const { keeper, events, signal } = parts
  let press: Press = 'none'
  /** Where the visitor pressed to send the form. */
  let pressedElement: Element | null = null
  const flow = submitFlow(events, signal, () => field.takeBack())
  const isPressing = (): boolean => press !== 'none'
  const context = { at: flow.at, isPressing, onMiss: () => events.onMiss() }
  const field = tokenField(container, options, context, parts)

  function onTouch(event: Event): void {
    listen()
    if (event.type === 'pointerdown') flow.act(event)
    const form = field.form()
    if (form && formOf(event.composedPath()[0]) === form && !field.isSecond()) events.onTouch()
  }

  function onKey(event: KeyboardEvent): void {
    press = event.repeat ? 'repeated' : 'first'
    if (event.key === 'Escape' && event.isTrusted) flow.cancelHeld()
    else if (!event.repeat) flow.act(event)
    endPress()
  }

  function onClick(event: MouseEvent): void {
    const { detail } = event
    // 0: the click that the browser makes of a key.
    if (detail || press === 'none') press = detail > 1 ? 'repeated' : 'first'
    const [target] = event.composedPath()
    // A script may read the field in answer to the press.
    if (target instanceof Element && target.closest(BUTTONS)) field.place()
    endPress()
  }

  /** Waits for the submit of a click or a key, which follows in the same task. */
  function endPress(): void {
    after(0, () => {
      press = 'none'
      field.takeBack()
    })
  }

  /** Handles `new FormData(form)`, `form.submit()` and every submit. */
  function onRead(event: FormDataEvent): void {
    const { name } = field
    if (event.target !== field.form() || !name || field.isSecond()) return
    const { formData } = event
    const isReading = isReadingEntries()
    if (!isReading) flow.restore(formData)
    // One value, even if the page has a field of that name.
    if (field.token() && !isReading) return formData.set(name, field.token())
    formData.delete(name)
    if (!isReading && press !== 'skipping') field.miss()
  }

  function onSubmit(event: SubmitEvent): void {
    const form = field.form()
    if (!form) return warnOfStray(event)
    if (event.target !== form || event.defaultPrevented || field.isSecond()) return
    const { submitter } = event
    const to = targetOf(form, submitter)
    // This submit only closes a dialog.
    if (to.method === 'dialog') return flow.cancelHeld()
    if (submitter?.hasAttribute(SKIP)) {
      press = 'skipping'
      return
    }
    if (flow.at() === 'leaving' || isRepeated()) return stop(event)
    if (keeper.isForForm()) return pass(event, event.isTrusted && leavesWindow(to))
    stop(event)
    hold(holdSubmit(form, event), submitter)
  }

  /** Reports whether this press repeats one whose submit is under way. */
  const isRepeated = (): boolean => press === 'repeated' && ['held', 'sent'].includes(flow.at())

  function hold(heldSubmit: HeldSubmit, submitter: HTMLElement | null): void {
    pressedElement = submitter ?? document.activeElement
    flow.hold(heldSubmit)
    field.takeBack()
    events.onHold()
  }

  /** Says that a form is sent while this widget is in none. */
  function warnOfStray(event: Event): void {
    if (!container.isConnected || !field.name || field.token() || hasWidget(event.target)) return
    after(0, () => event.defaultPrevented || field.say(109))
  }

  function pass(event: Event, leaves: boolean): void {
    flow.send()
    field.putToken(keeper.current())
    keeper.toForm()
    flow.watch(event, leaves)
  }

  const listen = listenAround(
    container,
    {
      focusin: onTouch,
      pointerdown: onTouch,
      input: onTouch,
      click: onClick,
      keydown: onKey,
      submit: onSubmit,
      formdata: onRead,
      close: flow.onEnd,
      reset: flow.onEnd,
    },
    signal,
  )

  return {
    ...flow,
    putToken: field.putToken,
    isHolding: () => flow.at() === 'held',
    pressedElement: () => pressedElement,
    end(): void {
      flow.end()
      field.end()
    },
  }
}

type Listeners = { readonly [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => void }

/**
 * Listens on the window, to run before all listeners of the page: none of them must see the held submit. Submit events do not leave a
 * shadow tree, so its root has listeners too, from the first touch.
 *
 * @returns a function that listens again: the container may have got another root.
 */
function listenAround(
  container: HTMLElement,
  listeners: Listeners,
  signal: AbortSignal,
): () => void {
  /** Windows and shadow roots with our listeners. */
  const roots = new Set<EventTarget>()
  function listen(): void {
    const root = container.getRootNode()
    for (const target of root instanceof ShadowRoot ? [window, root] : [window]) {
      if (roots.has(target)) continue
      roots.add(target)
      for (const [name, listener] of Object.entries(listeners))
        target.addEventListener(name, listener as EventListener, { capture: true, signal })
    }
  }
  listen()
  return listen
}

function stop(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Reports whether the visitor used the form before our script loaded; `autofocus` alone does not count. */
export function wasTouched(container: HTMLElement): boolean {
  const form = formOfContainer(container)
  return Boolean(userActivation().hasBeenActive && form && formOf(document.activeElement) === form)
}
