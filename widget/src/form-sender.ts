import { userActivation } from './activation.ts'
import { type BackgroundPause, deadlineIn } from './clock.ts'
import type { FormBinding } from './form-binding.ts'
import type { Move } from './state.ts'
import type { TokenKeeper } from './token-keeper.ts'
import type { WorkSupply } from './work-supply.ts'

/** A form is not sent by a press that is older. A browser gives up as well: Firefox ends a request without an answer after 300 s. */
const PRESS_COUNTS_MS = 300_000

interface SenderParts {
  readonly binding: FormBinding
  readonly keeper: TokenKeeper
  readonly supply: WorkSupply
  readonly pause: BackgroundPause
  readonly move: (change: Move) => void
}

/** Sends a held form once there is a token for it, as long as the visitor's press counts. */
export function formSender({ binding, keeper, supply, pause, move }: SenderParts) {
  /** How long the visitor's last press can still send the form. */
  let pressLeftMs = deadlineIn(0)

  /**
   * Gives a held submit up, and asks for another press, if this one is too old: hours offline, or the browser would open no window
   * for it. Returns whether it did.
   */
  function giveUpIfLate(): boolean {
    const isForgotten = binding.opensWindow() && userActivation().isActive === false
    if (!binding.isHolding() || (!isForgotten && pressLeftMs() > 0)) return false
    binding.cancelHeld()
    move({ is: 'late' })
    return true
  }

  return {
    /** Notes a press of the visitor. */
    notePress(): void {
      pressLeftMs = deadlineIn(PRESS_COUNTS_MS)
    },
    /** Sends the held form with a new token. */
    async send(): Promise<void> {
      try {
        if (binding.opensWindow() || pressLeftMs() <= 0) {
          // No token is requested that cannot be sent.
          move({ is: 'wanted', by: 'form', shareDone: supply.shareDone() })
          await pause.during(supply.ready())
          if (giveUpIfLate()) return
        }
        await keeper.obtain('form')
        if (!giveUpIfLate()) binding.release()
      } catch {
        // Still held: "Try again" or the next submit sends it.
      }
    },
  }
}
