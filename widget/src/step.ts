import type { WireSignals } from '../../src/wire.ts'
import { after, steady } from './clock.ts'
import type { Move } from './state.ts'

/** The press, as it is sent to the service. */
export type PressedStep = NonNullable<WireSignals['step']>

/** Milliseconds until the button is enabled: a little more than the service requires. */
const OPENS_MS = 3100

/** Makes the step of a second try, which is shown when the service asks for it. docs/widget/refused.md */
export function secondTryStep(tell: (move: Move) => void) {
  let isOpen = false
  let end: (byPerson: boolean) => void
  function ask(opens: boolean): void {
    isOpen = opens
    tell({ is: 'asked', isOpen })
  }
  return {
    /** Shows the step. Resolves when it is pressed or given up. */
    show: (): Promise<PressedStep> => {
      const shownAt = steady()
      const cancel = after(OPENS_MS, () => ask(true))
      const outcome = new Promise<PressedStep>((settle) => {
        end = (byPerson) => {
          cancel()
          tell({ is: 'confirmed' })
          const waited = Math.min(600_000, Math.round((steady() - shownAt) / 100) * 100)
          settle({ pressed: Number(byPerson), waited })
        }
      })
      ask(false)
      return outcome
    },
    /** @param byPerson whether a person pressed the button, not a script. An early press does nothing. */
    press(byPerson: boolean): void {
      if (isOpen) end(byPerson)
    },
    /** Ends the step without a press. */
    giveUp: (): void => end(false),
  }
}
