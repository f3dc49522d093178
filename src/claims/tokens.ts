/** What signs and opens tokens. */
import type { AddressHash } from '../domain/address-hash.ts'
import type { ChallengeClaims } from './challenge.ts'
import type { ResponseClaims } from './response.ts'
import type { PassClaims } from './pass.ts'
import type { Site } from '../domain/site.ts'
import type { TicketClaims } from './ticket.ts'
import type { Kid, Sitekey, UnixSeconds } from '../domain/words.ts'

/** Why a token was not opened: never ours or altered, or ours and over. */
export type Unopened = 'invalid' | 'expired'

/** Signs and opens the three kinds of token, with the keys that only the service has. */
export interface Tokens {
  signChallenge(claims: Omit<ChallengeClaims, 'kid'>): Promise<string>
  openChallenge(token: string, now: UnixSeconds): Promise<ChallengeClaims | Unopened>
  /** @returns a token of at most 2,048 characters, whose length does not depend on what is sealed. */
  signResponse(claims: Omit<ResponseClaims, 'kid'>): Promise<string>
  /** @returns `invalid` too for a token of another site. */
  openResponse(
    token: string,
    sitekey: Sitekey,
    now: UnixSeconds,
  ): Promise<ResponseClaims | Unopened>
  /** @returns a ticket of at most 2,048 characters, whose length does not depend on what is sealed. */
  signTicket(claims: Omit<TicketClaims, 'kid'>): Promise<string>
  /** @returns `invalid` too for a ticket of another site. */
  openTicket(ticket: string, sitekey: Sitekey, now: UnixSeconds): Promise<TicketClaims | Unopened>
  /**
   * Returns an address as it may be kept: a keyed hash with what is needed to compare it.
   * @param kid the key to hash with; left out: the active one.
   * @param likely the hash that it most likely has; if it does, that is returned, and less is hashed.
   */
  hashAddress(address: string, kid?: Kid, likely?: AddressHash): AddressHash | undefined
  /** Returns 32 pseudo-random bytes that cannot be predicted without the keyring. */
  derive(purpose: 'positions' | 'proof', input: string, kid: Kid): Buffer
  /** Returns the key that signs what is issued now. */
  activeKid(now: UnixSeconds): Kid
}

/** Derives the seeds of a challenge's proof tasks: one set, or two for the second visit of a step-up. */
export function proofSeeds(
  tokens: Tokens,
  { jti, kid, step }: Pick<ChallengeClaims, 'jti' | 'kid' | 'step'>,
): Buffer[] {
  const first = tokens.derive('proof', jti, kid)
  return step === undefined ? [first] : [first, tokens.derive('proof', `${jti}.2`, kid)]
}

/**
 * Opens a pass, by which a customer vouches for a visitor.
 *
 * @returns `invalid` too for a pass that no key of the site made.
 */
export type OpenPass = (
  response: string,
  site: Pick<Site, 'sitekey' | 'passKeys'>,
  now: UnixSeconds,
) => Promise<PassClaims | Unopened>
