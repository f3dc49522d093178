/**
 * Facts about an address from the operator's local files.
 *
 * There are people behind all of these networks: companies route staff through data centres, many use a VPN, some need Tor. So
 * they cost at most 2 log-odds, and only the operator's `abuse` list can refuse a person by itself.
 */
export const LIST_KINDS = {
  'data-centre': 'addresses of hosting providers',
  vpn: 'exits of VPN providers',
  proxy: 'open or residential proxies',
  'tor-exit': 'exits of the Tor network',
  abuse: 'addresses that the operator has seen misbehave',
} as const

type ListKind = keyof typeof LIST_KINDS

export interface NetworkFacts {
  /** Number of the autonomous system; undefined if unknown. */
  readonly asn: number | undefined
  /** ISO 3166-1 alpha-2, uppercase; undefined if unknown. */
  readonly country: string | undefined
  /** Configured names of the lists that contain the address. */
  readonly lists: readonly { readonly name: string; readonly kind: ListKind }[]
}

export const NOTHING_KNOWN: NetworkFacts = Object.freeze({
  asn: undefined,
  country: undefined,
  lists: [],
})
