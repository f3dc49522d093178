import { type AddressMark, compareAddresses, scopeOf } from '../domain/address-mark.ts'
import { Fault } from '../domain/codes.ts'
import type { ResponseClaims } from '../claims/response.ts'
import { isOlderThan, isPassOf, passEntriesUntil, responseOf } from '../claims/pass.ts'
import { reasonsOf } from '../score/score.ts'
import { type Site, thresholdsOf } from '../domain/site.ts'
import { judge, rejected, type Verdict, verdictCode, wouldReject } from '../claims/verdict.ts'
import type { AttemptId, Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Log } from '../domain/observing.ts'
import type { Clock, Consumption, Ledger, Limiter, Random, Sites } from '../domain/ports.ts'
import type { OpenPass, Tokens } from '../claims/tokens.ts'
import type { SiteverifyRequest } from '../wire.ts'
import { attemptOf, isHeld } from './attempt.ts'
import type { Caller } from './caller.ts'
import { secondChance } from './second-chance.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly openPass: OpenPass
  readonly ledger: Pick<Ledger, 'consume' | 'generation' | 'beganAt'>
  readonly limiter: Limiter
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type VerifyResponse = (request: SiteverifyRequest, caller: Caller) => Promise<Verdict>
/** A request from a caller that needs no secret. */
export type SiteRequest = Omit<SiteverifyRequest, 'secret'>

/** Authenticates the site by its secret, and verifies for it. */
export function verifyResponse(ports: Ports): VerifyResponse {
  const { sites, limiter, clock } = ports
  const verify = verifyForSite(ports)
  return async (request, caller) => {
    const now = clock.now()
    const site = sites.bySecret(request.secret, now)
    if (!site) {
      await limiter.take('guess', caller.address ?? 'unknown')
      throw Fault.of('invalid-input-secret')
    }
    return verify(site, request, caller, now)
  }
}

/** Why a token is refused with `timeout-or-duplicate`; only for the log. */
const DETAIL = {
  taken: 'used before',
  stale: 'of an earlier ledger, or of another one',
  expired: 'expired',
} as const

/**
 * (authenticate →) open → limit → consume → judge. The order is the security argument:
 *
 * - without the secret, a request reaches neither the site's budget nor the ledger nor a token;
 * - a token is consumed only if we signed it for this site, and the site's budget is not used up;
 * - a token is consumed before it is judged: every verdict uses it up.
 *
 * Tokens that are forged, expired, used or of another site have a separate budget, so that posting them through a customer's form
 * cannot keep genuine ones out. A pass of the site is handled like a token.
 *
 * @see docs/api/api.md, "POST /api/v1/siteverify"; docs/design/threats.md, "Order of work in siteverify"
 */
export function verifyForSite(ports: Ports) {
  const { tokens, ledger, limiter, random } = ports
  const chance = secondChance(ports)
  const warnNowAndThen = noticeNowAndThen(ports.log)

  return async (
    site: Site,
    request: SiteRequest,
    caller: Pick<Caller, 'note'>,
    now: UnixSeconds,
  ): Promise<Verdict> => {
    caller.note({ sitekey: site.sitekey })

    const opened = await tokens.openResponse(request.response, site.sitekey, now)
    const isPass = opened === 'invalid' && site.passKeys.length > 0
    const claims = isPass ? await claimsOfPass(request.response, site, now) : opened
    if (typeof claims === 'string') {
      // Anyone can post such a token through the site's form, so it must not use up the site's budget.
      await limiter.junk(site.sitekey, senderOf(request))
      if (claims === 'expired') caller.note({ detail: 'expired' })
      return rejected(claims === 'invalid' ? 'invalid-input-response' : 'timeout-or-duplicate')
    }
    // Before the next await: a reload may drop the key that opened the token, and then the address could not be compared.
    const remote =
      request.remoteip === undefined ? undefined : tokens.markAddress(request.remoteip, claims.kid)
    const { jti, action, hostname } = claims
    caller.note({ jti, action, hostname })

    await limiter.take('siteverify', site.sitekey)
    const { generation, expiresAt } = claims
    const attempt = verifyAttempt(site.sitekey, request, random)
    const entry = {
      kind: isPass ? 'pass' : 'response',
      jti,
      generation,
      attempt,
      expiresAt,
    } as const
    // In sequence: if two requests use one pass at once, the one that gets the first entry gets them all.
    let consumption: Consumption = 'taken'
    for (const keepUntil of isPass ? passEntriesUntil(expiresAt, now) : [claims.keepUntil]) {
      consumption = await ledger.consume({ ...entry, keepUntil })
      if (!isHeld(consumption)) break
    }
    if (!isHeld(consumption)) {
      // A used token can be posted as often as a made-up one, so it counts as junk.
      await limiter.giveBack('siteverify', site.sitekey)
      await limiter.junk(site.sitekey, senderOf(request, claims.sealed.address))
      caller.note({ detail: DETAIL[consumption] })
      return rejected('timeout-or-duplicate')
    }

    const { decision, namedAgent } = claims.sealed
    caller.note({
      score: decision.score,
      ...(namedAgent !== undefined && { agent: namedAgent }),
      ...(isPass && { vouched: true }),
      ...(consumption === 'again' && { again: true }),
    })
    warnNowAndThen(claims, remote, now)
    const { reasons, agents } = site
    const thresholds = thresholdsOf(site, action)
    const { shadowThreshold } = thresholds
    // The visitor chose the action of the token. Where the handler names none, an action with a low threshold must not
    // let a visit in that the site's own threshold refuses.
    const scoreThreshold =
      request.action === undefined
        ? Math.max(thresholds.scoreThreshold, site.scoreThreshold)
        : thresholds.scoreThreshold
    const verdict = judge({
      claims,
      expectedAction: request.action,
      remote,
      scoreThreshold,
      reasons,
      agents,
    })
    if (verdictCode(verdict) === 'low-score') caller.note({ reasons: reasonsOf(decision) })
    if (wouldReject(verdict, shadowThreshold)) caller.note({ would_reject: true })
    if (!verdict.accepted && verdict.code === 'low-score') {
      const stepUp = await chance.offer('ticket', site, claims, caller)
      return { ...verdict, ...(stepUp !== undefined && { stepUp }) }
    }
    return verdict
  }

  /**
   * Returns the address that a token was sent from: the one that the customer names, or else the one that solved. A private
   * address may be that of a proxy in front of all visitors, so it names no sender.
   *
   * @param solvedAt of a token that could be opened.
   */
  function senderOf({ remoteip }: SiteRequest, solvedAt?: AddressMark): AddressMark | undefined {
    const mark = remoteip === undefined ? solvedAt : tokens.markAddress(remoteip)
    return mark !== undefined && scopeOf(mark) === 'public' ? mark : undefined
  }

  /**
   * Returns a pass as the claims of a token. A pass that is older than the current generation counts as expired: it may have
   * been used in one whose entries are lost.
   */
  async function claimsOfPass(response: string, site: Site, now: UnixSeconds) {
    const pass = await ports.openPass(response, site, now)
    if (typeof pass === 'string') return pass
    if (!isPassOf(site, pass, now)) return 'invalid'
    const generation = ledger.generation(pass.jti)
    if (!isOlderThan(ledger.beganAt(pass.jti), pass)) return 'expired'
    return responseOf(pass, site, { generation, kid: tokens.activeKid(now) })
  }
}

/**
 * The fields that must be equal in a repeat with the same `idempotency_key`: all but the key and the secret, which the
 * customer may have rotated. A new field of the request does not compile until it is named here.
 */
const COMPARED = Object.keys({
  response: true,
  action: true,
  remoteip: true,
} satisfies Record<Exclude<keyof SiteRequest, 'idempotency_key'>, true>) as (keyof SiteRequest)[]

/**
 * Names the attempt that consumes: at random without an `idempotency_key`; with one, by all fields including the token (tokens of
 * one challenge share an id), so that only an equal request is the same attempt.
 */
function verifyAttempt(sitekey: Sitekey, request: SiteRequest, random: Random): AttemptId {
  const { idempotency_key: key } = request
  if (key === undefined) return random.id() as AttemptId
  // A UUID means the same in capitals: RFC 9562, section 4.
  return attemptOf(
    JSON.stringify([
      sitekey,
      key.toLowerCase(),
      ...COMPARED.map((field) => request[field] ?? null),
    ]),
  )
}

const nameOf = (mark: AddressMark): string => `${scopeOf(mark)} IPv${mark[0]}`

/** Seconds between two notices about one site. */
const NOTICE_EVERY = 3600

/** Logs once an hour for each site that two addresses cannot be compared, which the set-up causes, not a visitor. */
function noticeNowAndThen(log: Log) {
  // One entry for each configured site that ever had the problem.
  const saidAt = new Map<Sitekey, UnixSeconds>()
  return (
    { sitekey, sealed }: ResponseClaims,
    remote: AddressMark | undefined,
    now: UnixSeconds,
  ): void => {
    if (!remote || !sealed.address || compareAddresses(sealed.address, remote) !== 'not-comparable')
      return
    const last = saidAt.get(sitekey)
    if (last !== undefined && now - last < NOTICE_EVERY) return
    saidAt.set(sitekey, now)
    log.warn('remoteip cannot be compared', {
      sitekey,
      detail: `solved from a ${nameOf(sealed.address)} address, remoteip is ${nameOf(remote)}`,
      hint: 'one side sees a proxy: check trusted_proxies here, and how the customer’s server finds the visitor’s address',
    })
  }
}
