import { type Announcer, logError } from './announcer.ts'
import { after } from './clock.ts'
import type { ErrorNumber } from './errors.ts'
import { formAttribute, formMember, formOfContainer } from './form-owner.ts'
import type { Parts } from './parts.ts'
import type { SubmitFlow } from './submit-flow.ts'

interface FieldParts {
  readonly announce: Announcer
  /** Says where the submit of the form is. After it was sent, a script may still read the field. */
  readonly flow: SubmitFlow
  /** Reports whether the visitor presses a button or a key in this task. */
  readonly isPressing: () => boolean
  readonly isOfScript: boolean
}

export type TokenField = ReturnType<typeof tokenField>

/** The current form and the field of every widget. */
const fields = new Set<{
  readonly form: () => HTMLFormElement | null
  readonly field: HTMLInputElement
}>()

/** Reports whether a widget of the page is in this form. */
export const hasWidget = (form: EventTarget | null): boolean =>
  [...fields].some((one) => one.form() === form)

/**
 * Makes the hidden field that carries the token.
 *
 * @param isOfScript whether a script of the page mounted the widget. Otherwise the container may be markup that a framework has not hydrated
 *   yet: the field is put into it for the task of a press, and with the token when the form is sent.
 */
export function tokenField(
  container: HTMLElement,
  { options, stop }: Parts,
  { announce, flow, isPressing, isOfScript }: FieldParts,
) {
  const { responseField, responseFieldName, execution, tabindex } = options
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = responseField ? responseFieldName : ''
  removeSaved(container, responseFieldName)
  let token = ''
  // `$(form).serialize()` reads no FormData.
  Object.defineProperty(field, 'value', {
    get() {
      if (!token && isPressing()) miss()
      return token
    },
    // oxlint-disable-next-line eslint/no-empty-function -- form libraries cannot clear it
    set() {},
  })
  /** Whether the field stays in the container; otherwise it is there during a press and after the form was sent. */
  let isLasting = isOfScript
  /** Errors that were logged or reported. */
  const reports = new Set<ErrorNumber>()

  // Looked up each time: pages move nodes, and frameworks mount before they insert.
  const form = (): HTMLFormElement | null => formOfContainer(container)
  const mine = { form, field }
  fields.add(mine)

  /** Logs an error once. */
  function say(code: ErrorNumber): void {
    if (reports.has(code)) return
    reports.add(code)
    logError(code)
  }

  /** A script reads the empty field. The submit event of the same press may still follow. */
  function miss(): void {
    after(0, () => {
      if (reports.has(107) || flow.isHolding() || token) return
      reports.add(107)
      announce.report(107)
    })
  }

  /** Reports whether an earlier widget of the form has a field of the same name: only its token is sent. */
  function isSecond(): boolean {
    const owner = form()
    const first =
      owner && [...fields].find((one) => one.field.name === field.name && one.form() === owner)
    return !!field.name && !!first && first !== mine
  }

  /** Reports whether the field stays in the container from now on: some themes hide an empty one. */
  const mustLast = (): boolean =>
    isLasting || (!!token && execution === 'render') || isNotShown(container)

  /** Puts the field where it is part of the form. */
  function place(): void {
    if (isSecond()) {
      say(108)
      return field.remove()
    }
    isLasting = mustLast()
    const isPlaced = isLasting || isPressing() || flow.at() === 'sent'
    if (isPlaced && field.parentNode !== container) container.append(field)
    if (isPlaced || tabindex) offerFocus()
    join(isPlaced)
  }

  /** Libraries that trap the focus look for the tab index at the container. Once: each setting is observed as a change. */
  function offerFocus(): void {
    if (container.shadowRoot && container.tabIndex !== tabindex) container.tabIndex = tabindex
  }

  /** Makes the field, where it is placed, a part of the form. */
  function join(isPlaced: boolean): void {
    const owner = form()
    if (!owner || !field.name) return
    const id = formAttribute(owner, 'id')
    if (isPlaced && field.form !== owner && id) field.setAttribute('form', id)
    const others = [...formMember(owner, 'elements')].filter(
      (one) => (one as HTMLInputElement).name === field.name,
    )
    if (others.some((one) => one !== field)) say(108)
  }
  // Frameworks mount before they insert.
  if (isLasting) container.append(field)
  after(0, () => stop.aborted || place())

  return {
    /** '' if the form carries no token of this widget. */
    name: field.name,
    form,
    token: () => token,
    isSecond,
    place,
    miss,
    say,
    /** Puts the token into the field; '' clears it. */
    putToken: (text: string): void => {
      token = text
      if (text) reports.delete(107)
      field.setAttribute('value', text)
      place()
    },
    /** Removes the field unless a script needs it. */
    takeBack: (): void => {
      if (!isLasting && flow.at() !== 'sent') field.remove()
    },
    end: (): void => {
      fields.delete(mine)
      field.remove()
    },
  }
}

/**
 * Removes the field of markup that was saved and restored: it has an old token, which a server would read first. Other hidden
 * fields are the page's own: a CSRF token may stand in the container.
 */
function removeSaved(container: HTMLElement, name: string): void {
  for (const old of container.querySelectorAll<HTMLInputElement>('[type=hidden]'))
    if (old.name === name) old.remove()
}

const isNotShown = (container: HTMLElement): boolean =>
  getComputedStyle(container).display === 'none'
