/** One thing that was looked at. */
export interface Diagnosis {
  readonly check: string
  /** `good`; `mend`: something is wrong; `unknown`: it could not be looked at from here. */
  readonly outcome: 'good' | 'mend' | 'unknown'
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: string
}

export const good = (check: string, saw: string): Diagnosis => ({ check, outcome: 'good', saw, advice: '' })
export const mend = (check: string, saw: string, advice: string): Diagnosis => ({ check, outcome: 'mend', saw, advice })
export const unknown = (check: string, saw: string, advice: string): Diagnosis => ({
  check,
  outcome: 'unknown',
  saw,
  advice,
})

/** The message of whatever was thrown, and of its cause: `fetch failed` alone helps nobody. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
