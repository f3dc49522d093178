import { userActivation } from './activation.ts'
import { deadlineIn } from './clock.ts'
import type { Parts } from './parts.ts'
import type { SubmitFlow } from './submit-flow.ts'
import type { TokenKeeper } from './token-keeper.ts'
import type { WorkSchedule } from './work-schedule.ts'
import type { WorkSupply } from './work-supply.ts'

/** A form is not sent by a press that is older. A browser gives up as well: Firefox ends a request without an answer after 300 s. */
const PRESS_COUNTS_MS = 300_000

interface Sources {
  readonly supply: WorkSupply
  readonly keeper: TokenKeeper
  readonly schedule: WorkSchedule
  readonly flow: SubmitFlow
}

export type FormSender = ReturnType<typeof formSender>

/** Sends a held form once there is a token for it, as long as the visitor's press counts. */
export function formSender({ pause, tell }: Parts, { supply, keeper, schedule, flow }: Sources) {
  /** How long the visitor's last press can still send the form. */
  let pressLeftMs = deadlineIn(0)

  /**
   * Gives a held submit up, and asks for another press, if this one is too old: hours offline, or the browser would open no window
   * for it. Returns whether it did.
   */
  function giveUpIfLate(): boolean {
    const isForgotten = flow.opensWindow() && userActivation().isActive === false
    if (!flow.isHolding() || (!isForgotten && pressLeftMs() > 0)) return false
    flow.cancelHeld()
    tell({ is: 'late' })
    return true
  }

  return {
    /** Notes a press of the visitor. */
    notePress(): void {
      pressLeftMs = deadlineIn(PRESS_COUNTS_MS)
    },
    /** Sends the held form with a new token. */
    async send(): Promise<void> {
      schedule.noteUse()
      try {
        if (flow.opensWindow() || pressLeftMs() <= 0) {
          // No token is requested that cannot be sent.
          tell({ is: 'wanted', by: 'form', shareDone: supply.shareDone() })
          await pause.during(supply.ready())
          if (giveUpIfLate()) return
        }
        await keeper.requestToken('form')
        if (!giveUpIfLate()) flow.release()
      } catch {
        // Still held: "Try again" or the next submit sends it.
      }
    },
  }
}
