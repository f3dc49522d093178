/** GET /fleet of the ops listener, as JSON: what the dashboard shows. The page takes these types from here. */

/** Counts by what they are of. */
export type CountsBy = Readonly<Record<string, number>>

export interface FleetAnswer {
  /** Unix seconds, as all moments here. */
  readonly at: number
  /** How far back somebody looks; the counts begin at `steps.from`. */
  readonly minutes: number
  /** `process`: only the one that answers; `problem` says why, if it is not meant to be alone. */
  readonly scope: 'fleet' | 'process'
  readonly problem?: string
  readonly instances: readonly InstanceView[]
  readonly steps: StepsView
  /** By operation, by code. */
  readonly requests: Readonly<Record<string, CountsBy>>
  /** Of answers, by operation; of the stores, by name. */
  readonly seconds: Readonly<Record<string, DistributionView>>
  readonly solveSeconds: DistributionView
  readonly workLevel: DistributionView
  readonly sites: readonly SiteView[]
  /** Networks that were refused for asking too often, most first. */
  readonly limited: readonly { readonly network: string; readonly times: number }[]
  /** Requests of named agents, by agent, by code. */
  readonly agents: Readonly<Record<string, CountsBy>>
  readonly generationMoves: number
  readonly linesLost: number
  /** Requests refused unread, because more came than could be served in time. */
  readonly shed: number
}

export interface InstanceView {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly startedAt: number
  readonly heardAt: number
  /** `gone`: nothing heard for a while, though it did not say that it stops. */
  readonly state: 'running' | 'stopped' | 'gone'
  /** Why it cannot use the ledger. */
  readonly fault?: string
  readonly configuration: InForceView
  readonly keyring: InForceView
}

export interface InForceView {
  readonly since: number
  /** Why a newer one was refused. */
  readonly problem?: string
}

/** Counts of every ten seconds (of every ten minutes for more than an hour), oldest first; all lists are equally long. */
export interface StepsView {
  /** The first minute or hour that somebody counted in; later than was asked for when there is no more. */
  readonly from: number
  /** Seconds. */
  readonly every: number
  /** By operation. */
  readonly requests: Readonly<Record<string, readonly number[]>>
  /** Of siteverify, by code. */
  readonly verdicts: Readonly<Record<string, readonly number[]>>
  /**
   * What the banner gives the times of: answers by a code that says the service cannot do its work, and `generation_moves`,
   * `shed` and `lines_lost`. Only those that happened.
   */
  readonly troubles: Readonly<Record<string, readonly number[]>>
  /** Seconds in which half, and 95 of 100, of the answers were out; null: there were none. */
  readonly median: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

export interface DistributionView {
  /** Upper bounds; one more count than bounds is what was above. */
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
  readonly sum: number
  /** What half, and 95 of 100, stay below, on the line between the bounds around it; null: there is nothing. */
  readonly median: number | null
  readonly p95: number | null
}

export interface SiteView {
  /** Or `other`. */
  readonly site: string
  readonly name?: string
  /** In force. */
  readonly threshold?: number
  readonly challenges: number
  readonly tokens: number
  /** Tokens whose life is over, and how many of them were judged; the rest was never verified. */
  readonly ended: number
  readonly endedJudged: number
  /** By code. */
  readonly verdicts: CountsBy
  readonly reasons: CountsBy
  /** Second tries: `asked`, `done`, `helped`. */
  readonly stepUps: CountsBy
  /** By action: how many had each score, by its hundredths. */
  readonly scores: Readonly<Record<string, CountsBy>>
}
