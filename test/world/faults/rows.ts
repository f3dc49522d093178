/** One line for each run, as JSON; table.js makes the table of it. */
export const ROWS = 'build/faults.jsonl'

/** What one run showed. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly ledger: string
  readonly spends: number
  readonly accepted: number
  /** Visits that got in more than once. */
  readonly twice: number
  /** Milliseconds. */
  readonly freshAfter: number
}
