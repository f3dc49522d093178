/**
 * Facts about an address from local files of the operator, read beforehand.
 *
 * People sit behind all of these: companies send their staff out through data centres, many use a VPN, some need Tor.
 * So they cost at most 2 log-odds, and only the operator's own `abuse` list can refuse a person by itself.
 */
export const LIST_KINDS = {
  'data-centre': 'addresses of hosting providers',
  vpn: 'exits of VPN providers',
  proxy: 'open or residential proxies',
  'tor-exit': 'exits of the Tor network',
  abuse: 'addresses that the operator has seen misbehave',
} as const

export type ListKind = keyof typeof LIST_KINDS

export interface NetworkFacts {
  /** Number of the autonomous system; undefined: no file says. */
  readonly asn: number | undefined
  /** ISO 3166-1 alpha-2, uppercase; undefined: no file says. */
  readonly country: string | undefined
  /** The lists that hold the address, by the names that the configuration gives them. */
  readonly lists: readonly { readonly name: string; readonly kind: ListKind }[]
}

export const NOTHING_KNOWN: NetworkFacts = Object.freeze({ asn: undefined, country: undefined, lists: [] })
