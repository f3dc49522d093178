/** Which rule counts for a visit. Pure. */
import { ANY_AGENT } from '#shared/domain/named-agent'
import { type Identity, UNKNOWN } from './identity.ts'
import { formsOf, isScriptWithPath, parametersOf, readingsOf } from './readings.ts'
import { RuleIndex } from './rule-index.ts'
import type { RuleSettings } from './settings.ts'
import { isInRanges, type Visit } from './visit.ts'

/** The page's own files. Proxies send them to the gate, and never to the site. */
const OWN_FILES: RuleSettings = {
  name: 'always-open',
  when: { path: ['/.hv/*'], query: ['*'] },
  effect: 'allow',
}
/** Names below `/.well-known/` (IANA, "Well-Known URIs") that programs read without a visitor, and without a query. */
const WELL_KNOWN = [
  'acme-challenge/*',
  'apple-app-site-association',
  'apple-developer-merchantid-domain-association',
  'assetlinks.json',
  'change-password',
  'gpc.json',
  'host-meta',
  'host-meta.json',
  'http-message-signatures-directory',
  'jwks.json',
  'matrix/client',
  'matrix/server',
  'mta-sts.txt',
  'nodeinfo',
  'oauth-authorization-server',
  'oauth-protected-resource',
  'openid-configuration',
  'passkey-endpoints',
  'pki-validation/*',
  'security.txt',
  'webauthn',
]
const OPEN_PATHS = [
  '/robots.txt',
  '/favicon.ico',
  ...WELL_KNOWN.map((name) => `/.well-known/${name}`),
]
/** What certificates and crawlers need. */
const OPEN_FILES: RuleSettings = {
  name: 'always-open',
  when: { path: OPEN_PATHS, method: ['GET', 'HEAD'] },
  effect: 'allow',
}
/** Counts where no rule of the owner does. */
const NO_RULE: RuleSettings = { name: 'none', when: {}, effect: 'level 1' }
const FORGED = { name: 'forged-header', effect: 'deny' } as const
const STRICTNESS = { allow: 0, 'level 1': 1, 'level 2': 2, deny: 3 } as const

export type Ruling = Pick<RuleSettings, 'name' | 'effect'>
type Condition = RuleSettings['when']

/**
 * Returns the rule that decides about a request.
 *
 * Programs behind the gate read one request in several ways (readings.ts). A rule that matches every reading is certain to
 * apply, and ends the search. A rule that matches only some of them may apply. Of these rules the strictest decides, so that no
 * spelling of a path avoids a rule. A rule that allows has to match every reading, or it does not count at all. A path with too
 * many readings may be any path, so every other rule may apply to it.
 */
export function ruleOf(
  visit: Visit,
  rules: readonly RuleSettings[],
  identity: Identity = UNKNOWN,
): Ruling {
  let strictest: Ruling | undefined
  for (const { rule } of matchesOf(visit, rules, identity))
    if (!strictest || STRICTNESS[rule.effect] > STRICTNESS[strictest.effect]) strictest = rule
  return strictest!
}

/** A rule that matches every reading of a request, or some. */
export interface Match {
  readonly rule: Ruling
  readonly extent: 'all' | 'some'
}

/** Returns the rules that match some reading of a visit, up to the first one that matches every reading. */
export function* matchesOf(
  visit: Visit,
  rules: readonly RuleSettings[],
  identity: Identity,
): Generator<Match> {
  if (Object.keys(visit.headers).some(isForged)) return yield { rule: FORGED, extent: 'all' }
  const request = { ...readRequest(visit), identity }
  const [path] = splitTarget(visit.target)
  const isOpenFile = ALWAYS_OPEN.candidates(path, []).some(
    (rule) => extentOf(rule, request) === 'all',
  )
  const index = indexesOf(rules)[isOpenFile ? 'ofOpenFiles' : 'ofPages']
  for (const rule of index.candidates(path, identity.guest)) {
    const extent = extentOf(rule, request)
    if (extent !== 'none') yield { rule, extent }
    if (extent === 'all') return
  }
}

const ALWAYS_OPEN = new RuleIndex([OPEN_FILES])

/** The rules of a gate, in the order in which they count for a page, and for a file that is open. */
interface Indexes {
  readonly ofPages: RuleIndex
  readonly ofOpenFiles: RuleIndex
}
/** Rules come from the configuration, so each list of them is indexed once. */
const indexesOfRules = new WeakMap<readonly RuleSettings[], Indexes>()

function indexesOf(rules: readonly RuleSettings[]): Indexes {
  const before = indexesOfRules.get(rules)
  if (before) return before
  const indexes = {
    ofPages: new RuleIndex([OWN_FILES, ...rules, NO_RULE]),
    ofOpenFiles: new RuleIndex([...rules.flatMap(namingAFile), OPEN_FILES]),
  }
  indexesOfRules.set(rules, indexes)
  return indexes
}

/** Returns a rule with the paths that may close an open file. `/*` may not: it would also close what certificates and crawlers need. */
function namingAFile(rule: RuleSettings): RuleSettings[] {
  const path = rule.when.path?.filter((pattern) => !pattern.startsWith('/*')) ?? []
  return path.length === 0 ? [] : [{ ...rule, when: { ...rule.when, path } }]
}

/** PHP, CGI and WSGI fold names of headers: for them each of these letters is a `-`. */
const foldName = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '-')
/** Reports whether a program could take a visitor's header for one that the gate or the proxy sets. */
const isForged = (name: string): boolean =>
  /[^a-z0-9-]/.test(name) &&
  /^x-(?:hv-clearance|hv-guest|forwarded-\w+|real-ip)$/.test(foldName(name))

const METHOD_OVERRIDES = ['x-http-method-override', 'x-method-override', 'x-http-method']
/** Frameworks that believe their own IIS take the path from here (CVE-2018-14773). */
const PATH_OVERRIDES = ['x-original-url', 'x-rewrite-url']

/** What the program may take the request for. */
interface Interpretation {
  readonly visit: Visit
  readonly identity: Identity
  /** Its path in every reading; undefined where there are too many. */
  readonly readings: ReturnType<typeof readingsOf>
  /** Whether every server reads the path in the same way. */
  readonly isPlain: boolean
  /** The query as it came; undefined without a `?`. */
  readonly query: string | undefined
  /** Names of its parameters in every reading, in lower case; undefined where there are too many. */
  readonly parameters: readonly string[] | undefined
  /** Names of the headers and parameters by which frameworks override the method of the request line. */
  readonly methodOverrides: readonly string[]
}

function readRequest(visit: Visit): Omit<Interpretation, 'identity'> {
  const { target, headers } = visit
  const headersIn = (list: readonly string[]): string[] =>
    Object.keys(headers).filter((name) => list.includes(foldName(name)))
  const otherTargets = headersIn(PATH_OVERRIDES)
    .map((name) => String(headers[name]))
    .filter((other) => other !== target)
  const parts = [target, ...otherTargets].map(splitTarget)
  const queries = parts.flatMap(([, query]) => query ?? [])
  const parameters = queries.length === 0 ? [] : parametersOf(queries.join('&'))
  const [path, query] = parts[0]!
  return {
    visit,
    readings: readingsOf(parts.map(([each]) => each)),
    isPlain: otherTargets.length === 0 && !isAmbiguous(path),
    query,
    parameters,
    methodOverrides: [
      ...headersIn(METHOD_OVERRIDES),
      ...(parameters ?? ANY_PARAMETER).filter(isMethodParameter),
    ],
  }
}

function splitTarget(target: string): [path: string, query: string | undefined] {
  const at = target.indexOf('?')
  return at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)]
}

/** Stands for the parameters of a query that can be read in too many ways. */
const ANY_PARAMETER = ['_method']
/** Reports whether frameworks read the method from this parameter: Rails, Symfony, WordPress; ASP.NET. */
const isMethodParameter = (name: string): boolean =>
  name === '_method' || METHOD_OVERRIDES.includes(foldName(name))

/** How many readings of a request a condition is true of. */
type Extent = 'all' | 'some' | 'none'

function extentOf({ when, effect }: RuleSettings, request: Interpretation): Extent {
  const { header = {} } = when
  if (!isBySuchVisitor(when, request)) return 'none'
  if (!Object.entries(header).every(([name, pattern]) => hasHeader(request.visit, name, pattern)))
    return 'none'
  if (effect === 'allow') return isAllowed(when, request) ? 'all' : 'none'
  const extents = new Set([
    extentOfMethod(when, request),
    extentOfQuery(when, request),
    extentOfPath(when, request),
  ])
  if (extents.has('none')) return 'none'
  return extents.has('some') ? 'some' : 'all'
}

/** Reports whether a condition is one for this visitor, whatever the request. */
function isBySuchVisitor(
  { cidr, guest, agent }: Condition,
  { visit, identity }: Interpretation,
): boolean {
  if (cidr && !isInRanges(visit.address, cidr)) return false
  if (guest && !isGuest(identity, guest)) return false
  return !agent || isAgent(identity, agent)
}

/** Reports whether a visitor is a guest of one of these names. Who only says so is none. */
const isGuest = ({ guest }: Identity, names: readonly string[]): boolean =>
  guest.some((name) => names.includes(name))
/** Reports whether one of these agents signed the request. */
const isAgent = ({ agent }: Identity, names: readonly string[]): boolean =>
  agent !== undefined && (names.includes(agent) || names.includes(ANY_AGENT))

function extentOfMethod(
  { method: methods }: Condition,
  { visit, methodOverrides }: Interpretation,
): Extent {
  if (!methods) return 'all'
  if (methodOverrides.length > 0) return 'some'
  if (methods.includes(visit.method)) return 'all'
  return methods.includes(visit.method.toUpperCase()) ? 'some' : 'none'
}

function extentOfQuery({ query: names }: Condition, { query, parameters }: Interpretation): Extent {
  if (!names) return 'all'
  const isNamed = (parameter: string): boolean => names.some((name) => isLike(parameter, name))
  if (query !== undefined && namesIn(query).some(isNamed)) return 'all'
  if (!parameters) return 'some'
  const folded = names.map((name) => name.toLowerCase())
  return parameters.some((name) => folded.some((each) => isLike(name, each))) ? 'some' : 'none'
}

function extentOfPath({ path: patterns }: Condition, { readings }: Interpretation): Extent {
  if (!patterns) return 'all'
  if (!readings) return 'some'
  const forms = patterns.map(formsOf)
  const isExact = (path: string): boolean =>
    forms.some(({ exact }) => exact.some((form) => isLike(path, form)))
  const isNamed = (name: string): boolean =>
    forms.some(({ folded }) => folded.some((form) => isLike(name, form)))
  if (readings.paths.every(isExact)) return 'all'
  return readings.names.some(isNamed) ? 'some' : 'none'
}

/**
 * Reports whether a request asks for an upgrade. Over HTTP/2 it has the method CONNECT (RFC 8441). Traefik leaves Upgrade out of
 * what it asks, and says ws for http.
 */
const isUpgrade = ({ method, headers }: Visit): boolean =>
  method === 'CONNECT' ||
  headers.upgrade !== undefined ||
  headers['sec-websocket-key'] !== undefined ||
  /^wss?$/.test(String(headers['x-forwarded-proto']))

/** Reports whether a rule that allows opens all that a program may read out of the request. */
function isAllowed(when: Condition, request: Interpretation): boolean {
  const { headers } = request.visit
  // After an upgrade the proxy is a tunnel, and the rule was asked about its first request alone.
  if (isUpgrade(request.visit)) return false
  // A rule that names neither trusts the visitor, whatever he asks for.
  if (!when.path && !when.method) return true
  if (!isMethodAllowed(request, when)) return false
  if (FORM.test(headers['content-type'] ?? '') && !isListed(when, 'content-type')) return false
  return isQueryAllowed(request, when.query) && isPathAllowed(request, when.path)
}

/** Reports whether a rule names a header, or a parameter of the query. */
const isListed = ({ header = {}, query = [] }: Condition, name: string): boolean =>
  Object.hasOwn(header, name) || query.includes(name)

function isMethodAllowed({ visit, methodOverrides }: Interpretation, when: Condition): boolean {
  if (when.method && !when.method.includes(visit.method)) return false
  return methodOverrides.every((name) => isListed(when, name))
}

/** Bodies that programs read as they read a query: WordPress shows an article to `POST /hooks/x` with `p=1`. */
const FORM = /x-www-form-urlencoded|form-data/i

const namesIn = (query: string): string[] =>
  query.split(/[&;?]/).map((each) => each.replace(/=.*/s, ''))

/** Many programs choose the page by the query (WordPress: `/feed?p=1`), so only named parameters may come. */
function isQueryAllowed({ query }: Interpretation, named: readonly string[] = []): boolean {
  if (query === undefined || named.includes('*')) return true
  return namesIn(query).every(
    (name) => /^[\w-]+$/.test(name) && named.some((each) => isLike(name, each)),
  )
}

function isPathAllowed(
  { isPlain, readings }: Interpretation,
  patterns: Condition['path'],
): boolean {
  if (!patterns) return true
  if (!isPlain || !readings) return false
  return readings.paths.every((path) => patterns.some((pattern) => isOpened(path, pattern)))
}

/** `/open/*.php` opens no `/open/a.php/b.php`: the rest goes to a script, which may show any page by it. */
const isOpened = (path: string, pattern: string): boolean =>
  formsOf(pattern).exact.some((form) => isLike(path, form)) &&
  (isScriptWithPath(pattern) || !isScriptWithPath(path))

/** What servers read in different ways in a path (CVE-2021-29492, CVE-2021-32779, CVE-2026-27587). */
const AMBIGUITIES: Readonly<Record<string, RegExp>> = {
  /** `/`, `\\` and `.` split and resolve a path, before or after they are decoded. */
  'an encoded slash, backslash or dot': /%(?:2f|5c|2e)/i,
  /** Decoded, they end the path, or one of its parts. */
  'an encoded #, ?, ; or &': /%(?:23|3f|3b|26)/i,
  /** A second decoding finds another escape behind it. */
  'an encoded percent sign': /%25/,
  /** NUL ends a path in C; others are dropped or refused. */
  'an encoded control character': /%(?:[01][0-9a-f]|7f)/i,
  /** Some servers merge the slashes. */
  'an empty segment': /\/\//,
  /** Servers resolve it, or drop it as Windows does. */
  'a segment of dots and spaces': /\/(?:\.|%20)+(?:\/|$)/,
  /** They begin parameters or a fragment, or are a slash; `RewriteRule (.*) index.php?q=$1` takes `&` for the end of a parameter. */
  'a ;, #, backslash or &': /[;#\\&]/,
  /** No browser sends it. */
  'what is no visible ASCII character': /[^!-~]/,
}
const isAmbiguous = (path: string): boolean =>
  !isUtf8(path) || Object.values(AMBIGUITIES).some((spelling) => spelling.test(path))

function isUtf8(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** Reports whether a text matches a pattern, in which * is any text; in linear time. */
export function isLike(text: string, pattern: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0 || !text.startsWith(pattern.slice(0, star))) return text === pattern
  const parts = pattern.slice(star + 1).split('*')
  const last = parts.pop()!
  let from = star
  for (const part of parts) {
    const found = text.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return text.endsWith(last) && from <= text.length - last.length
}

/** @param pattern with `!` before it: the header is missing, or has a value that is not like the rest of it. */
function hasHeader({ headers }: Visit, name: string, pattern: string): boolean {
  const value = String(headers[name] ?? '')
  return pattern.startsWith('!') ? !isLike(value, pattern.slice(1)) : isLike(value, pattern)
}
