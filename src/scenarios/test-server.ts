import { createHash } from 'node:crypto'

interface TestServer {
  /** `127.0.0.1:8082`; port 0 picks a free one. */
  readonly listen: string
  /** Where the widget may run, besides localhost and the names under .test. */
  readonly hostnames: readonly string[]
  /** One site that is judged for real, made for this start. */
  readonly ordinary: { readonly sitekey: string; readonly secret: string }
}

/** More than a test suite asks for; a test of 429 has its scenario. */
const UNLIMITED = '100000000 per 1m'

/** The configuration that `hv test-server` runs with, as the text of a file that nobody has to write. */
export function testServerConfig({ listen, hostnames, ordinary }: TestServer): string {
  return JSON.stringify({
    version: 1,
    mode: 'test',
    listen,
    ops_listen: '127.0.0.1:0',
    log_level: 'warn',
    limits: {
      challenge: UNLIMITED,
      solve: UNLIMITED,
      siteverify: UNLIMITED,
      fallback: UNLIMITED,
      ticket: UNLIMITED,
      junk: UNLIMITED,
      invalid_secret: UNLIMITED,
    },
    sites: [
      {
        sitekey: ordinary.sitekey,
        name: 'judged for real',
        secrets: [{ sha256: createHash('sha256').update(ordinary.secret, 'utf8').digest('hex') }],
        hostnames: [...new Set(['localhost', '127.0.0.1', '[::1]', ...hostnames])],
        work: { level: 0 },
      },
    ],
  })
}
