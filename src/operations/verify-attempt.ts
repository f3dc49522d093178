import type { Random } from '../domain/ports.ts'
import type { AttemptId, Sitekey } from '../domain/words.ts'
import type { SiteverifyRequest } from '../wire.ts'
import { attemptOf } from './attempt.ts'

/** A request from a caller that needs no secret. */
export type SiteRequest = Omit<SiteverifyRequest, 'secret'>

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
export function verifyAttempt(sitekey: Sitekey, request: SiteRequest, random: Random): AttemptId {
  const { idempotency_key: key } = request
  if (key === undefined) return random.id() as AttemptId
  const compared = COMPARED.map((field) => request[field] ?? null)
  // A UUID means the same in capitals: RFC 9562, section 4.
  return attemptOf(JSON.stringify([sitekey, key.toLowerCase(), ...compared]))
}
