import { hash, timingSafeEqual } from 'node:crypto'
import type { Site } from '../domain/site.ts'
import type { Sites } from '../domain/ports.ts'

/** Secrets of `hv site` are within these lengths. Other texts are not looked up, and long ones not hashed. */
const SECRET_LENGTH = { from: 32, to: 256 }

/** Indexes the sites of one configuration; every lookup is in memory. */
export function siteDirectory(sites: readonly Site[]): Sites {
  const bySitekey = new Map<string, Site>(sites.map((site) => [site.sitekey, site]))
  const bySecret = new Map(
    sites.flatMap((site) =>
      site.secrets.map(
        (secret) =>
          [secret.sha256, { site, secret, digest: Buffer.from(secret.sha256, 'hex') }] as const,
      ),
    ),
  )

  return {
    bySitekey: (sitekey) => bySitekey.get(sitekey),

    bySecret(secret, now) {
      if (secret.length < SECRET_LENGTH.from || secret.length > SECRET_LENGTH.to) return undefined
      const sha256 = hash('sha256', secret)
      // The lookup in the Map is not constant-time. Its timing could reveal only the hash of 256 random bits, which helps no one to
      // guess them; the comparison after it is constant-time (docs/design/threats.md, "Order of work in siteverify").
      const entry = bySecret.get(sha256)
      if (!entry || !timingSafeEqual(entry.digest, Buffer.from(sha256, 'hex'))) return undefined
      const { notAfter } = entry.secret
      // Invalid from that second on, like tokens. If the clock returns NaN, a secret with an end is invalid.
      return notAfter === undefined || now < notAfter ? entry.site : undefined
    },
  }
}
