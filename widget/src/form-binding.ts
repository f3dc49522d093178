import { userActivation } from './activation.ts'
import type { Announcer } from './announcer.ts'
import { after } from './clock.ts'
import { formOf, formOfContainer } from './form-owner.ts'
import type { FormSender } from './form-sender.ts'
import {
  type HeldSubmit,
  holdSubmit,
  isReadingEntries,
  leavesWindow,
  targetOf,
} from './held-submit.ts'
import type { Parts } from './parts.ts'
import type { SubmitFlow } from './submit-flow.ts'
import { hasWidget, tokenField } from './token-field.ts'
import type { TokenKeeper } from './token-keeper.ts'
import type { WorkSchedule } from './work-schedule.ts'

/** What the visitor does in this task: nothing, a press or a key, a repetition of one, or a press of a button with `SKIP`. */
type Press = 'none' | 'first' | 'repeated' | 'skipping'

/** The attribute of a button that sends the form at once and without a token, such as "Back" and "Save draft". */
const SKIP = 'data-svc-captcha-skip'

const BUTTONS = 'button,a,[type=submit],[type=button]'

interface Connected {
  readonly announce: Announcer
  readonly keeper: TokenKeeper
  readonly schedule: WorkSchedule
  readonly flow: SubmitFlow
  readonly sender: FormSender
  /** Whether a script of the page mounted the widget. */
  readonly isOfScript: boolean
}

/** Connects a widget with its form: the field, the first touch, and the submits. */
export function formBinding(
  container: HTMLElement,
  parts: Parts,
  { announce, keeper, schedule, flow, sender, isOfScript }: Connected,
) {
  let press: Press = 'none'
  /** Where the visitor pressed to send the form. */
  let pressedElement: Element | null = null
  const isPressing = (): boolean => press !== 'none'
  const field = tokenField(container, parts, { announce, flow, isPressing, isOfScript })
  const listeners: Listeners = {
    focusin: onTouch,
    pointerdown: onTouch,
    input: onTouch,
    click: onClick,
    keydown: onKey,
    submit: onSubmit,
    formdata: onRead,
    close: flow.onEnd,
    reset: flow.onEnd,
  }

  /** Listens around the container, which may have got another root since the last touch; the same listener is added once. */
  function listen(): void {
    for (const target of rootsAround(container))
      for (const [name, listener] of Object.entries(listeners))
        target.addEventListener(name, listener as EventListener, {
          capture: true,
          signal: parts.stop,
        })
  }

  function onTouch(event: Event): void {
    listen()
    if (event.type === 'pointerdown') flow.act(event)
    const form = field.form()
    if (form && formOf(event.composedPath()[0]) === form && !field.isSecond()) schedule.onTouch()
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
    if (flow.at() === 'leaving' || isRepeated()) return withhold(event)
    if (keeper.isForForm()) return pass(event, event.isTrusted && leavesWindow(to))
    withhold(event)
    hold(holdSubmit(form, event), submitter)
  }

  /** Reports whether this press repeats one whose submit is under way. */
  const isRepeated = (): boolean => press === 'repeated' && ['held', 'sent'].includes(flow.at())

  function hold(heldSubmit: HeldSubmit, submitter: HTMLElement | null): void {
    pressedElement = submitter ?? document.activeElement
    flow.hold(heldSubmit)
    field.takeBack()
    sender.notePress()
    void sender.send()
  }

  /** Says that a form is sent while this widget is in none. */
  function warnOfStray(event: Event): void {
    if (!container.isConnected || !field.name || field.token() || hasWidget(event.target)) return
    after(0, () => event.defaultPrevented || field.say(109))
  }

  function pass(event: Event, leaves: boolean): void {
    flow.send()
    field.putToken(keeper.token())
    keeper.noteSentWithForm()
    flow.watch(event, leaves, field.takeBack)
  }

  listen()
  return {
    field,
    pressedElement: (): Element | null => pressedElement,
  }
}

type Listeners = { readonly [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => void }

/**
 * Returns where to listen. On the window our listeners run before all those of the page: none of them must see the held submit. Submit
 * events do not leave a shadow tree, so its root has listeners too, from the first touch.
 */
function rootsAround(container: HTMLElement): EventTarget[] {
  const root = container.getRootNode()
  return root instanceof ShadowRoot ? [window, root] : [window]
}

function withhold(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Reports whether the visitor used the form before our script loaded; `autofocus` alone does not count. */
export function wasTouched(container: HTMLElement): boolean {
  const form = formOfContainer(container)
  return Boolean(userActivation().hasBeenActive && form && formOf(document.activeElement) === form)
}
