/** One thing that was looked at. */
export interface Diagnosis {
  readonly check: string
  /** `good`; `fix`: something is wrong; `unknown`: it could not be looked at from here. */
  readonly outcome: 'good' | 'fix' | 'unknown'
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: string
}

export const good = (check: string, saw: string): Diagnosis => ({ check, outcome: 'good', saw, advice: '' })
export const fix = (check: string, saw: string, advice: string): Diagnosis => ({ check, outcome: 'fix', saw, advice })
export const unknown = (check: string, saw: string, advice: string): Diagnosis => ({
  check,
  outcome: 'unknown',
  saw,
  advice,
})

/** How the doctor asks: `fetch`, or one that trusts a certificate authority of the operator's. */
export type Ask = (url: URL, init?: RequestInit) => Promise<Response>

/** What was not asked, because something before it failed: one cause, one finding. */
export const notAsked = (checks: readonly string[], cause: string): readonly Diagnosis[] =>
  checks.map((check) => unknown(check, 'not asked', `${cause} first, and ask again`))

/** The message of whatever was thrown, and of its cause: `fetch failed` alone helps nobody. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
