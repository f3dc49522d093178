/** Which rule counts for a visit. Pure. */
import { posix } from 'node:path'
import { unescape } from 'node:querystring'
import type { RuleSettings } from './settings.ts'
import { isInRanges, type Visit } from './visit.ts'

/** The page's own files. Proxies send them to the gate, and never to the site. */
const OWN_FILES: RuleSettings = { name: 'always-open', when: { path: ['/.hv/*'] }, effect: 'allow' }
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
const OPEN_PATHS = ['/robots.txt', '/favicon.ico', ...WELL_KNOWN.map((name) => `/.well-known/${name}`)]
/** What certificates and crawlers need; not configurable, because a site that forgets them loses its certificate. */
const OPEN_FILES: RuleSettings = {
  name: 'always-open',
  when: { path: OPEN_PATHS, method: ['GET', 'HEAD'] },
  effect: 'allow',
}

/** Returns the first rule that matches; level 1 where none does. */
export function ruleOf(visit: Visit, rules: readonly RuleSettings[]): Pick<RuleSettings, 'name' | 'effect'> {
  const path = visit.target.replace(/\?.*/s, '')
  const isPlain = !UNPLAIN.test(path)
  // What the site may take the path for: a rule that asks for more must not be avoided by another spelling.
  const others = isPlain && !path.includes('%') ? [] : [canonical(path), canonical(path.replace(/#.*/s, ''))]
  // Many programs choose the page by the query (WordPress: /robots.txt?p=1), so an open file has none.
  const open = visit.target.includes('?') ? [OWN_FILES] : [OWN_FILES, OPEN_FILES]
  for (const rule of [...open, ...rules]) {
    const { when, effect } = rule
    // After an upgrade the proxy is a tunnel, and the rule was asked about its first request alone.
    if (effect === 'allow' && (!isPlain || visit.headers.upgrade !== undefined)) continue
    const paths = effect === 'allow' ? [path] : [path, ...others]
    if (when.path && !paths.some((each) => when.path!.some((pattern) => isLike(each, pattern)))) continue
    if (when.method && !when.method.includes(visit.method)) continue
    if (when.cidr && !isInRanges(visit.address, when.cidr)) continue
    if (Object.entries(when.header ?? {}).every(([header, pattern]) => hasHeader(visit, header, pattern))) return rule
  }
  return isPreflight(visit) ? { effect: 'allow', name: 'preflight' } : { effect: 'level 1', name: 'none' }
}

/** Spellings that servers read in different ways, to which no allow rule applies (CVE-2021-29492, -32779, CVE-2026-27587). */
const UNPLAIN = /%(?:2[ef5]|5c|3b|[01][0-9a-f]|7f)|\/\/|\/\.\.?(?:\/|$)|[;\\#]|[^!-~]/i

/** Also of an absolute address, which programs take for its path, and of letters beyond ASCII, which arrive as bytes. */
function canonical(path: string): string {
  const decoded = unescape(Buffer.from(path.replace(/^[^/]+:\/\/[^/]*\/?/, '/'), 'latin1').toString())
  return posix.normalize(decoded.replaceAll('\\', '/').replaceAll(/;[^/]*/g, ''))
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

const hasHeader = ({ headers }: Visit, name: string, pattern: string): boolean =>
  isLike(String(headers[name] ?? ''), pattern.replace(/^!/, '')) !== pattern.startsWith('!')

/** Browsers send these without cookies, so no clearance could come with them (Fetch, "CORS-preflight fetch"). */
const isPreflight = ({ method, headers }: Visit): boolean =>
  method === 'OPTIONS' &&
  headers.upgrade === undefined &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined
