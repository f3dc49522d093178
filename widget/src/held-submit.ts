import { formAttribute, formMember } from './form-owner.ts'

export type HeldSubmit = ReturnType<typeof holdSubmit>

type Submitter = HTMLButtonElement | null

/** True while the entries are copied; nothing is sent then. */
let isReading = false
export const isReadingEntries = (): boolean => isReading

/**
 * Keeps a submit as it was at the press, to send it later. Meanwhile pages disable or replace the button, clear the fields, remove the
 * form or change its address.
 */
export function holdSubmit(form: HTMLFormElement, event: SubmitEvent) {
  const submitter = (event.submitter ?? null) as Submitter
  const target = targetOf(form, submitter)
  const { name = '', value = '', type } = submitter ?? ({} as Partial<HTMLButtonElement>)
  const atPress = readEntries(form, submitter)
  // Safari before 16.4 leaves the button out.
  if (name && (type as string) !== 'image' && !atPress.has(name)) atPress.append(name, value)
  /** Names of the entries that differ from those at the press. */
  let differing: string[] = []

  return {
    form,
    submitter,
    /** Reports whether sending the form opens a window, rather than using this one or a frame of the page. */
    opensWindow: (): boolean =>
      event.isTrusted && !isThisWindow(target) && !existingWindow(target)?.window,
    /** Sends the form; an event that a script dispatched is dispatched again. @throws if it cannot be sent. */
    send(): void {
      const by = submitter?.isConnected && submitter.form === form ? submitter : null
      const now = readEntries(form, by)
      differing = [...new Set([...atPress.keys(), ...now.keys()])].filter(
        (one) => textOf(now, one) !== textOf(atPress, one),
      )
      // A form outside the document cannot be sent.
      const place = document.createElement('div')
      place.hidden = true
      if (!formMember(form, 'isConnected')) {
        document.body.append(place)
        place.append(form)
      }
      if (event.isTrusted) submitAgain(by)
      else formMember(form, 'dispatchEvent').call(form, copyOf(event))
      place.remove()
    },
    /** Gives entries that are about to be sent the values that they had at the press. */
    restore(entries: FormData): void {
      for (const one of differing) {
        entries.delete(one)
        for (const each of atPress.getAll(one)) entries.append(one, each as string)
      }
    },
  }

  function submitAgain(by: Submitter): void {
    const isAsItWas =
      !!by === !!submitter && JSON.stringify(targetOf(form, by)) === JSON.stringify(target)
    const isUsable = isAsItWas && isValid(form, by) && (by || canSubmit())
    const button = isUsable ? by : copyOfButton(target, name, value)
    if (!isUsable) formMember(form, 'append').call(form, button!)
    if (canSubmit()) formMember(form, 'requestSubmit').call(form, button)
    else button!.click()
    if (!isUsable) button!.remove()
  }
}

/** Returns an event of a script as it was before it was dispatched: the page's listeners act on it, and the browser sends nothing. */
const copyOf = (event: Event): Event => new (event.constructor as typeof Event)(event.type, event)

/** Missing in Safari before 16. */
const canSubmit = (): boolean => 'requestSubmit' in HTMLFormElement.prototype

/** The browser validated the fields before the submit event; they may be invalid now. */
const isValid = (form: HTMLFormElement, by: Submitter): boolean =>
  formMember(form, 'noValidate') ||
  !!by?.formNoValidate ||
  formMember(form, 'matches').call(form, ':valid')

function readEntries(form: HTMLFormElement, by: Submitter): FormData {
  isReading = true
  try {
    return new FormData(form, by)
  } catch {
    return new FormData(form)
  } finally {
    isReading = false
  }
}

const textOf = (entries: FormData, name: string): string =>
  JSON.stringify(
    entries
      .getAll(name)
      .map((one) => (typeof one === 'string' ? one : [one.name, one.size, one.type])),
  )

type Target = ReturnType<typeof targetOf>

/** Returns where and how a form is sent by a button: attributes of the button, the form and the page. The method is lowercase. */
export function targetOf(form: HTMLFormElement, by: Element | null) {
  const read = (name: string): string =>
    by?.getAttribute(`form${name}`) ?? formAttribute(form, name) ?? ''
  const to = read('action')
  return {
    action: to ? absolute(to) : document.URL,
    method: read('method').toLowerCase() || 'get',
    enctype: read('enctype') || 'application/x-www-form-urlencoded',
    target:
      read('target') || document.querySelector('base[target]')?.getAttribute('target') || '_self',
  }
}

function absolute(address: string): string {
  try {
    return new URL(address, document.baseURI).href
  } catch {
    return address
  }
}

/** Returns a button that sends a form to a target. */
function copyOfButton(to: Target, name: string, value: string): HTMLButtonElement {
  const button = document.createElement('button')
  for (const [part, is] of Object.entries(to)) button.setAttribute(`form${part}`, is)
  return Object.assign(button, { hidden: true, formNoValidate: true, name, value })
}

const isThisWindow = ({ target }: Target): boolean =>
  /^_(self|top|parent)$/i.test(target) || target === window.name

/** Reports whether sending a form navigates this window. */
export const leavesWindow = (to: Target): boolean =>
  !/^javascript:/i.test(to.action) && isThisWindow(to)

const existingWindow = ({ target }: Target): Partial<Window> | undefined =>
  (window as unknown as Record<string, Partial<Window> | undefined>)[target]
