import type { Watch, InputSignals } from './counts.ts'

type Field = EventTarget & { readonly type?: string; readonly value?: string }

/**
 * Watches how text comes into fields. A driver's `fill()` inserts it whole: no key, no paste, no composition. A script sets the value
 * and dispatches an event. Programs for dictation and for passwords may do either. The text is compared here and never sent.
 */
export function watchEdits(): Watch<InputEvent> {
  const inserted = new Map<Field, string>()
  const scripted = new Set<Field>()
  let isEdited = false
  return {
    see(event) {
      const { inputType, data, isComposing, isTrusted } = event
      const field: Field | undefined = event.composedPath()[0]
      if (!field) return
      const { type = '' } = field
      if (!isTrusted) {
        if (/^(text|email|password|tel|url|search|number)/.test(type)) scripted.add(field)
        return
      }
      // A script's `click()` on a check box makes a trusted event.
      if (!/^(checkbox|radio)/.test(type)) isEdited = true
      if (inputType === 'insertText' && !isComposing && data && data.length > 1)
        inserted.set(field, data)
    },
    summary(): InputSignals {
      const insertions = [...inserted].filter(([{ value }, text]) => value === text).length
      return {
        ...(insertions > 0 && { insertions }),
        ...(!isEdited && scripted.size > 0 && { scripted: Math.min(999, scripted.size) }),
      }
    },
  }
}
