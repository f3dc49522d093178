import { formAttribute, formMember } from './form-owner.ts'

/** A submit as it was at the press, to be sent later as the browser would have sent it then. */
export interface HeldSubmit {
  readonly form: HTMLFormElement
  readonly submitter: HTMLElement | null
  /** @throws where it cannot be sent. */
  send(): void
  /** Gives entries that are about to be sent the values of the press, where the page has changed them meanwhile. */
  restore(entries: FormData): void
}

type Submitter = HTMLButtonElement | null

/** True while entries are read to remember them: nothing is sent then. */
let isReading = false
export const isRemembering = (): boolean => isReading

/**
 * Remembers a submit: its button, entries, address and way. Pages disable or replace the button, empty the fields, take the form away or
 * change its address while a submit is held.
 */
export function holdSubmit(form: HTMLFormElement, submitter: Submitter): HeldSubmit {
  const way = wayOf(form, submitter)
  const { name = '', value = '', type } = submitter ?? ({} as Partial<HTMLButtonElement>)
  const atPress = readEntries(form, submitter)
  // Browsers that read no button (Safari before 16.4).
  if (name && (type as string) !== 'image' && !atPress.has(name)) atPress.append(name, value)
  let changed: string[] = []

  return {
    form,
    submitter,
    send() {
      const by = submitter?.isConnected && submitter.form === form ? submitter : null
      const now = readEntries(form, by)
      changed = [...new Set([...atPress.keys(), ...now.keys()])].filter((one) => told(now, one) !== told(atPress, one))
      // A form that is nowhere cannot be sent.
      const place = document.createElement('div')
      place.hidden = true
      if (!formMember(form, 'isConnected')) {
        document.body.append(place)
        place.append(form)
      }
      const isAsItWas = !!by === !!submitter && JSON.stringify(wayOf(form, by)) === JSON.stringify(way)
      const isUsable = isAsItWas && isValid(form, by) && (by || canSubmit())
      const button = isUsable ? by : standIn(way, name, value)
      if (!isUsable) formMember(form, 'append').call(form, button!)
      if (canSubmit()) formMember(form, 'requestSubmit').call(form, button)
      else button!.click()
      if (!isUsable) button!.remove()
      place.remove()
    },
    restore(entries) {
      for (const one of changed) {
        entries.delete(one)
        for (const each of atPress.getAll(one)) entries.append(one, each as string)
      }
    },
  }
}

/** Missing in Safari before 16. */
const canSubmit = (): boolean => 'requestSubmit' in HTMLFormElement.prototype

/** The browser has validated the fields before it told of the submit, and need not find them valid now. */
const isValid = (form: HTMLFormElement, by: Submitter): boolean =>
  formMember(form, 'noValidate') || !!by?.formNoValidate || formMember(form, 'matches').call(form, ':valid')

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

const told = (entries: FormData, name: string): string =>
  JSON.stringify(entries.getAll(name).map((one) => (typeof one === 'string' ? one : [one.name, one.size, one.type])))

interface Way {
  readonly action: string
  /** In small letters. */
  readonly method: string
  readonly enctype: string
  readonly target: string
}

/** How a form is sent by a button: its own attributes, those of the form, and the page's. */
export function wayOf(form: HTMLFormElement, by: Element | null): Way {
  const read = (name: string): string => by?.getAttribute(`form${name}`) ?? formAttribute(form, name) ?? ''
  const to = read('action')
  return {
    action: to ? resolved(to) : document.URL,
    method: read('method').toLowerCase() || 'get',
    enctype: read('enctype') || 'application/x-www-form-urlencoded',
    target: read('target') || document.querySelector('base[target]')?.getAttribute('target') || '_self',
  }
}

function resolved(address: string): string {
  try {
    return new URL(address, document.baseURI).href
  } catch {
    return address
  }
}

/** A button that sends a form in the way of another. */
function standIn(way: Way, name: string, value: string): HTMLButtonElement {
  const button = document.createElement('button')
  for (const [part, is] of Object.entries(way)) button.setAttribute(`form${part}`, is)
  return Object.assign(button, { hidden: true, formNoValidate: true, name, value })
}

/** Tells whether a form that is sent in this way takes the window along. */
export const leavesWindow = ({ action, method, target }: Way): boolean =>
  method !== 'dialog' &&
  !/^javascript:/i.test(action) &&
  (/^_(self|top|parent)$/i.test(target) || target === window.name)
