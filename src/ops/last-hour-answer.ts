/** Counts by what they count: words with spaces between. */
type Counts = Readonly<Record<string, number>>

/** GET /last-hour of the ops listener, as JSON. The dashboard takes this type from here. */
export interface LastHourAnswer {
  /** Unix seconds, as all times here. */
  readonly now: number
  readonly startedAt: number
  readonly name: string
  readonly version: string
  /** Why this process cannot use the ledger. */
  readonly fault?: string
  readonly configuration: InForceAnswer
  readonly keyring: InForceAnswer
  /** Oldest first, the running minute last: `siteverify accepted`, `incident shed`. */
  readonly minutes: readonly { readonly from: number; readonly counts: Counts }[]
  /**
   * Of the whole hour: `site KEY CODE`, `score KEY 0.85 CODE` (in steps of 0.05, rounded down), `reason KEY REASON`,
   * `network NETWORK`, `within MS` for verdicts.
   */
  readonly totals: Counts
  /** The sites in `totals` that are in force; `actions`: those that have a threshold of their own. */
  readonly sites: Readonly<
    Record<
      string,
      {
        readonly name: string
        readonly threshold: number
        readonly actions: Readonly<Record<string, number>>
      }
    >
  >
}

export interface InForceAnswer {
  readonly since: number
  /** Why a newer version was refused. */
  readonly problem?: string
}
