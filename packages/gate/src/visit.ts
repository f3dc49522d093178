/** What a visitor asked for, as each dialect of a proxy tells it. Never guessed: a proxy passes on headers that visitors wrote. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Range } from './settings.ts'

export interface Visit {
  readonly method: string
  /** Path and query as the browser sent them. */
  readonly target: string
  /** Lower case, without a port. */
  readonly host: string
  readonly isSecure: boolean
  /** undefined: not known. */
  readonly address: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The proxy does not send what its dialect needs. */
export class MissingHeader extends Error {}

function need(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  if (typeof value !== 'string' || value === '') throw new MissingHeader(`the proxy sends no ${name}`)
  return value
}

export const hostOf = (text = ''): string => text.toLowerCase().replace(/\.?(:\d*)?$/, '')

/** @param host of the request, where the proxy keeps it: Envoy, and everything below `/.hv/`. @throws {MissingHeader} */
export function visitOf(
  asked: Pick<Visit, 'method' | 'target' | 'headers'>,
  host: string | undefined,
  trusted: readonly Range[],
): Visit {
  const isSecure = /^(https|wss)$/.test(need(asked.headers, 'x-forwarded-proto'))
  const address = addressIn(need(asked.headers, 'x-forwarded-for'), trusted)
  return { ...asked, host: hostOf(host), isSecure, address }
}

/** Reads what nginx sends by our sample (`original`), and Caddy, Traefik and our Lua (`forwarded`). @throws {MissingHeader} */
export function readVisit(
  which: 'original' | 'forwarded',
  headers: IncomingHttpHeaders,
  trusted: readonly Range[],
): Visit {
  const [target, method] = [need(headers, `x-${which}-uri`), need(headers, `x-${which}-method`)]
  return visitOf({ method, target, headers }, need(headers, 'x-forwarded-host'), trusted)
}

/** Reads the request of a proxy, whose path names its dialect. @throws {MissingHeader} @returns undefined: it is no check. */
export function checkedVisit(
  { url = '', method = 'GET', headers }: IncomingMessage,
  trusted: readonly Range[],
): Visit | undefined {
  if (/^\/check\/nginx(\?|$)/.test(url)) return readVisit('original', headers, trusted)
  if (/^\/check\/forward(\?|$)/.test(url)) return readVisit('forwarded', headers, trusted)
  const [, target] = /^\/check\/envoy(\/.*)$/s.exec(url) ?? []
  return target === undefined ? undefined : visitOf({ method, target, headers }, headers.host, trusted)
}

/** Finds the rightmost address that is none of our proxies. */
function addressIn(header: string, trusted: readonly Range[]): string | undefined {
  const hops = header.split(',').map((hop) => hop.trim())
  const last = hops.findLast((hop, index) => index === 0 || !isInRanges(hop, trusted))
  return last !== undefined && isIP(last) !== 0 ? last : undefined
}

export function isInRanges(address: string | undefined, ranges: readonly Range[]): boolean {
  if (address === undefined || isIP(address) === 0) return false
  const parsed = ipaddr.process(address)
  return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))
}

/** Returns the IPv4 /24 or the IPv6 /48 of an address; what is not known is a network of its own. */
export function networkOf(address: string | undefined): string {
  const text = address === undefined ? '' : ipaddr.process(address).toString()
  if (text === '') return 'unknown'
  if (text.includes(':')) return `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/48`).toString()}/48`
  return `${ipaddr.IPv4.networkAddressFromCIDR(`${text}/24`).toString()}/24`
}
