import { createHash, randomBytes } from 'node:crypto'

interface Measuring {
  readonly sitekey: string
  /** Where the page may be opened, besides this machine's own names. */
  readonly hostnames: readonly string[]
}

/** The configuration that `hv measure` runs with: one site with the released policy, and a secret that nobody has. */
export const measureConfig = ({ sitekey, hostnames }: Measuring): string =>
  JSON.stringify({
    version: 1,
    listen: '127.0.0.1:0',
    ops_listen: '127.0.0.1:0',
    // The page passes requests on.
    trusted_proxies: ['127.0.0.1'],
    sites: [
      {
        sitekey,
        name: 'measured',
        secrets: [{ sha256: createHash('sha256').update(randomBytes(32)).digest('hex') }],
        hostnames: [...new Set(['localhost', '127.0.0.1', ...hostnames])],
      },
    ],
  })
