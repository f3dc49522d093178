/** Written by `npm run docs` from the table of the wire, src/wire.ts. */

/** What siteverify is asked. */
export interface SiteverifyRequest {
  /** Private secret of the site. From your server only. */
  readonly secret: string
  /** The response token that the form carried in `svc-response`. */
  readonly response: string
  /** The visitor’s address, only if you can resolve it safely. If the challenge was solved from another address: `remoteip-mismatch`. */
  readonly remoteip?: string
  /** The action this handler protects: always send it. If the token is for another action: `action-mismatch`. */
  readonly action?: string
  /** UUID, version 4 or 7, a new one for each form submission received: the same request with the same key is answered the same again. */
  readonly idempotency_key?: string
}

/** Every member of an answer with status 200. */
export interface SiteverifyAnswer {
  readonly success: boolean
  /** When the challenge was issued: UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly challenge_ts?: string
  /** Where the widget ran; in an app’s own page its whole origin, `capacitor://localhost`. */
  readonly hostname?: string
  /** Higher is more likely human; two decimals. */
  readonly score?: number
  /** The threshold of the site. */
  readonly score_threshold?: number
  /** The token’s. */
  readonly action?: string
  /** Only where the page gave one. */
  readonly cdata?: string
  /** Only for a site with `reasons: true`: why the score is no higher (docs/design/scoring.md). */
  readonly reasons?: readonly string[]
  /** Only for a site with `agents: true`, of a named agent: its name in the configuration (docs/operate/agents.md). */
  readonly agent?: string
  readonly 'error-codes': readonly Rejection[]
  /** Only for a site with `step_up: ticket`, while the address has one left: for the second try (docs/widget/refused.md). */
  readonly step_up?: string
}

/** Why a visitor was refused. */
export type Rejection =
  | 'invalid-input-response'
  | 'remoteip-mismatch'
  | 'timeout-or-duplicate'
  | 'action-mismatch'
  | 'low-score'
