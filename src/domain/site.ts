import { memoize } from './memoize.ts'
import { parseUrl } from './parse-url.ts'
import type { VisitRule } from './site-rules/visit-rules.ts'
import type { Weights } from './weights.ts'
import type { Action, Hostname, Seconds, Sitekey, UnixSeconds } from './words.ts'

/** How much work a visitor's browser does. Levels as in docs/design/work.md, "Difficulty"; fractions allowed. */
export interface Work {
  readonly level: number
  readonly maxLevel: number
  readonly humanCost: Seconds
  readonly fallback: boolean
}

/** How a site offers a second try: in the widget, by a ticket of siteverify, or not at all. */
export const STEP_UPS = ['managed', 'ticket', 'off'] as const
export type StepUp = (typeof STEP_UPS)[number]

interface Thresholds {
  readonly scoreThreshold?: number | undefined
  readonly shadowThreshold?: number | undefined
}

/** One customer property: its sitekey, the hashes of its secrets, and its policy. settings/table.ts describes each member. */
export interface Site {
  readonly sitekey: Sitekey
  readonly name: string
  readonly secrets: readonly {
    readonly sha256: string
    readonly notAfter?: UnixSeconds | undefined
  }[]
  readonly hostnames: readonly string[]
  readonly appOrigins?: readonly string[] | undefined
  readonly actions?: readonly string[] | undefined
  readonly defaultAction?: string | undefined
  readonly scoreThreshold: number
  readonly shadowThreshold?: number | undefined
  /** Thresholds of the actions that have their own. */
  readonly actionThresholds: ReadonlyMap<string, Thresholds>
  readonly tokenLifetime: Seconds
  readonly challengeLifetime: Seconds
  readonly work: Work
  readonly reasons: boolean
  readonly stepUp: StepUp
  /** Ed25519 public keys (RFC 8037). */
  readonly passKeys: readonly {
    readonly kty: 'OKP'
    readonly crv: 'Ed25519'
    readonly kid: string
    readonly x: string
  }[]
  readonly agents: boolean
  /** The first rule that matches a visit counts. */
  readonly rules: readonly VisitRule[]
  readonly weights: Weights
}

/** 1 to 64 of `A-Z a-z 0-9 _ - / .`; compared exactly, case included. */
export const ACTION = /^[A-Za-z0-9_\-/.]{1,64}$/
export const isAction = (text: string): text is Action => ACTION.test(text)

/** Reports whether the site allows challenges for this action. */
export function allowsAction(site: Site, action: Action): boolean {
  return site.actions === undefined || site.actions.includes(action)
}

/** Returns the thresholds of an action: its own, or the site's. */
export function thresholdsOf(
  site: Site,
  action: string,
): Pick<Site, 'scoreThreshold' | 'shadowThreshold'> {
  const { scoreThreshold = site.scoreThreshold, shadowThreshold = site.shadowThreshold } =
    site.actionThresholds.get(action) ?? {}
  return { scoreThreshold, shadowThreshold }
}

/** Reports whether the site lists a hostname, or a wildcard above it; an app's origin must be listed exactly. */
export function allowsHostname(site: Site, hostname: Hostname): boolean {
  if (isAppOrigin(hostname)) return site.appOrigins?.includes(hostname) ?? false
  return site.hostnames.some((pattern) => matchesHostname(pattern, hostname))
}

function matchesHostname(pattern: string, hostname: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === hostname
  const suffix = pattern.slice(1)
  return hostname.length > suffix.length && hostname.endsWith(suffix)
}

/** Where a page ran, as sent by its browser. */
export interface Origin {
  /** As sent: `https://shop.example.com:8443`. */
  readonly text: string
  /** For a page inside an app, the whole origin, so that `capacitor://localhost` is never mistaken for `localhost`. */
  readonly hostname: Hostname
}

/**
 * The origin of a page inside an app: the app's scheme and a host. Not the schemes of the web, whose pages have hostnames, and not
 * `file:`, whose pages send `Origin: null`, like every sandboxed frame.
 */
const APP_ORIGIN =
  /^(?!(?:https?|wss?|ftp|file|blob|data|javascript|about):)[a-z][a-z0-9+.-]{0,31}:\/\/[A-Za-z0-9._-]{1,64}(?::\d{1,5})?$/
export const isAppOrigin = (text: string): boolean => text.includes('://') && APP_ORIGIN.test(text)

/** Explains one app origin to its operator. @param origin that `isAppOrigin` accepts. */
export function meaningOf(origin: string): string {
  const scheme = origin.slice(0, origin.indexOf(':'))
  if (scheme === 'chrome-extension')
    return `${origin} is one browser extension, by the id of its key`
  if (scheme === 'moz-extension')
    return `${origin} is one installation of an extension: Firefox gives each another id`
  return `${origin} is every app whose pages run there, not only yours: any program can send it, so it is no attestation`
}

/** Browsers also parse `a..b` and `*.a`, but no page runs there, and a wildcard's label must not be empty. */
const isHostname = (name: string): boolean => !name.includes('*') && !name.split('.').includes('')

/**
 * Reads an Origin header. Only the spelling that browsers send is accepted (`http` or `https`, lowercase, punycode, no user,
 * path, default port or trailing dot), so that a hostname has one spelling. An app's origin is not changed. `null` (sandboxed
 * frames, files) is not a hostname.
 *
 * @returns undefined for anything else.
 * @see RFC 6454, section 6.2
 */
export function parseOrigin(header: string | undefined): Origin | undefined {
  return header === undefined || header.length > 300 ? undefined : readOrigin(header)
}

/** Memoised, since the sites' origins recur: each request reads its origin three times, which takes 2 µs. */
const readOrigin = memoize((header): Origin | undefined => {
  if (isAppOrigin(header)) return { text: header, hostname: header as Hostname }
  // ASCII only. Parsing a text that is not a URL costs 3 µs.
  const url = /^https?:\/\/[!-.0-~]+$/.test(header) ? parseUrl(header) : undefined
  if (url?.origin !== header || !isHostname(url.hostname)) return undefined
  return { text: header, hostname: url.hostname as Hostname }
}, 512)
