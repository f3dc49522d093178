/**
 * An address as it may be kept: comparable, not readable. `4` or `6`; `p` if it is private, else `g`; then base64url: 8 letters
 * of a keyed hash of the /24 or /48, 4 of one of the IPv6 /56 (IPv4: of the address), 10 of one of the address (IPv6: /64).
 */
export type AddressMark = string & { readonly __brand: 'address mark' }

/** The part of a mark that neighbours share: that of the IPv4 /24 or the IPv6 /48. */
export const networkOf = (mark: string): string => mark.slice(0, 10)

/** The part of a mark that the /64 networks of one IPv6 /56 share. */
export const subnetOf = (mark: string): string => mark.slice(0, 14)

export const scopeOf = (mark: AddressMark): 'public' | 'private' => (mark[1] === 'p' ? 'private' : 'public')

export type AddressComparison = 'same' | 'other' | 'not-comparable'

/**
 * Compares the address that solved with the one the customer sent. Two families, or a private and a public
 * address, say nothing about the visitor: they mean that one of us sees a proxy. docs/api/api.md, "remoteip".
 */
export function compareAddresses(a: AddressMark, b: AddressMark): AddressComparison {
  if (a.slice(0, 2) !== b.slice(0, 2)) return 'not-comparable'
  return a === b ? 'same' : 'other'
}

/** Where a solution came from, seen from where its challenge was asked for. */
export type Distance = 'same' | 'near' | 'other-family' | 'elsewhere'

/**
 * Compares the address of a challenge with the address of its solution. Neighbours in a /24 or /48 are `near`; a browser
 * that speaks IPv4 and IPv6 may use both within one visit, and the two cannot be compared.
 */
export function distanceOf(challenged: AddressMark | undefined, solved: AddressMark | undefined): Distance {
  if (challenged === solved) return 'same'
  if (challenged === undefined || solved === undefined) return 'elsewhere'
  if (challenged[0] !== solved[0]) return 'other-family'
  return networkOf(challenged) === networkOf(solved) ? 'near' : 'elsewhere'
}
