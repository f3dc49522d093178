import { isIP } from 'node:net'
import { parseUrl } from '../../domain/parse-url.ts'
import { parseAddressRange, rangeSet } from '../../domain/site-rules/ranges.ts'
import type { Path } from '../../schema/schema.ts'
import type { Address } from '../config.ts'
import { type Finding, wants } from '../finding.ts'

const HOST = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/

/** Reads `127.0.0.1:8080`, `[::1]:8080` or `redis.internal:6379`. @returns undefined when the text is anything else. */
export function parseHostPort(text: string): Address | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+)):(0|[1-9][0-9]{0,4})$/.exec(text)
  if (!match) return undefined
  const host = match[1] ?? match[2]!
  const port = Number(match[3])
  if (port > 65_535) return undefined
  if (match[1] !== undefined) return isIP(host) === 6 ? { host, port } : undefined
  // Digits and dots that are no address (`1.2.3`, `300.1.1.1`) would be looked up as a name, and found nowhere.
  if (!HOST.test(host) || (/^[0-9.]+$/.test(host) && isIP(host) !== 4)) return undefined
  return { host, port }
}

/** @param least the smallest port that makes sense: 0 to listen, 1 to call. */
export function hostPortFinding(path: Path, text: string, least: 0 | 1): Finding | undefined {
  const address = parseHostPort(text)
  if (address && address.port >= least) return undefined
  const loose = /^(?:\*|0)?:([0-9]{1,5})$/.exec(text)
  const bare = isIP(text) === 6 ? `[${text}]:${least === 0 ? 8080 : 6379}` : undefined
  const hint = loose ? `every address is 0.0.0.0:${loose[1]}` : bare
  return wants(path, `host:port, port ${least} to 65535, IPv6 in brackets`, text, hint)
}

const everywhere = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** Whether two listeners would take each other's address. Port 0 never does. */
export function collide(a: Address, b: Address): boolean {
  if (a.port === 0 || a.port !== b.port) return false
  return a.host === b.host || everywhere(a.host) || everywhere(b.host)
}

/**
 * What is wrong with one of `trusted_proxies`. A range of everybody would let any visitor write its own address
 * (docs/design/threats.md#t18).
 */
export function proxyFinding(path: Path, text: string): Finding | undefined {
  const wish = 'an address or a CIDR range, such as 10.0.0.0/8'
  const match = /^([0-9a-fA-F:.]+)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text)
  const family = match ? isIP(match[1]!) : 0
  if (!match || family === 0) return wants(path, wish, text)
  const bits = match[2] === undefined ? undefined : Number(match[2])
  if (bits !== undefined && bits > (family === 4 ? 32 : 128)) return wants(path, wish, text, 'too many bits')
  if (bits === 0) return wants(path, 'your own proxies', text, 'this believes everybody')
  if (/^::ffff:/i.test(match[1]!)) return wants(path, wish, text, 'write it as IPv4')
  return undefined
}

/**
 * Whether ranges that are harmless one by one cover all addresses of a family together, such as 0.0.0.0/1 with 128.0.0.0/1.
 *
 * @param texts as in the file; what cannot be read, and `/0`, which is refused by itself, is passed over.
 */
export function coversEverybody(texts: readonly string[], family: 4 | 6): boolean {
  const ranges = texts
    .filter((text) => proxyFinding([], text) === undefined)
    .map(parseAddressRange)
    .filter((range) => range !== undefined)
  return rangeSet(ranges).covers({ family, first: 0n, last: (1n << (family === 4 ? 32n : 64n)) - 1n }) === 'all'
}

/** A single address as the range it is. */
export function asRange(text: string): string {
  if (text.includes('/')) return text
  return isIP(text) === 4 ? `${text}/32` : `${text}/128`
}

export function publicUrlFinding(path: Path, text: string): Finding | undefined {
  const wish = 'an http or https address without a path, such as https://verify.example.com'
  if (text.length > 100) return wants(path, 'at most 100 characters', text)
  if (!/^https?:\/\//i.test(text)) {
    return wants(path, wish, text, /^[a-z0-9.-]+$/.test(text) ? `https://${text}?` : undefined)
  }
  const url = parseUrl(text)
  if (!url) return wants(path, wish, text)
  if (url.username !== '' || url.password !== '') return wants(path, wish, text, 'no user or password')
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) return wants(path, wish, text, 'no query or fragment')
  if (url.pathname !== '/') return wants(path, wish, text, 'no path')
  // One spelling only: it is compared as the issuer of every token.
  return text.replace(/\/$/, '') === url.origin ? undefined : wants(path, wish, text, `write ${url.origin}`)
}

/** @see https://www.iana.org/assignments/uri-schemes/prov/redis: user, password, host, port, database. */
export function redisUrlFinding(path: Path, text: string): Finding | undefined {
  const wish = 'redis:// or rediss://, with host, port and database'
  if (!/^rediss?:\/\//.test(text)) return wants(path, wish, text)
  const url = parseUrl(text)
  if (!url) return wants(path, wish, text, 'special characters of a password are written as %xx')
  if (url.hostname === '' || url.port === '0') return wants(path, wish, text, 'a host and a port')
  if (!/^\/?(?:0|[1-9][0-9]{0,4})?$/.test(url.pathname)) return wants(path, wish, text, 'the database is a number')
  return url.search !== '' || url.hash !== '' ? wants(path, wish, text, 'no query or fragment') : undefined
}
