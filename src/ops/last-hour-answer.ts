/** Counts by what they count: a code, a reason, a network. */
export type Counts = Readonly<Record<string, number>>

/** Verdicts with a score, in twenty steps of 0.05. */
export type ScoreSteps = readonly (readonly [accepted: number, low: number])[]

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
  /** Oldest first, the running minute last. */
  readonly minutes: readonly MinuteAnswer[]
  /** Verdicts by the bound, in milliseconds, within which they were sent; `Infinity` is the last. */
  readonly within: Counts
  /** Requests over a limit, by network. */
  readonly networks: Counts
  /** The sites by sitekey; those beyond the first hundred are `other`. */
  readonly sites: Readonly<Record<string, SiteAnswer>>
}

export interface MinuteAnswer {
  readonly from: number
  /** Answers by operation, then by code. */
  readonly requests: Readonly<Record<string, Counts>>
  readonly incidents: Counts
}

export interface SiteAnswer {
  /** Answers of all operations, by code. */
  readonly codes: Counts
  readonly reasons: Counts
  readonly scores: ScoreSteps
  /** What the configuration says of a site that is in force. */
  readonly policy?: {
    readonly name: string
    readonly threshold: number
    /** Thresholds of the actions that have their own. */
    readonly actions: Readonly<Record<string, number>>
  }
}

export interface InForceAnswer {
  readonly since: number
  /** Why a newer version was refused. */
  readonly problem?: string
}
