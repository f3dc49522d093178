import { type AddressHash, compareAddresses } from '../domain/address-hash.ts'
import type { JudgedClaims } from './response.ts'
import type { Signals } from '../score/signals.ts'
import { later, seconds, type UnixSeconds } from '../domain/words.ts'

/** How long a ticket may be used. */
export const TICKET_LIFETIME = seconds(600)
/** Seconds that the button of the step waits before it takes a press; also checked here. */
const LEAST_WAIT_S = 3

/** Claims of an opened ticket: a first visit was judged, and scored too low. */
export type TicketClaims = JudgedClaims

/** The first visit, as its challenge or its response token tells of it. `keepUntil`: no token of it, and so no ticket, is made later. */
export type FirstVisit = Omit<TicketClaims, 'kid' | 'issuedAt' | 'expiresAt'>

export const ticketOf = (
  { jti, sitekey, hostname, action, generation, keepUntil, sealed }: FirstVisit,
  now: UnixSeconds,
): Omit<TicketClaims, 'kid'> => ({
  jti,
  sitekey,
  hostname,
  action,
  generation,
  issuedAt: now,
  expiresAt: later(now, TICKET_LIFETIME),
  keepUntil: later(keepUntil, TICKET_LIFETIME),
  sealed,
})

/**
 * Reports whether a ticket is presented from the address it was made for. Two families cannot be compared: a browser that
 * speaks both may use both within one visit.
 */
export function isSameAddress(
  { sealed: { address } }: TicketClaims,
  presented: AddressHash | undefined,
): boolean {
  if (address === undefined || presented === undefined) return address === presented
  return compareAddresses(address, presented) !== 'other'
}

/**
 * Reports whether a visitor did the step: a trusted press, three seconds or more after the button appeared, by both clocks.
 * The automation checks must have run: an empty summary must not fare better than a sparse one.
 *
 * @param age seconds since the challenge of the step was issued.
 */
export function isConfirmed({ step, automation, input }: Signals, age: number): boolean {
  const isLookedAt = automation?.webdriver !== undefined && (input?.trusted ?? 0) > 0
  return (
    isLookedAt &&
    step?.pressed === 1 &&
    (step.waited ?? 0) >= LEAST_WAIT_S * 1000 &&
    age >= LEAST_WAIT_S
  )
}
