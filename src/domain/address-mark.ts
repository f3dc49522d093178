/**
 * A keyed hash of an address, which can be compared and stored. `4` or `6`; `p` if private, else `g`; then in base64url: 8 letters
 * for the /24 or /48, 4 for the IPv6 /56 (IPv4: for the address), 10 for the address (IPv6: /64).
 */
export type AddressMark = string & { readonly __brand: 'address mark' }

/** Returns the part of a mark that neighbours in an IPv4 /24 or IPv6 /48 share. It is the mark of the network. */
export const networkOf = (mark: string): string => mark.slice(0, 10)

/** Returns the part of a mark that the /64 networks of one IPv6 /56 share. */
export const subnetOf = (mark: string): string => mark.slice(0, 14)

/** Returns the part of a mark that names one customer of a provider: an IPv6 /56, or an IPv4 address. */
export const customerOf = subnetOf

export const scopeOf = (mark: AddressMark): 'public' | 'private' =>
  mark[1] === 'p' ? 'private' : 'public'

export type AddressComparison = 'same' | 'other' | 'not-comparable'

/**
 * Compares the address that solved with the one that the customer sent, or with a network that it has to be in. Addresses of two families, or a private and a public one,
 * cannot be compared: one side sees a proxy. docs/api/api.md, "remoteip".
 */
export function compareAddresses(solved: AddressMark, sent: AddressMark): AddressComparison {
  if (solved.slice(0, 2) !== sent.slice(0, 2)) return 'not-comparable'
  // The mark of an address begins with that of its network.
  return solved.startsWith(sent) ? 'same' : 'other'
}

/** Where a solution came from, relative to the request for its challenge. */
export type Distance = 'same' | 'near' | 'other-family' | 'elsewhere'

/**
 * Compares the address of a challenge with that of its solution. Neighbours in a /24 or /48 are `near`. A browser may use both
 * IPv4 and IPv6 within one visit, and the two cannot be compared.
 */
export function distanceOf(
  challenged: AddressMark | undefined,
  solved: AddressMark | undefined,
): Distance {
  if (challenged === solved) return 'same'
  if (challenged === undefined || solved === undefined) return 'elsewhere'
  if (challenged[0] !== solved[0]) return 'other-family'
  return networkOf(challenged) === networkOf(solved) ? 'near' : 'elsewhere'
}
