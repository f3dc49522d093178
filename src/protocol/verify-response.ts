import { compareAddresses } from '../domain/address.ts'
import { Fault } from '../domain/codes.ts'
import type { ResponseClaims } from '../domain/response.ts'
import { reasonsOf } from '../domain/score.ts'
import { judge, rejected, type Verdict, verdictCode, wouldReject } from '../domain/verdict.ts'
import type { AttemptId, Sitekey } from '../domain/words.ts'
import type { Admission, Clock, Guesses, History, Limiter, Log, Random, Sites, Tokens } from '../ports.ts'
import type { SiteverifyRequest } from '../wire.ts'
import { attemptFrom } from './attempt.ts'
import { type Caller, placeOf } from './caller.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly limiter: Limiter
  readonly admission: Admission
  readonly history: History
  readonly guesses: Guesses
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type VerifyResponse = (request: SiteverifyRequest, caller: Caller) => Promise<Verdict>

/**
 * authenticate → open → limit and consume → judge. The order is the security argument:
 *
 * - without the secret nobody reaches a site's budget, the ledger or a token;
 * - nothing is consumed before it is proven ours, and the site's own, and never beyond the site's budget;
 * - nothing is judged before it is consumed: every verdict burns the token.
 *
 * Opening asks nobody, so the limit may come with the ledger, in one call. Seen from outside it comes first all the same:
 * who is over the budget is told so, whatever the token is.
 *
 * @see CONTRACT.md, "POST /api/v1/siteverify"; THREATS.md, section 3
 */
export function verifyResponse(ports: Ports): VerifyResponse {
  const { sites, tokens, limiter, admission, history, guesses, clock, random } = ports
  const warnOnce = noticeOnce(ports.log)

  return async (request, caller) => {
    const now = clock.now()
    const site = sites.bySecret(request.secret, now)
    if (!site) {
      guesses.check(caller.address ?? 'unknown')
      guesses.count(caller.address ?? 'unknown')
      throw new Fault('invalid-input-secret')
    }
    caller.note({ sitekey: site.sitekey })

    const claims = tokens.openResponse(request.response, site.sitekey, now)
    if (typeof claims === 'string') {
      await limiter.take('siteverify', site.sitekey)
      if (claims === 'invalid') throw new Fault('invalid-input-response')
      return rejected('timeout-or-duplicate')
    }
    // Now, while the key that opened the token is surely there: without a mark nothing would be compared.
    const remote = request.remoteip === undefined ? undefined : tokens.markAddress(request.remoteip, claims.kid)
    const { jti, action, hostname, expiresAt } = claims
    caller.note({ jti, action, hostname, token_ends: expiresAt })

    const consumption = await admission.admit('siteverify', site.sitekey, {
      kind: 'response',
      jti: claims.jti,
      generation: claims.generation,
      attempt: attemptOf(site.sitekey, request, random),
      expiresAt: claims.expiresAt,
      keepUntil: claims.keepUntil,
    })
    if (consumption !== 'ours') return rejected('timeout-or-duplicate')

    const { decision } = claims.sealed
    caller.note({ score: decision.score })
    warnOnce(claims, remote)
    const { scoreThreshold, shadowThreshold, reasons } = site
    const verdict = judge({ claims, expectedAction: request.action, remote, scoreThreshold, reasons })
    if (verdictCode(verdict) === 'low-score') caller.note({ reasons: reasonsOf(decision) })
    if (wouldReject(verdict, shadowThreshold)) caller.note({ would_reject: true })
    // Nobody waits for it.
    if (verdict.accepted) {
      history.note({ place: placeOf(site, claims.action), address: claims.sealed.address?.hash, what: 'verified' })
    }
    return verdict
  }
}

/**
 * Who consumes. Random for each request, so that nobody else is ever taken for it; with an `idempotency_key`, the same
 * for a repeat that is equal in every field, the token too (a challenge may have more than one, of one id), and for no
 * other. Never derived from the token without the key.
 */
function attemptOf(sitekey: Sitekey, request: SiteverifyRequest, random: Random): AttemptId {
  const { idempotency_key: key, response, action = null, remoteip = null } = request
  if (key === undefined) return random.id() as AttemptId
  return attemptFrom(JSON.stringify([sitekey, key, response, action, remoteip]))
}

/** Says once, not per request, that the two addresses can never be compared: a set-up, not a visitor. */
function noticeOnce(log: Log) {
  let said = false
  return ({ sitekey, sealed }: ResponseClaims, remote: ReturnType<Tokens['markAddress']>): void => {
    if (said || !remote || !sealed.address || compareAddresses(sealed.address, remote) !== 'not-comparable') return
    said = true
    log.warn('remoteip not comparable', {
      sitekey,
      detail: `solved from a ${sealed.address.scope} IPv${sealed.address.family} address, remoteip is ${remote.scope} IPv${remote.family}`,
      hint: 'one side sees a proxy: check trusted_proxies here, and how the customer resolves the visitor address',
    })
  }
}
