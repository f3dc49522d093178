/** A suite on a server or a proxy, as a program of lab/ found it with `--write`. */
export interface SuiteRun {
  readonly suite: string
  readonly passed: number
  /** How many of the passed ones needed a second try. */
  readonly again: number
  readonly failed: number
  readonly date: string
}

/** Returns what follows the number of passed tests: `, 1 of them at the second try, 2 failed`; '' if there is nothing to say. */
export function besidePassed({ again, failed }: SuiteRun): string {
  const tries = again > 0 ? `, ${again} of them at the second try` : ''
  return failed > 0 ? `${tries}, ${failed} failed` : tries
}
