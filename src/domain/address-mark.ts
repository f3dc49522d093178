/** An address as it may be kept in a token: comparable, not readable. */
export interface AddressMark {
  readonly family: 4 | 6
  readonly scope: 'public' | 'private'
  /**
   * 128 bits, base64url: 48 of a keyed hash of the /24 or /48, 24 of one of the IPv6 /56 (IPv4: of the address), then 56 of
   * one of the address (IPv6: /64).
   */
  readonly hash: string
}

/** The part of a mark that neighbours share: 48 bits of the IPv4 /24 or the IPv6 /48. */
export const networkOf = (mark: string): string => mark.slice(0, 8)

/** The part of a mark that the /64 networks of one IPv6 /56 share: 72 bits. */
export const subnetOf = (mark: string): string => mark.slice(0, 12)

export type AddressComparison = 'same' | 'other' | 'not-comparable'

/**
 * Compares the address that solved with the one the customer sent. Two families, or a private and a public
 * address, say nothing about the visitor: they mean that one of us sees a proxy. docs/api/api.md, "remoteip".
 */
export function compareAddresses(a: AddressMark, b: AddressMark): AddressComparison {
  if (a.family !== b.family || a.scope !== b.scope) return 'not-comparable'
  return a.hash === b.hash ? 'same' : 'other'
}

/** Where a solution came from, seen from where its challenge was asked for. */
export type Distance = 'same' | 'near' | 'other-family' | 'elsewhere'

/**
 * Compares the address of a challenge with the address of its solution. Neighbours in a /24 or /48 are `near`; a browser
 * that speaks IPv4 and IPv6 may use both within one visit, and the two cannot be compared.
 */
export function distanceOf(challenged: AddressMark | undefined, solved: AddressMark | undefined): Distance {
  if (challenged === undefined || solved === undefined) return challenged === solved ? 'same' : 'elsewhere'
  if (challenged.hash === solved.hash) return 'same'
  if (challenged.family !== solved.family) return 'other-family'
  return networkOf(challenged.hash) === networkOf(solved.hash) ? 'near' : 'elsewhere'
}
