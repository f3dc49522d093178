import { type ResponseClaims } from './response.ts'
import {
  allowsAction,
  allowsHostname,
  isAction,
  parseOrigin,
  type Site,
  thresholdsOf,
} from '../domain/site.ts'
import {
  type Action,
  type Generation,
  type Hostname,
  type Jti,
  type Kid,
  later,
  type UnixSeconds,
  unixSeconds,
} from '../domain/words.ts'

/** Seconds that a pass may live: a minute to a day. */
const SHORTEST_PASS = 60
export const LONGEST_PASS = 86_400
/** Seconds that the clock of a pass's maker may differ from ours. */
const PASS_TOLERANCE = 60

/** The public key of a site's passes: an Ed25519 JWK (RFC 8037). */
export type PassKey = Site['passKeys'][number]

/** Claims of an opened pass: a customer vouches for one visitor. */
export interface PassClaims {
  readonly jti: Jti
  readonly action: Action
  readonly hostname: Hostname
  readonly issuedAt: UnixSeconds
  readonly expiresAt: UnixSeconds
}

/** Reports whether a page of the site, and a form with this action, can exist, and the pass lives for a permitted time. */
export const isPassOf = (
  site: Site,
  { action, hostname, issuedAt, expiresAt }: PassClaims,
  now: UnixSeconds,
): boolean =>
  isAction(action) &&
  allowsAction(site, action) &&
  isPageHostname(hostname) &&
  allowsHostname(site, hostname) &&
  expiresAt - issuedAt >= SHORTEST_PASS &&
  expiresAt - issuedAt <= LONGEST_PASS &&
  issuedAt <= now + PASS_TOLERANCE

/** Reports whether a page can have the hostname: not a pattern, and as a browser spells it. */
const isPageHostname = (hostname: string): boolean =>
  parseOrigin(hostname.includes('://') ? hostname : `https://${hostname}`)?.hostname === hostname

/**
 * Reports whether the ledger can know that a pass was not used before. A pass is made without asking the service, so it
 * names no generation: only a generation that began before the pass was made is certain to have its entry.
 *
 * @param beganAt when the generation in force began; undefined: unknown.
 */
export const wasMadeInGeneration = (
  beganAt: UnixSeconds | undefined,
  { issuedAt }: PassClaims,
): boolean => Number.isSafeInteger(beganAt) && beganAt! + PASS_TOLERANCE <= issuedAt

/** Seconds. */
const HOUR = 3600

/**
 * Returns until when the entries of a pass are kept, the soonest first: one for each hour from now until its end. The ledger
 * finds an entry by its end; two passes with one id may end at different times, and still have to meet.
 */
export function passEntriesUntil(expiresAt: UnixSeconds, now: UnixSeconds): readonly UnixSeconds[] {
  const last = Math.floor(expiresAt / HOUR)
  const from = Math.min(Math.floor(now / HOUR), last)
  return Array.from({ length: last - from + 1 }, (_, i) =>
    unixSeconds((from + i + 1) * HOUR + PASS_TOLERANCE),
  )
}

/**
 * Writes a pass as the claims of a response token, so that it is judged and answered like one. The customer has signed its
 * action, so its score is enough whether the handler names that action or none: it is the higher of both thresholds. Nothing is
 * said of an address.
 */
export function responseClaimsOf(
  { jti, action, hostname, issuedAt, expiresAt }: PassClaims,
  site: Site,
  { generation, kid }: { readonly generation: Generation; readonly kid: Kid },
): ResponseClaims {
  const { scoreThreshold: ofAction } = thresholdsOf(site, action)
  const decision = {
    score: Math.max(ofAction, site.scoreThreshold),
    contributions: [],
    rule: undefined,
  }
  return {
    jti,
    kid,
    sitekey: site.sitekey,
    hostname,
    action,
    cdata: undefined,
    generation,
    challengedAt: issuedAt,
    issuedAt,
    expiresAt,
    keepUntil: later(expiresAt, PASS_TOLERANCE),
    sealed: { decision, address: undefined },
  }
}
