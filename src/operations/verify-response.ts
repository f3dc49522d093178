import { type AddressHash, networkOf, scopeOf } from '../domain/address-hash.ts'
import { Fault } from '../domain/codes.ts'
import type { ResponseClaims } from '../claims/response.ts'
import { reasonsOf } from '../score/score.ts'
import { type Site, thresholdsOf } from '../domain/site.ts'
import { judge, rejected, type Verdict, verdictCode, wouldReject } from '../claims/verdict.ts'
import type { AttemptId, Kid, UnixSeconds } from '../domain/words.ts'
import type { Log } from '../domain/observing.ts'
import type { Clock, Consumption, Ledger, Limiter, Random, Sites } from '../domain/ports.ts'
import type { OpenPass, Tokens, Unopened } from '../claims/tokens.ts'
import type { SiteverifyRequest } from '../wire.ts'
import { addressNotice } from './address-notice.ts'
import { isHeld } from './attempt.ts'
import type { Caller } from './caller.ts'
import { passes } from './passes.ts'
import { secondChance } from './second-chance.ts'
import { type SiteRequest, verifyAttempt } from './verify-attempt.ts'

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

/** @param sitekey what the caller says that its site is; undefined: it does not say. */
export type VerifyResponse = (
  request: SiteverifyRequest,
  caller: Caller,
  sitekey?: unknown,
) => Promise<Verdict>
/** A request for a site whose caller is known: by its secret, or as part of this process. */
interface SiteCall {
  readonly site: Site
  readonly request: SiteRequest
  readonly caller: Pick<Caller, 'note'>
  readonly now: UnixSeconds
}

/** Authenticates the site by its secret, and verifies for it. */
export function verifyResponse(ports: Ports): VerifyResponse {
  const { sites, limiter, clock } = ports
  const verify = verifyForSite(ports)
  return async (request, caller, sitekey) => {
    const now = clock.now()
    const site = sites.bySecret(request.secret, now)
    if (!site || (sitekey ?? site.sitekey) !== site.sitekey) {
      await limiter.take('invalidSecret', caller.address ?? 'unknown')
      throw Fault.of('invalid-input-secret')
    }
    return verify({ site, request, caller, now })
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
 * - a token is consumed before its action, address and score are judged, so a refusal for one of them uses it up as well.
 *
 * Tokens that are forged, expired, used or of another site have a separate budget, so that posting them through a customer's form
 * cannot keep genuine ones out. A pass of the site is handled like a token.
 *
 * @see docs/api/api.md, "POST /api/v1/siteverify"; docs/design/threats.md, "Order of work in siteverify"
 */
export function verifyForSite(ports: Ports) {
  const { tokens, ledger, limiter, random } = ports
  const pass = passes(ports)
  const chance = secondChance(ports)
  const notice = addressNotice(ports.log)

  async function verify(call: SiteCall): Promise<Verdict> {
    const { site, request, caller, now } = call
    caller.note({ sitekey: site.sitekey })

    const token = await tokens.openResponse(request.response, site.sitekey, now)
    const isPass = token === 'invalid' && site.passKeys.length > 0
    const claims = isPass ? await pass.open(request.response, site, now) : token
    if (typeof claims === 'string') return refuseUnopened(claims, call)
    // This must happen before the next await: a reload may drop the key that opened the token, and then the address could not be compared.
    const remote = hashSent(tokens, request.remoteip, claims.kid)
    const { jti, action, hostname } = claims
    caller.note({ jti, action, hostname })

    await limiter.take('siteverify', site.sitekey)
    const attempt = verifyAttempt(site.sitekey, request, random)
    const consumption = isPass
      ? await pass.consume(claims, attempt, now)
      : await consumeToken(claims, attempt)
    if (!isHeld(consumption)) return refuseUsed(consumption, claims, call)

    noteDecision(caller, claims)
    if (isPass) caller.note({ vouched: true })
    if (consumption === 'again') caller.note({ again: true })
    notice(claims, remote, now)
    const verdict = judgeFor(call, claims, remote)
    if (verdict.accepted || verdict.code !== 'low-score') return verdict
    const stepUp = await chance.offer('ticket', site, claims, caller)
    return { ...verdict, ...(stepUp !== undefined && { stepUp }) }
  }

  /** Anyone can post such a token through the site's form, so it must not use up the site's budget. */
  async function refuseUnopened(why: Unopened, { site, request, caller }: SiteCall) {
    await limiter.junk(site.sitekey, senderOf(request))
    if (why === 'expired') caller.note({ detail: 'expired' })
    return rejected(why === 'invalid' ? 'invalid-input-response' : 'timeout-or-duplicate')
  }

  /** A used token can be posted as often as a made-up one, so it counts as junk. */
  async function refuseUsed(
    consumption: keyof typeof DETAIL,
    claims: ResponseClaims,
    { site, request, caller }: SiteCall,
  ) {
    await limiter.giveBack('siteverify', site.sitekey)
    await limiter.junk(site.sitekey, senderOf(request, claims.sealed.address))
    caller.note({ detail: DETAIL[consumption] })
    return rejected('timeout-or-duplicate')
  }

  function consumeToken(claims: ResponseClaims, attempt: AttemptId): Promise<Consumption> {
    const { jti, generation, expiresAt, keepUntil } = claims
    return ledger.consume({ kind: 'response', jti, generation, attempt, expiresAt, keepUntil })
  }

  /**
   * Returns the address that a token was sent from: the one that the customer names, or else the one that solved. A private
   * address may be that of a proxy in front of all visitors, so it names no sender.
   *
   * @param solvedAt of a token that could be opened.
   */
  function senderOf({ remoteip }: SiteRequest, solvedAt?: AddressHash): AddressHash | undefined {
    const sender = remoteip === undefined ? solvedAt : hashSent(tokens, remoteip)
    return sender !== undefined && scopeOf(sender) === 'public' ? sender : undefined
  }

  return verify
}

/** Hashes the address, or the network, that a customer sent. @param kid of the token that it is compared with. */
function hashSent(
  tokens: Pick<Tokens, 'hashAddress'>,
  remoteip: string | undefined,
  kid?: Kid,
): AddressHash | undefined {
  const [address, bits] = remoteip?.split('/') ?? []
  const hash = address === undefined ? undefined : tokens.hashAddress(address, kid)
  return hash && bits !== undefined ? (networkOf(hash) as AddressHash) : hash
}

function noteDecision(caller: SiteCall['caller'], { sealed }: ResponseClaims): void {
  const { decision, namedAgent } = sealed
  caller.note({ score: decision.score })
  if (namedAgent !== undefined) caller.note({ agent: namedAgent })
}

/** Judges a token by the site's policy, and notes why its score is low for the metrics and the last hour. */
function judgeFor(
  { site, request, caller }: SiteCall,
  claims: ResponseClaims,
  remote: AddressHash | undefined,
): Verdict {
  const { scoreThreshold: ofAction, shadowThreshold } = thresholdsOf(site, claims.action)
  // The visitor chose the action of the token. Where the handler names none, an action with a low threshold must not
  // let a visit in that the site's own threshold refuses.
  const scoreThreshold =
    request.action === undefined ? Math.max(ofAction, site.scoreThreshold) : ofAction
  const verdict = judge({
    claims,
    expectedAction: request.action,
    remote,
    scoreThreshold,
    reasons: site.reasons,
    agents: site.agents,
  })
  if (verdictCode(verdict) === 'low-score')
    caller.note({ reasons: reasonsOf(claims.sealed.decision) })
  if (wouldReject(verdict, shadowThreshold)) caller.note({ would_reject: true })
  return verdict
}
