import type { Watch, InputSignals } from './counts.ts'

/**
 * Watches fields whose whole text came in one insertion, as a driver's `fill()` makes one: no key, no paste, no composition. Programs
 * for dictation and for passwords may do the same. The text is compared here and never sent.
 */
export function watchInsertions(): Watch<InputEvent> {
  const inserted = new Map<EventTarget & { value?: string }, string>()
  return {
    see(event) {
      const { inputType, data, isComposing } = event
      const [field] = event.composedPath()
      if (inputType === 'insertText' && !isComposing && data && data.length > 1 && field) inserted.set(field, data)
    },
    summary(): InputSignals {
      const insertions = [...inserted].filter(([{ value }, text]) => value === text).length
      return insertions ? { insertions } : {}
    },
  }
}
