import { counts, type InputSignals } from './counts.ts'
import { watchTimes } from './event-times.ts'
import { watchKeys } from './keys.ts'
import { watchPointer } from './pointer.ts'

/*
 * Signs that somebody is there: trusted events.
 *
 * Why: scripts inside a page can only make untrusted events. A `click()` of theirs on a check box makes a trusted `input`
 * event, so `input` is no witness; pointer, key, click, paste and drop are.
 * Who could be hurt: nobody by what is missing.
 * Measured: docs/design/risk.md, "What separates".
 */

const EVENTS = 'pointermove pointerdown pointerup mousedown click keydown keyup input paste drop'.split(' ')

export interface InputWatch {
  summary(): InputSignals
  readonly end: () => void
}

/** Counts how the page is used. Counts and medians only: where, what and when exactly is never kept. */
export function watchInput(page: Document): InputWatch {
  const count = counts()
  const pointer = watchPointer()
  const keys = watchKeys()
  const times = watchTimes()
  const stop = new AbortController()

  function onEvent(event: Event): void {
    if (!event.isTrusted) return count.add('untrusted')
    if (event.type === 'input') return
    count.add('trusted')
    if (event instanceof KeyboardEvent) {
      keys.see(event)
      times.see(event)
    } else if (/^(pointer|mouse)/.test(event.type)) {
      pointer.see(event as PointerEvent)
      if (event.type !== 'mousedown') times.see(event)
    }
  }

  for (const name of EVENTS) page.addEventListener(name, onEvent, { capture: true, passive: true, signal: stop.signal })
  return {
    summary: () => ({ ...count.all(), ...pointer.summary(), ...keys.summary(), ...times.summary() }),
    end: () => stop.abort(),
  }
}
