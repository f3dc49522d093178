import type { InForce, Reloadable } from '../../ports/observing.ts'

/** How old the configuration and the keyring in force are, and whether a newer one was refused. */
export interface ReloadState {
  reloaded(what: Reloadable, problem: string | undefined): void
  inForce(what: Reloadable): InForce
}

/** @param clock Unix milliseconds. */
export function reloadState(clock: () => number): ReloadState {
  const started: InForce = { since: clock(), problem: undefined }
  const states = new Map<Reloadable, InForce>()
  const inForce = (what: Reloadable): InForce => states.get(what) ?? started
  return {
    inForce,
    reloaded(what, problem) {
      const at = clock()
      const refused = problem !== undefined && { since: inForce(what).since, problem: { at, says: problem } }
      states.set(what, refused || { since: at, problem: undefined })
    },
  }
}
