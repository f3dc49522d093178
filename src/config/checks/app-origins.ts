import { isAppOrigin } from '../../domain/site.ts'
import type { Path } from '../../schema/schema.ts'
import { type Finding, wants } from '../finding.ts'

const WISH = 'an origin of an app, such as capacitor://localhost'

/** What is wrong with one of a site's `app_origins`; undefined: nothing. */
export function appOriginFinding(path: Path, text: string): Finding | undefined {
  if (isAppOrigin(text)) return undefined
  return wants(path, WISH, text, slipOf(text))
}

function slipOf(text: string): string | undefined {
  if (text.includes('*')) return 'no wildcard: list each origin'
  if (text === 'null' || /^file:/i.test(text))
    return 'a file sends null, as every sandboxed frame does: see docs/widget/apps.md'
  const web = /^https?:\/\/([^/]+)/i.exec(text)
  if (web) return `${web[1]!.replace(/:\d+$/, '')} belongs in hostnames`
  const host = /^([a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9._-]+)\/.*$/i.exec(text)
  if (host) return `no path: ${host[1]!}`
  const [scheme = '', rest] = text.split('://')
  return rest !== undefined && scheme !== scheme.toLowerCase() ? `write ${scheme.toLowerCase()}://${rest}` : undefined
}

/**
 * The meaning of one app origin, for its operator.
 *
 * @param origin that `isAppOrigin` accepts.
 */
export function meaningOf(origin: string): string {
  const scheme = origin.slice(0, origin.indexOf(':'))
  if (scheme === 'chrome-extension') return `${origin} is one browser extension, by the id of its key`
  if (scheme === 'moz-extension') return `${origin} is one installation of an extension: Firefox gives each another id`
  return `${origin} is every app whose pages run there, not only yours: any program can send it, so it is no attestation`
}
