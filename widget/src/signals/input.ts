import type { WireSignals } from '../../../src/wire.ts'

type InputSignals = NonNullable<WireSignals['input']>
type Counter = Exclude<keyof InputSignals, 'keyHold'>

const EVENTS = ['pointermove', 'pointerdown', 'keydown', 'keyup', 'input', 'paste', 'drop'] as const
/** A filled field with no key or paste this shortly before it was filled by a password manager. Milliseconds. */
const BY_HAND_MS = 500

export interface InputWatch {
  summary(): InputSignals
  end(): void
}

/** Counts how the page is used. Counts and one median only: where, what and when exactly is never kept. */
export function watchInput(page: Document, clock: () => number): InputWatch {
  const counts = new Map<Counter, number>()
  const count = (name: Counter): void => void counts.set(name, Math.min(999, (counts.get(name) ?? 0) + 1))
  const down = new Map<string, number>()
  const holds: number[] = []
  let byHandAt = -Infinity

  function onPointer(event: PointerEvent): void {
    if (event.type === 'pointermove') {
      count('moves')
      if ((event.getCoalescedEvents?.().length ?? 0) > 1) count('coalesced')
      return
    }
    count('presses')
    if (event.pointerType !== 'mouse') count('touches')
    // Keyboard clicks and assistive technology name no device: those are people. RISK.md, section 1.
    else if (event.pressure === 0 && (event as { sourceCapabilities?: unknown }).sourceCapabilities)
      count('flatPresses')
  }

  function onKey(event: KeyboardEvent): void {
    if (event.type === 'keyup') {
      const since = down.get(event.code)
      down.delete(event.code)
      if (since !== undefined && holds.length < 64) holds.push(clock() - since)
    } else if (!event.repeat) {
      byHandAt = clock()
      down.set(event.code, byHandAt)
      count('keys')
    }
  }

  function onEvent(event: Event): void {
    count(event.isTrusted ? 'trusted' : 'untrusted')
    if (event instanceof PointerEvent) onPointer(event)
    else if (event instanceof KeyboardEvent) onKey(event)
    else if (event.type !== 'input') {
      byHandAt = clock()
      count('pastes')
    } else if (!(event as InputEvent).inputType && clock() - byHandAt > BY_HAND_MS) count('autofills')
  }

  for (const name of EVENTS) page.addEventListener(name, onEvent, { capture: true, passive: true })
  return {
    summary() {
      const sorted = [...holds].sort((a, b) => a - b)
      const median = sorted[sorted.length >> 1]
      return {
        ...Object.fromEntries(counts),
        ...(median !== undefined && { keyHold: Math.min(1000, Math.round(median / 5) * 5) }),
      }
    },
    end() {
      for (const name of EVENTS) page.removeEventListener(name, onEvent, { capture: true })
    },
  }
}
