import type { RequestHandler } from 'express'
import { parseAddress } from '../domain/address.ts'
import type { Rate } from '../domain/time.ts'
import { seconds } from '../domain/words.ts'
import { trustedRanges } from '../http/client-address.ts'
import type { App } from '../http/messages.ts'
import { hashSecret } from '../settings/secrets.ts'
import { DEMO_SITEKEY } from './credentials.ts'
import { DEMO_ACTION } from './pages.ts'
import { demoSite } from './site.ts'

/** Forms that an address may send to a public demonstration. */
export const PUBLIC_RATE: Rate = { points: 30, per: seconds(60) }

/**
 * The configuration of a demonstration in public, as the text of a file. Its one site has a secret of this process, so there
 * is nothing to steal; lines about visitors are not logged.
 *
 * @param origin where browsers find it.
 * @param proxies networks whose forwarded address counts.
 */
export const publicConfig = (origin: string, secret: string, proxies: readonly string[]): string =>
  JSON.stringify({
    version: 1,
    public_url: origin,
    log_level: 'warn',
    trusted_proxies: proxies,
    sites: [
      {
        sitekey: DEMO_SITEKEY,
        name: 'Demonstration',
        secrets: [{ sha256: hashSecret(secret) }],
        hostnames: [new URL(origin).hostname],
        actions: [DEMO_ACTION],
        step_up: 'managed',
      },
    ],
  })

/** Puts the demonstration site in front of the service, so that one port serves both. */
export const inFront =
  (site: App) =>
  (service: App): App =>
  (req, res, unreadable) => {
    const [path = ''] = req.url?.split('?') ?? []
    const app = /^\/(?:assets|api\/v1)\/|^\/health$/.test(path) ? service : site
    app(req, res, unreadable)
  }

interface PublicSite {
  /** Where browsers find it. */
  readonly origin: string
  /** Where this process finds the service. */
  readonly own: string
  readonly secret: string
  readonly proxies: readonly string[]
  /** Counts a form of an address. @returns milliseconds to wait, or 0. */
  readonly take: (owner: string) => Promise<number>
}

/** Makes the demonstration site for strangers. */
export const publicSite = (
  { origin, own, secret, proxies, take }: PublicSite,
  decisions: Parameters<typeof demoSite>[1],
): App =>
  demoSite(
    {
      own,
      page: origin,
      secret,
      hostnames: [new URL(origin).hostname],
      inPublic: { trusts: trustedRanges(proxies), limit: limited(take) },
    },
    decisions,
  )

/** Limits what one address may send. */
const limited =
  (take: PublicSite['take']): RequestHandler =>
  async (req, res, next) => {
    const waitMs = await take(parseAddress(req.ip ?? '')?.subscriber ?? 'unknown')
    if (waitMs === 0) return next()
    res.set('Retry-After', String(Math.ceil(waitMs / 1000)))
    res.status(429).type('text').send('Too many tries from your network. Please wait a minute.\n')
  }
