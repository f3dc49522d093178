import type { WireSignals } from '../../src/wire.ts'
import { after, steady } from './clock.ts'
import type { Move } from './state.ts'

/** The press, as the service is told of it. */
export type PressedStep = NonNullable<WireSignals['step']>

/** The step of a second try, while it is shown. */
export interface Step {
  /** @param byPerson whether a person pressed the button, and not a script. A press that comes too early does nothing. */
  press(byPerson: boolean): void
  /** Ends it without a press. */
  giveUp(): void
  readonly pressed: Promise<PressedStep>
}

/** Milliseconds until the button takes a press: a little more than the service wants. */
const OPENS_MS = 3100

/** Shows the step. docs/widget/refused.md */
export function showStep(tell: (move: Move) => void): Step {
  const shown = steady()
  let isOpen = false
  let settle: (step: PressedStep) => void
  const pressed = new Promise<PressedStep>((resolve) => (settle = resolve))
  tell({ is: 'asked', isOpen })
  const cancel = after(OPENS_MS, () => tell({ is: 'asked', isOpen: (isOpen = true) }))
  function end(byPerson: boolean): void {
    cancel()
    tell({ is: 'confirmed' })
    const waited = Math.min(600_000, Math.round((steady() - shown) / 100) * 100)
    settle({ pressed: Number(byPerson), waited })
  }
  return {
    press: (byPerson) => isOpen && end(byPerson),
    giveUp: () => end(false),
    pressed,
  }
}
