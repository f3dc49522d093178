import LABELS from 'inline:honeypot'
import type { Options } from './options.ts'
import { directionOf, pickLanguage, wishesOf } from './texts.ts'

/** The label of the field in English; widget/src/texts/*.json hold the others. */
const LABEL = 'Leave this field empty'

/** Out of sight, and still there for whatever looks at the document; a page's policy on styles does not bind scripts. */
const UNSEEN = 'position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap'

/**
 * Watches a field that people do not see: the page's own of that name, or one that is made here and goes with the widget.
 *
 * @returns whether it holds anything; undefined where the page asks for none. docs/widget/honeypot.md
 */
export function layHoneypot(container: HTMLElement, options: Options, signal: AbortSignal): () => boolean | undefined {
  const name = options.honeypot
  if (!name) return () => undefined
  const own = container.closest('form')?.elements.namedItem(name)
  const field = own instanceof HTMLInputElement ? own : newField(container, options, name, signal)
  return () => field.value !== '' && !isAutofilled(field)
}

function newField(container: HTMLElement, options: Options, name: string, signal: AbortSignal): HTMLInputElement {
  const language = pickLanguage(wishesOf(options.language, container))
  const label = document.createElement('label')
  label.lang = language
  label.dir = directionOf(language)
  label.style.cssText = UNSEEN
  const field = document.createElement('input')
  Object.assign(field, { name, tabIndex: -1, autocomplete: 'off' })
  label.append(LABELS[language] ?? LABEL, ' ', field)
  container.after(label)
  signal.addEventListener('abort', () => label.remove())
  return field
}

/** The browser filled it in for its user, who could not see it. */
function isAutofilled(field: HTMLInputElement): boolean {
  try {
    return field.matches(':is(:autofill, :-webkit-autofill)')
  } catch {
    return false
  }
}
