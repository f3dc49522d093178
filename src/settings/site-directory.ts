import { hash, timingSafeEqual } from 'node:crypto'
import { isAppOrigin } from '../domain/site.ts'
import type { Site } from './load.ts'
import type { Hostname, UnixSeconds } from '../domain/words.ts'

/** The sites in force; what the port `Sites` asks for. */
export interface SiteDirectory {
  bySitekey(sitekey: string): Site | undefined
  bySecret(secret: string, now: UnixSeconds): Site | undefined
  anyAllows(hostname: Hostname): boolean
}

/** Shorter is no secret of ours, longer is an attack on the hash; neither is looked up. */
const SECRET_LENGTH = { from: 32, to: 256 }

/** Tables over the sites of one configuration, built once; every lookup is in memory. */
export function siteDirectory(sites: readonly Site[]): SiteDirectory {
  const bySitekey = new Map<string, Site>(sites.map((site) => [site.sitekey, site]))
  const bySecret = new Map(
    sites.flatMap((site) =>
      site.secrets.map(
        (secret) => [secret.sha256, { site, secret, digest: Buffer.from(secret.sha256, 'hex') }] as const,
      ),
    ),
  )
  const exact = new Set(
    sites.flatMap(({ hostnames, appOrigins = [] }) => [
      ...hostnames.filter((pattern) => !pattern.startsWith('*.')),
      ...appOrigins,
    ]),
  )
  const below = new Set(
    sites.flatMap((site) => site.hostnames.filter((name) => name.startsWith('*.')).map((name) => name.slice(2))),
  )

  return {
    bySitekey: (sitekey) => bySitekey.get(sitekey),

    bySecret(secret, now) {
      if (secret.length < SECRET_LENGTH.from || secret.length > SECRET_LENGTH.to) return undefined
      const sha256 = hash('sha256', secret)
      // The Map's own comparison is not constant-time, but what it could give away is a hash of 256 random bits,
      // chosen by nobody; the equality that counts is the constant-time one (docs/design/threats.md, "Order of work in siteverify").
      const entry = bySecret.get(sha256)
      if (!entry || !timingSafeEqual(entry.digest, Buffer.from(sha256, 'hex')) || hasEnded(entry.secret, now))
        return undefined
      return entry.site
    },

    anyAllows(hostname) {
      if (exact.has(hostname)) return true
      if (isAppOrigin(hostname)) return false
      for (let dot = hostname.indexOf('.', 1); dot !== -1; dot = hostname.indexOf('.', dot + 1)) {
        if (below.has(hostname.slice(dot + 1))) return true
      }
      return false
    },
  }
}

/** Dead at that second itself, as tokens are. */
const hasEnded = ({ notAfter }: Site['secrets'][number], now: UnixSeconds): boolean =>
  notAfter !== undefined && !(now < notAfter)
