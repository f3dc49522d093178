import { ALGORITHMS } from '../domain/challenge.ts'
import { parseOrigin } from '../domain/site.ts'

/** Claims as they were signed: who holds our key can write anything into them. */
type Claims = Readonly<Record<string, unknown>>

/** Seconds: the end of the year 9999, the last moment that a date of four digits can name. */
const LAST_MOMENT = 253_402_300_799
/** Seconds between a token's expiry and the moment until which the ledger keeps its entry; ours stay below an hour. */
const LONGEST_KEPT = 86_400
const ID = /^[A-Za-z0-9_-]{22}$/
const GENERATION = /^[A-Za-z0-9_-]{1,64}$/

const isMoment = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LAST_MOMENT
const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0

/** Tells whether the claims that both kinds of token have are of the kind that we sign. */
const areCommonSound = ({ jti, gen, aud, act, cda, iat, exp }: Claims): boolean =>
  isText(jti) &&
  ID.test(jti) &&
  isText(gen) &&
  GENERATION.test(gen) &&
  isText(aud) &&
  isText(act) &&
  (cda === undefined || isText(cda)) &&
  isMoment(iat) &&
  isMoment(exp)

/** Tells whether a challenge has claims that we could have signed; another one is invalid, never a fault of ours. */
export function isSoundChallenge(claims: Claims): boolean {
  const { org, tlt, pow, sus, stp, nam } = claims
  if (!areCommonSound(claims) || !isText(org) || !parseOrigin(org)) return false
  if (!isCount(tlt) || (tlt as number) > LONGEST_KEPT) return false
  if (sus !== undefined && !(typeof sus === 'number' && sus >= 0 && sus <= 1)) return false
  if (stp !== undefined && !(isText(stp) && ID.test(stp))) return false
  if (nam !== undefined && !isText(nam)) return false
  if (pow === null || typeof pow !== 'object') return false
  const { a, s, n, b } = pow as Claims
  return ALGORITHMS.some((algorithm) => algorithm === a) && isCount(s) && isCount(n) && isMoment(b)
}

/** Tells whether a response token has claims that we could have signed. */
export const isSoundResponse = (claims: Claims): boolean => isMoment(claims['cts']) && isSoundTicket(claims)

/** Tells whether a ticket has claims that we could have signed. */
export function isSoundTicket(claims: Claims): boolean {
  const { hst, kee, slc, exp } = claims
  if (!areCommonSound(claims) || !isText(hst) || !isText(slc) || !isMoment(kee)) return false
  const keptFor = (kee as number) - (exp as number)
  return keptFor >= 0 && keptFor <= LONGEST_KEPT
}
