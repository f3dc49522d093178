import type { WireSignals } from '../../src/wire.ts'
import { after, steady } from './clock.ts'
import type { Move } from './state.ts'

/** The press, as it is sent to the service. */
export type PressedStep = NonNullable<WireSignals['step']>

export type Step = ReturnType<typeof showStep>

/** Milliseconds until the button is enabled: a little more than the service requires. */
const OPENS_MS = 3100

/** Shows the step of a second try. docs/widget/refused.md */
export function showStep(tell: (move: Move) => void) {
  const shownAt = steady()
  let isOpen = false
  let settle: (step: PressedStep) => void
  const outcome = new Promise<PressedStep>((resolve) => {
    settle = resolve
  })
  tell({ is: 'asked', isOpen })
  const cancel = after(OPENS_MS, () => {
    isOpen = true
    tell({ is: 'asked', isOpen })
  })
  function end(byPerson: boolean): void {
    cancel()
    tell({ is: 'confirmed' })
    const waited = Math.min(600_000, Math.round((steady() - shownAt) / 100) * 100)
    settle({ pressed: Number(byPerson), waited })
  }
  return {
    /** @param byPerson whether a person pressed the button, not a script. An early press does nothing. */
    press: (byPerson: boolean) => isOpen && end(byPerson),
    /** Ends the step without a press. */
    giveUp: () => end(false),
    outcome,
  }
}
