import { memoize } from './memoize.ts'
import { parseUrl } from './parse-url.ts'
import type { StepUp } from './ticket.ts'
import type { VisitRule } from './site-rules/visit-rules.ts'
import type { Weights } from './score/weights.ts'
import type { Action, Hostname, Seconds, Sitekey, UnixSeconds } from './words.ts'

/** One customer property: its sitekey, the hashes of its secrets, and its policy. */
export interface Site {
  readonly sitekey: Sitekey
  readonly name: string
  readonly secrets: readonly SiteSecret[]
  /** Lowercase hostnames; `*.example.com` stands for every name below, not for `example.com` itself. */
  readonly hostnames: readonly string[]
  /** Origins of pages inside apps, `capacitor://localhost`, each compared whole. */
  readonly appOrigins?: readonly string[] | undefined
  /** undefined: any well-formed action. */
  readonly actions: readonly string[] | undefined
  /** The action of a page that names none; undefined: every page has to name one. */
  readonly defaultAction: string | undefined
  /** 0 to 1; a visitor passes at `score >= scoreThreshold`. */
  readonly scoreThreshold: number
  /** 30 to 600 seconds. */
  readonly tokenLifetime: Seconds
  /** How long a challenge may be solved: 60 to 3,600 seconds. */
  readonly challengeLifetime: Seconds
  readonly work: Work
  /** Accepted below this is logged as `would_reject`; nobody is refused for it. undefined: nothing is tried out. */
  readonly shadowThreshold: number | undefined
  /** True if siteverify says why a score is no higher. */
  readonly reasons: boolean
  /** How a visitor whose score is too low gets a second try. docs/widget/refused.md */
  readonly stepUp: StepUp
  /** True if siteverify names the agent of the configuration that a token was issued to. docs/operate/agents.md */
  readonly agents?: boolean | undefined
  /** True if a pass, by which a customer vouches for a visitor, counts in place of a token. docs/widget/refused.md */
  readonly passes: boolean
  /** In order; the first that a visit meets counts. */
  readonly rules: readonly VisitRule[]
  readonly weights: Weights
}

export interface SiteSecret {
  /** SHA-256 of the secret, 64 lowercase hexadecimal digits. */
  readonly sha256: string
  /** From this moment on the secret is no longer accepted; undefined: no end. */
  readonly notAfter: UnixSeconds | undefined
}

/** How much work a visitor's browser does. Levels as in docs/design/proof-of-work.md, "Difficulty"; fractions allowed. */
export interface Work {
  readonly level: number
  readonly maxLevel: number
  /** Seconds that the work may take 95 of 100 visitors, whatever the level would be: 1 to 120. */
  readonly humanCost: Seconds
  /** True if a browser without a JIT may ask for `pb.1` instead. */
  readonly fallback: boolean
}

/** 1 to 64 of `A-Z a-z 0-9 _ - / .`; compared exactly, case included. */
export const ACTION = /^[A-Za-z0-9_\-/.]{1,64}$/
export const isAction = (text: string): text is Action => ACTION.test(text)

/** Reports whether the site's policy lets this action ask for challenges. */
export function allowsAction(site: Site, action: Action): boolean {
  return site.actions === undefined || site.actions.includes(action)
}

/** Reports whether a hostname is one of the site's, or below one of its wildcards; an app's origin, whether the site lists that very text. */
export function allowsHostname(site: Site, hostname: Hostname): boolean {
  if (isAppOrigin(hostname)) return site.appOrigins?.includes(hostname) ?? false
  return site.hostnames.some((pattern) => matchesHostname(pattern, hostname))
}

function matchesHostname(pattern: string, hostname: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === hostname
  const suffix = pattern.slice(1)
  return hostname.length > suffix.length && hostname.endsWith(suffix)
}

/** Where a page ran, as its browser names it. */
export interface Origin {
  /** As sent: `https://shop.example.com:8443`. */
  readonly text: string
  /** For a page inside an app: the whole origin, so that `capacitor://localhost` is never taken for the hostname `localhost`. */
  readonly hostname: Hostname
}

/**
 * The origin of a page that an app brought along: a scheme of its own, and a host. Not the schemes of the web, whose pages have hostnames;
 * not `file:`, whose pages send `Origin: null`, as every sandboxed frame does.
 */
const APP_ORIGIN =
  /^(?!(?:https?|wss?|ftp|file|blob|data|javascript|about):)[a-z][a-z0-9+.-]{0,31}:\/\/[A-Za-z0-9._-]{1,64}(?::\d{1,5})?$/
export const isAppOrigin = (text: string): boolean => text.includes('://') && APP_ORIGIN.test(text)

/** A browser also parses `a..b` and `*.a`; nobody's page runs there, and a wildcard's label must not be empty. */
const isHostname = (name: string): boolean => !name.includes('*') && !name.split('.').includes('')

/**
 * Reads an Origin header. Only the one spelling that browsers send is accepted: `http` or `https`,
 * lowercase, punycode, no user, path, default port or trailing dot; so two spellings of one
 * hostname never mean two things. An app's origin is taken as it is. `null` (sandboxed frames, files) is nobody's hostname.
 *
 * @returns undefined for anything else.
 * @see RFC 6454, section 6.2
 */
export function parseOrigin(header: string | undefined): Origin | undefined {
  return header === undefined || header.length > 300 ? undefined : readOrigin(header)
}

/** Those of the sites' pages come again and again; each request asks three times, and a reading takes 2 µs. */
const readOrigin = memoize((header): Origin | undefined => {
  if (isAppOrigin(header)) return { text: header, hostname: header as Hostname }
  // ASCII alone: to parse what is no URL costs 3 µs.
  const url = /^https?:\/\/[!-.0-~]+$/.test(header) ? parseUrl(header) : undefined
  if (url?.origin !== header || !isHostname(url.hostname)) return undefined
  return { text: header, hostname: url.hostname as Hostname }
}, 512)
