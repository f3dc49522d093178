import type { WireSignals } from '../../../src/wire.ts'

export type InputSignals = NonNullable<WireSignals['input']>

/** Watches one kind of event. */
export interface Watch<Seen extends Event> {
  see(event: Seen): void
  summary(): InputSignals
}

/** Counts by signal, up to 999 each. */
export function counts() {
  const numbers = Object.create(null) as { -readonly [name in keyof InputSignals]: number }
  return {
    add(name: keyof InputSignals): void {
      numbers[name] = Math.min(999, (numbers[name] ?? 0) + 1)
    },
    all: (): InputSignals => numbers,
  }
}
