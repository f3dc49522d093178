/** Which rule counts for a visit. Pure. */
import { posix } from 'node:path'
import type { RuleSettings } from './settings.ts'
import { isInRanges, type Visit } from './visit.ts'

/** What a visit needs: a clearance of this level, or nothing, or nothing helps. */
export type Effect = RuleSettings['effect']

/** The page's own files, and what certificates and crawlers need; not configurable, for who forgets them loses certificates. */
const ALWAYS_OPEN = ['/.hv/*', '/robots.txt', '/favicon.ico', '/.well-known/*']

/** Returns the effect of the first rule that matches; level 1 where none does. */
export function effectOf(
  visit: Visit,
  rules: readonly RuleSettings[],
): { readonly effect: Effect; readonly rule: string } {
  const path = visit.target.replace(/[?#].*/s, '')
  const isPlain = !UNPLAIN.test(path)
  if (isPlain && ALWAYS_OPEN.some((pattern) => isLike(path, pattern))) return { effect: 'allow', rule: 'always open' }
  // What the site may take the path for: a rule that asks for more must not be avoided by another spelling.
  const spellings = isPlain && !path.includes('%') ? [path] : [path, canonical(path)]
  for (const { name, when, effect } of rules) {
    if (effect === 'allow' && !isPlain) continue
    const paths = effect === 'allow' ? [path] : spellings
    if (when.path && !paths.some((each) => when.path!.some((pattern) => isLike(each, pattern)))) continue
    if (when.method && !when.method.includes(visit.method)) continue
    if (when.cidr && !isInRanges(visit.address, when.cidr)) continue
    if (!Object.entries(when.header ?? {}).every(([header, pattern]) => hasHeader(visit, header, pattern))) continue
    return { effect, rule: name }
  }
  return isPreflight(visit) ? { effect: 'allow', rule: 'preflight' } : { effect: 'level 1', rule: 'none' }
}

/**
 * Spellings that servers read in different ways. An allow rule does not apply to them: CVE-2021-29492 and CVE-2021-32779
 * (Envoy), CVE-2026-27587 (Caddy).
 */
const UNPLAIN = /%(?:2[ef5]|5c|3b|[01][0-9a-f]|7f)|\/\/|\/\.\.?(?:\/|$)|[;\\#]|[^!-~]/i

function canonical(path: string): string {
  const decoded = path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return posix.normalize(decoded.replaceAll('\\', '/').replaceAll(/;[^/]*/g, ''))
}

/** Reports whether a text matches a pattern, in which * is any text; in linear time. */
export function isLike(text: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let from = first.length
  for (const part of parts) {
    const found = text.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return from <= text.length - last.length
}

function hasHeader({ headers }: Visit, name: string, pattern: string): boolean {
  const value = String(headers[name] ?? '')
  return pattern.startsWith('!') ? !isLike(value, pattern.slice(1)) : isLike(value, pattern)
}

/** Browsers send these without cookies, so no clearance could come with them (Fetch, "CORS-preflight fetch"). */
const isPreflight = ({ method, headers }: Visit): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
