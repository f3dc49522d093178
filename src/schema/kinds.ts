/** Kinds of text that stand for a value: each reads its text, or returns what is wrong with it. */
import { isIP } from 'node:net'
import { getPublicSuffix } from 'tldts'
import { isPublicKey } from '../domain/ed25519.ts'
import { parseUrl } from '../domain/parse-url.ts'
import { parseRedisUrl } from '../domain/redis-url.ts'
import { isAppOrigin } from '../domain/site.ts'
import { isZone, parseHours } from '../domain/site-rules/hours.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import { parseDuration, parseMoment, parseRate } from '../domain/time.ts'

/** The value that a text stands for, or what is wrong with the text. */
export interface Reading {
  /** Present if the text is right. */
  readonly value?: unknown
  /** A noun phrase; that of the setting if omitted. */
  readonly expected?: string | undefined
  /** The likely slip. */
  readonly hint?: string | undefined
  /** The text that was probably meant; it becomes the hint if it is right. */
  readonly meant?: string | undefined
  /** Replaces `expected …, got …`. */
  readonly says?: string
}

/** A kind with its options: the minimum and maximum of a length of time, or the lowest port. */
export interface KindOptions {
  readonly is: KindName
  readonly min?: string
  readonly max?: string
  readonly leastPort?: 0 | 1
}

export interface Address {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
}

const DAY = 86_400

const KINDS = {
  /** `120s`, as seconds. */
  duration(text, { min, max }) {
    const value = parseDuration(text)
    if (value === undefined) return { meant: durationMeant(text) }
    return value < parseDuration(min!)! || value > parseDuration(max!)! ? {} : { value }
  },
  /** `60 per 1m` */
  rate(text) {
    const value = parseRate(text)
    if (value && value.per > DAY) return { expected: 'a rate per 1s to 1d' }
    if (value) return { value }
    const slip = /^([1-9][0-9]{0,8}) ?(?:\/|per|each) ?1? ?(s|m|h|d)[a-z]*$/.exec(text)
    return { meant: slip ? `${slip[1]} per 1${slip[2]}` : undefined }
  },
  /** RFC 3339 with an offset, as Unix seconds. */
  moment(text) {
    const value = parseMoment(text)
    return value === undefined
      ? { meant: /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : undefined }
      : { value }
  },
  hours: (text) => (parseHours(text) ? { value: text } : {}),
  zone: (text) => (isZone(text) ? { value: text } : {}),
  /** `host:port`, as an address. */
  'host:port'(text, { leastPort = 0 }) {
    const value = parseHostPort(text)
    if (value && value.port >= leastPort) return { value }
    const expected = `host:port, port ${leastPort} to 65535, IPv6 in brackets`
    // A listener of ours, or a server of Redis.
    const usualPort = leastPort === 0 ? 8080 : 6379
    if (isIP(text) === 6) return { expected, meant: `[${text}]:${usualPort}` }
    // Other programs take `:8080` and `*:8080` for every address.
    const port = /^(?:\*|0)?:([0-9]{1,5})$/.exec(text)?.[1]
    const every = port === undefined ? undefined : parseHostPort(`0.0.0.0:${port}`)
    return { expected, hint: every && `every address is 0.0.0.0:${every.port}` }
  },
  lowercase: (text) => ({ value: text.toLowerCase() }),
  /** A path, which is made absolute later. */
  path: (text) => (isPlaceholder(text) ? unreplaced : { value: text }),
  password: (text) => (isPlaceholder(text) ? unreplaced : { value: text }),
  'key-prefix': (text) => ({ value: text.slice(0, -1) }),
  'public-url': readPublicUrl,
  'redis-url': readRedisUrl,
  /** An address or a CIDR range of proxies. Trusting every address would let visitors choose their own. */
  proxies(text) {
    const reading = readRange(text)
    if (!('value' in reading)) return reading
    return text.endsWith('/0')
      ? { expected: 'your own proxies', hint: 'this trusts every address' }
      : reading
  },
  /** An address or a CIDR range of visitors, which are identified by their /64 in IPv6. */
  visitors(text) {
    if (text.endsWith('/0') && !['0.0.0.0/0', '::/0'].includes(text))
      return { expected: '0.0.0.0/0 and ::/0 for every address' }
    const reading = readRange(text)
    const bits = text.includes(':') && text.includes('/') ? Number(text.split('/')[1]) : 0
    return 'value' in reading && bits > 64
      ? { expected: 'at most /64', hint: 'IPv6 visitors are identified by their /64' }
      : reading
  },
  hostname: readHostname,
  'app-origin': (text) => (isAppOrigin(text) ? { value: text } : { hint: appOriginSlip(text) }),
  ed25519: (text) =>
    isPublicKey(text) ? { value: text } : { says: 'is no public key: hv pass keygen makes a pair' },
  /** The hash of a secret. The value is never printed, since it may be the secret itself by mistake. */
  sha256(text) {
    if (/^[0-9a-f]{64}$/.test(text)) return { value: text }
    if (/hv_secret/i.test(text))
      return { hint: 'this is the secret itself; hv site rotate makes a new one' }
    return { hint: /^[0-9a-fA-F]{64}$/.test(text) ? 'lowercase' : undefined }
  },
} satisfies Record<string, (text: string, options: KindOptions) => Reading>

export type KindName = keyof typeof KINDS
type Right<K extends KindName> = Extract<ReturnType<(typeof KINDS)[K]>, { readonly value: unknown }>
/** The type that texts of a kind stand for; string, unless the reading has a type. */
export type KindValue<K extends KindName> = [Right<K>] extends [never] ? string : Right<K>['value']

const LONGEST = 1000

/** Reads a text as one of a kind. It suggests nothing that it would refuse. */
export function readText(text: string, options: KindOptions): Reading {
  if (text.length > LONGEST)
    return { says: `expected at most ${LONGEST} characters, got ${text.length}` }
  const read = KINDS[options.is] as (text: string, options: KindOptions) => Reading
  const { meant, ...reading } = read(text, options)
  const isRight = meant !== undefined && 'value' in read(meant, options)
  return isRight ? { ...reading, hint: `${meant}?` } : reading
}

/** A text that another tool should have expanded: `${PASSWORD}`, `$(cat file)`, `{{ password }}`, `%PASSWORD%`. */
const isPlaceholder = (text: string): boolean =>
  /\$\{[^}]*\}|\$\([^)]*\)|\{\{[^}]*\}\}|^%[A-Z_]+%/.test(text)
const unreplaced: Reading = {
  says: 'is a placeholder that was not replaced: write the value, or use the environment variable or the file of the setting',
}

function durationMeant(text: string): string | undefined {
  const [, count, unit = ''] =
    /^([1-9][0-9]{0,6}) ?(s|m|h|d|000 ?ms)$/i.exec(text.replace(WORDS, '$1')) ?? []
  if (count === undefined) return undefined
  const isThousandMs = unit.startsWith('000')
  return count + (isThousandMs ? 's' : unit.toLowerCase())
}
const WORDS = /(?<= |[0-9])(s|m|h|d)(?:ec|econd|in|inute|our|ay|r)s?$/i

const HOST = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/

/** Reads `127.0.0.1:8080`, `[::1]:8080` or `redis.internal:6379`. @returns undefined when the text is anything else. */
export function parseHostPort(text: string): Address | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+)):(0|[1-9][0-9]{0,4})$/.exec(text)
  if (!match) return undefined
  const host = match[1] ?? match[2]!
  const port = Number(match[3])
  if (port > 65_535) return undefined
  if (match[1] !== undefined) return isIP(host) === 6 ? { host, port } : undefined
  // Digits and dots that are not an address (`1.2.3`, `300.1.1.1`) would be looked up as a name in vain.
  if (!HOST.test(host) || (/^[0-9.]+$/.test(host) && isIP(host) !== 4)) return undefined
  return { host, port }
}

/** Reads an address or a CIDR range, as a range. */
function readRange(text: string): Reading {
  const [address = '', mask] = text.split('/')
  const longest = isIP(address) === 4 ? 32 : 128
  if (mask !== undefined && isIP(address) !== 0 && Number(mask) > longest)
    return { hint: 'too many bits' }
  const range = parseAddressRange(text)
  const one = parseAddressRange(address)
  if (!range || !one) return {}
  if (/^::ffff:/i.test(address)) return { hint: 'write it as IPv4' }
  if (mask !== '0' && range.first !== one.first)
    return {
      hint: `the address has bits beyond /${mask}: write ${address}, or the first address of the range`,
    }
  return { value: `${address}/${mask ?? longest}` }
}

function readPublicUrl(text: string): Reading {
  if (text.length > 100) return { expected: 'at most 100 characters' }
  if (!/^https?:\/\//i.test(text))
    return { meant: /^[a-z0-9.-]+$/.test(text) ? `https://${text}` : undefined }
  const url = parseUrl(text)
  if (!url) return {}
  if (url.username !== '' || url.password !== '') return { hint: 'no user or password' }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return { hint: 'no query or fragment' }
  if (url.pathname !== '/') return { hint: 'no path' }
  // Only one spelling, since it is compared as the issuer of every token.
  return text.replace(/\/$/, '') === url.origin
    ? { value: url.origin }
    : { hint: `write ${url.origin}` }
}

function readRedisUrl(text: string): Reading {
  if (isPlaceholder(text)) return unreplaced
  const address = parseRedisUrl(text)
  if (typeof address !== 'string') return { value: text }
  return address === '' ? {} : { hint: address }
}

function appOriginSlip(text: string): string | undefined {
  if (text.includes('*')) return 'no wildcard: list each origin'
  if (text === 'null' || /^file:/i.test(text))
    return 'a file sends null, as every sandboxed frame does: see docs/widget/apps.md'
  const web = /^https?:\/\/([^/]+)/i.exec(text)
  if (web) return `${web[1]!.replace(/:\d+$/, '')} belongs in hostnames`
  const host = /^([a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9._-]+)\/.*$/i.exec(text)
  if (host) return `no path: ${host[1]!}`
  const [scheme = '', rest] = text.split('://')
  return rest !== undefined && scheme !== scheme.toLowerCase()
    ? `write ${scheme.toLowerCase()}://${rest}`
    : undefined
}

const isAddress = (name: string): boolean => isIP(name) === 4 || name.startsWith('[')

/**
 * Reads a site's hostname in the spelling that browsers send in `Origin`: lowercase, punycode, no scheme, port, path or trailing
 * dot. Another spelling would never match, and the site would refuse its own visitors.
 */
export function readHostname(text: string): Reading {
  const isWildcard = text.startsWith('*.')
  const name = isWildcard ? text.slice(2) : text
  if (name.includes('*')) return { expected: 'a * only as the first label, as in *.example.com' }
  if (isAppOrigin(text)) return { hint: `${text} belongs in app_origins` }
  const spelling = asBrowsersWrite(name)
  if (spelling === undefined) return { expected: 'a hostname, such as shop.example.com' }
  if (spelling !== name) {
    const hint = `write ${isWildcard ? '*.' : ''}${spelling}`
    return { expected: 'a hostname as browsers send it: lowercase, no scheme, port or path', hint }
  }
  if (!isWildcard) return { value: text }
  if (isAddress(name)) return { expected: 'a hostname below the *, not an address' }
  // The Public Suffix List with its private part. Names below localhost are of this machine (RFC 6761).
  const isSuffix =
    name !== 'localhost' && getPublicSuffix(name, { allowPrivateDomains: true }) === name
  if (!isSuffix) return { value: text }
  return {
    expected: 'a wildcard of your own names',
    hint: `${name} is a public suffix: others have names below it`,
  }
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** Returns what stands where an address has its host, without a port and a dot at the end; IPv6 in brackets. */
function hostIn(text: string): string {
  const authority = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$|\.$/s, '')
  if (isIP(authority) === 6) return `[${authority}]`
  // The colon of a port follows a name, or the bracket that closes IPv6.
  return authority.replace(/^([^:]+|.*\]):[0-9]*$/s, '$1').replace(/\.$/, '')
}

/** Returns the hostname that a browser would send; undefined if the text has none. */
function asBrowsersWrite(text: string): string | undefined {
  const host = hostIn(text)
  const isBracketed = host.endsWith(']')
  if (/[\s@\\]/.test(host) || (host.includes(':') && !isBracketed)) return undefined
  const { hostname } = parseUrl(`http://${host}`) ?? { hostname: '' }
  const isSound = hostname.length <= 253 && hostname.split('.').every((label) => LABEL.test(label))
  return isAddress(hostname) || isSound ? hostname : undefined
}
