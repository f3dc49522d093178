import { counts, type InputSignals } from './counts.ts'
import { watchEdits } from './edits.ts'
import { watchTimes } from './event-times.ts'
import { watchKeys } from './keys.ts'
import { watchPointer } from './pointer.ts'

const EVENTS =
  'pointermove pointerdown pointerup mousedown click keydown keyup input paste drop'.split(' ')

export type InputWatch = ReturnType<typeof watchInput>

/** Watches how the page is used. Only counts and medians are kept. Measured: docs/design/risk.md, "What separates". */
export function watchInput(page: Document) {
  const count = counts()
  const pointer = watchPointer()
  const keys = watchKeys()
  const times = watchTimes()
  const edits = watchEdits()
  const stop = new AbortController()

  function onEvent(event: Event): void {
    if (event.type === 'input') edits.see(event as InputEvent)
    if (!event.isTrusted) return count.add('untrusted')
    // A script's `click()` on a check box makes a trusted `input` event, so that one proves nothing.
    if (event.type === 'input') return
    count.add('trusted')
    const { type, sourceCapabilities } = event as { type: string; sourceCapabilities?: unknown }
    if (event instanceof KeyboardEvent) keys.see(event)
    else if (/^(pointer|mouse)/.test(type)) pointer.see(event as PointerEvent)
    // A press is timed by its mousedown and click: assistive technology's name no device, and no display server stamped them.
    if (
      /^(key|pointermove)/.test(type) ||
      (/^(mousedown|click)/.test(type) && sourceCapabilities !== null)
    )
      times.see(event)
  }

  for (const name of EVENTS)
    page.addEventListener(name, onEvent, { capture: true, passive: true, signal: stop.signal })
  return {
    summary: (): InputSignals => ({
      ...count.all(),
      ...pointer.summary(),
      ...keys.summary(),
      ...times.summary(),
      ...edits.summary(),
    }),
    end: () => stop.abort(),
  }
}
