import { after } from './clock.ts'
import { formMember } from './form-owner.ts'
import type { HeldSubmit } from './held-submit.ts'
import type { Parts } from './parts.ts'
import type { WorkSchedule } from './work-schedule.ts'

/** Where the submit of a form is. */
export type Submit =
  | { readonly at: 'none' }
  /** Stopped until there is a token. `hasActed`: the visitor has done something else since the press, and what follows may cancel it. */
  | { readonly at: 'held'; readonly heldSubmit: HeldSubmit; readonly hasActed: boolean }
  /** Sent again, as it was at the press; our listeners have not seen it yet. */
  | { readonly at: 'replayed'; readonly heldSubmit: HeldSubmit }
  /** Sent with a token. `heldSubmit`: its entries may still be read in this task. */
  | { readonly at: 'sent'; readonly heldSubmit?: HeldSubmit | undefined }
  /** Sent with a token; the page will navigate soon. */
  | { readonly at: 'leaving'; readonly cancel: () => void }

const NONE: Submit = { at: 'none' }
const STILL_OPEN: Submit = { at: 'sent' }

/** A page that is still open this long after a submit does not navigate: a download, a 204, a server that is down. */
const LEAVING_MS = 5000

export type SubmitFlow = ReturnType<typeof submitFlow>

/**
 * Follows the submit of a form: it is held until there is a token, and then sent again. Leaving the page, resetting the form or
 * closing its dialog cancels a held submit.
 */
export function submitFlow({ tell, stop: signal }: Parts, schedule: WorkSchedule) {
  let submit = NONE

  /** Forgets the held submit. */
  function cancelHeld(): void {
    if (submit.at !== 'held') return
    submit = NONE
    window.removeEventListener('beforeunload', cancelHeld)
    tell({ is: 'cancelled' })
  }
  window.addEventListener('pagehide', cancelHeld, { signal })

  /** The form was sent, and the page is still open. */
  function stay(): void {
    submit = STILL_OPEN
    tell({ is: 'sent' })
    schedule.restock()
  }

  return {
    at: (): Submit['at'] => submit.at,
    isHolding: (): boolean => submit.at === 'held',
    /** Reports whether the held submit opens a window, which the browser allows for a few seconds after a press. */
    opensWindow: (): boolean => submit.at === 'held' && submit.heldSubmit.opensWindow(),
    cancelHeld,
    /** Holds a submit until it is released or cancelled. */
    hold(heldSubmit: HeldSubmit): void {
      submit = { at: 'held', heldSubmit, hasActed: false }
      // A navigation begins. Not for longer: Firefox keeps no page that has such a listener.
      window.addEventListener('beforeunload', cancelHeld, { signal })
    },
    /** Notes that the visitor did something else. Pressing the button of the held submit again does not count. */
    act(event: Event): void {
      if (submit.at !== 'held' || !event.isTrusted) return
      const by = submit.heldSubmit.submitter
      if (!by || !event.composedPath().includes(by)) submit = { ...submit, hasActed: true }
    },
    /** Cancels the held submit when the visitor closes the dialog or resets the form; the page may do so in answer to the press. */
    onEnd: ({ target }: Event): void => {
      if (submit.at !== 'held' || !submit.hasActed || !(target instanceof Node)) return
      if (Node.prototype.contains.call(target, submit.heldSubmit.form)) cancelHeld()
    },
    /** Puts back the entries that the form had at the press. */
    restore(entries: FormData): void {
      if (submit.at === 'replayed' || submit.at === 'sent') submit.heldSubmit?.restore(entries)
    },
    /** Sends the held submit as it was at the press, unless the visitor has cancelled it. */
    release: (): void => {
      if (submit.at !== 'held') return
      const { heldSubmit, hasActed } = submit
      if (hasActed && !formMember(heldSubmit.form, 'isConnected')) return cancelHeld()
      submit = { at: 'replayed', heldSubmit }
      window.removeEventListener('beforeunload', cancelHeld)
      try {
        heldSubmit.send()
      } catch {
        tell({ is: 'wanted', by: 'form', shareDone: 1 })
        tell({ is: 'failed', code: 400 })
      }
      after(0, () => {
        if (submit.at === 'replayed') submit = NONE
      })
    },
    /** Notes that the form is being sent with a token. */
    send(): void {
      submit = { at: 'sent', heldSubmit: submit.at === 'replayed' ? submit.heldSubmit : undefined }
    },
    /**
     * Watches a submit after the page's own listeners have seen it.
     *
     * @param leaves whether the page navigates by it; then `onLeave` is called.
     */
    watch(event: Event, leaves: boolean, onLeave: () => void): void {
      after(0, () => {
        if (event.defaultPrevented || !leaves) return stay()
        submit = { at: 'leaving', cancel: after(LEAVING_MS, stay) }
        onLeave()
      })
    },
    /** The page came back from the back/forward cache. */
    onReturn: (): void => {
      if (submit.at !== 'leaving') return
      submit.cancel()
      submit = STILL_OPEN
    },
    end(): void {
      if (submit.at === 'leaving') submit.cancel()
    },
  }
}
