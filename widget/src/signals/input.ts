import type { WireSignals } from '../../../src/wire.ts'
import { counts } from './counts.ts'
import { watchCallers } from './callers.ts'
import { watchTimes } from './event-times.ts'
import { watchKeys } from './keys.ts'
import { watchPointer } from './pointer.ts'

/*
 * Signs that somebody is there: trusted events, and how fields came by their text.
 *
 * Why: scripts inside a page can only make untrusted events. A `click()` of theirs on a check box makes a trusted `input`
 * event, so `input` is no witness; pointer, key, click, paste and drop are.
 * Who could be hurt: nobody by what is missing. Paste, autofill and password managers are recognised, and are people.
 * Measured: docs/design/risk.md, "What separates".
 */

type InputSignals = NonNullable<WireSignals['input']>

const EVENTS = [
  'pointermove',
  'pointerdown',
  'pointerup',
  'mousedown',
  'click',
  'keydown',
  'keyup',
  'input',
  'paste',
  'drop',
] as const
/** A filled field with no key or paste this shortly before it was filled by a password manager. Milliseconds. */
const BY_HAND_MS = 500
const TEXT = 'textarea,input:not([type=checkbox]):not([type=radio])'
/** Longer than a word or an emoji, and no input method at work: a whole field at once. Characters. */
const WHOLE_FIELD = 8

export interface InputWatch {
  summary(): { input: InputSignals; scripted: number; loneFocus: number }
  readonly end: () => void
}

/** Counts how the page is used. Counts and medians only: where, what and when exactly is never kept. */
export function watchInput(page: Document, own: string): InputWatch {
  const count = counts<'trusted' | 'untrusted' | 'pastes' | 'autofills' | 'wholeTexts' | 'bareTexts'>()
  const pointer = watchPointer()
  const keys = watchKeys(() => page.hasFocus())
  const times = watchTimes()
  const callers = watchCallers(own)
  const stop = new AbortController()
  /** When we heard of the last key or paste, and Infinity while a key is down: its text may wait for a busy page. */
  let byHandAt = -Infinity

  function onFilled(event: Event): void {
    const { inputType, data } = event as InputEvent
    const isText = (event.target as Element).matches(TEXT)
    const byHand = performance.now() - byHandAt <= BY_HAND_MS
    if (!isText || byHand) return
    if (!inputType) count.add('autofills')
    else if (inputType === 'insertText') count.add((data?.length ?? 0) > WHOLE_FIELD ? 'wholeTexts' : 'bareTexts')
  }

  function onEvent(event: Event): void {
    callers.see(event)
    if (!event.isTrusted) return count.add('untrusted')
    if (event.type === 'input') return onFilled(event)
    count.add('trusted')
    if (event.type === 'click') return
    if (event instanceof KeyboardEvent) {
      keys.see(event)
      times.see(event)
      byHandAt = event.type === 'keydown' ? Infinity : performance.now()
    } else if (event instanceof MouseEvent && event.type !== 'drop') {
      pointer.see(event)
      if (event.type !== 'mousedown') times.see(event)
      if (!pointer.wantsRaw()) page.removeEventListener('pointerrawupdate', onRaw, true)
    } else {
      byHandAt = performance.now()
      count.add('pastes')
    }
  }

  const onRaw = ({ isTrusted }: Event): void => void (isTrusted && pointer.raw())
  const listen = (name: string, listener: (event: Event) => void): void =>
    page.addEventListener(name, listener, { capture: true, passive: true, signal: stop.signal })

  for (const name of EVENTS) listen(name, onEvent)
  listen('pointerrawupdate', onRaw)
  listen('focusin', callers.focused)
  return {
    summary: () => ({
      input: { ...count.all(), ...pointer.summary(), ...keys.summary(), ...times.summary() },
      ...callers.summary(),
    }),
    end: () => stop.abort(),
  }
}
