/**
 * A keyed hash of an address, which can be compared and stored. It is a text, because it is a claim of tokens and a part of keys
 * in Redis, and its parts stand in the order in which they narrow the address down: so its beginning is the hash of a network.
 */
export type AddressHash = string & { readonly __brand: 'address hash' }

/** Characters of each part, in order. The last three are the beginning of a keyed digest, in base64url. */
const LENGTHS = {
  /** `4` or `6`. */
  family: 1,
  scope: 1,
  /** The IPv4 /24 or the IPv6 /48. */
  network: 8,
  /** The IPv6 /56. IPv4 has none: further characters of its subscriber's digest. */
  subnet: 4,
  /** The IPv4 address or the IPv6 /64. */
  subscriber: 10,
} as const
const NETWORK_END = LENGTHS.family + LENGTHS.scope + LENGTHS.network
const SUBNET_END = NETWORK_END + LENGTHS.subnet
const LENGTH = SUBNET_END + LENGTHS.subscriber

const SCOPES = { public: 'g', private: 'p' } as const
type Scope = keyof typeof SCOPES

/** Keyed digests of an address and of what is around it, in base64url. */
interface Digests {
  readonly network: string
  /** undefined for IPv4. */
  readonly subnet: string | undefined
  readonly subscriber: string
}

export function encodeAddressHash(family: 4 | 6, scope: Scope, digests: Digests): AddressHash {
  const { network, subscriber, subnet = subscriber.slice(LENGTHS.subscriber) } = digests
  const networks = network.slice(0, LENGTHS.network) + subnet.slice(0, LENGTHS.subnet)
  const own = subscriber.slice(0, LENGTHS.subscriber)
  return `${family}${SCOPES[scope]}${networks}${own}` as AddressHash
}

/** Reports whether a text is the hash of an address, and not of a network alone. */
export const isAddressHash = (text: string): text is AddressHash =>
  text.length === LENGTH && /^[46][gp]/.test(text)

/** Reports whether a hash is that of a subscriber. @param digest of the subscriber. */
export const isOfSubscriber = (hash: AddressHash, digest: string): boolean =>
  hash.endsWith(digest.slice(0, LENGTHS.subscriber))

export const familyOf = (hash: string): 4 | 6 => (hash.startsWith('4') ? 4 : 6)

export const scopeOf = (hash: AddressHash): Scope =>
  hash[LENGTHS.family] === SCOPES.private ? 'private' : 'public'

/** Returns the hash of the network: addresses in an IPv4 /24 or IPv6 /48 share it. */
export const networkOf = (hash: string): string => hash.slice(0, NETWORK_END)

/** Returns the hash of the subnet: the /64 networks of an IPv6 /56 share it. An IPv4 address has it for itself. */
export const subnetOf = (hash: string): string => hash.slice(0, SUBNET_END)

export type AddressComparison = 'same' | 'other' | 'not-comparable'

/**
 * Compares the address that solved with the one that the customer sent, or with a network that it has to be in. Addresses of two
 * families, or a private and a public one, cannot be compared: one side sees a proxy. docs/api/api.md, "remoteip".
 */
export function compareAddresses(solved: AddressHash, sent: AddressHash): AddressComparison {
  if (familyOf(solved) !== familyOf(sent) || scopeOf(solved) !== scopeOf(sent))
    return 'not-comparable'
  // The hash of an address begins with that of its network.
  return solved.startsWith(sent) ? 'same' : 'other'
}

/** Where a solution came from, relative to the request for its challenge. */
export type Distance = 'same' | 'near' | 'other-family' | 'elsewhere'

/**
 * Compares the address of a challenge with that of its solution. Neighbours in a /24 or /48 are `near`. A browser may use both
 * IPv4 and IPv6 within one visit, and the two cannot be compared.
 */
export function distanceOf(
  challenged: AddressHash | undefined,
  solved: AddressHash | undefined,
): Distance {
  if (challenged === solved) return 'same'
  if (challenged === undefined || solved === undefined) return 'elsewhere'
  if (familyOf(challenged) !== familyOf(solved)) return 'other-family'
  return networkOf(challenged) === networkOf(solved) ? 'near' : 'elsewhere'
}
