/** How each kind of proxy asks: one row for each. CONTRIBUTING.md says what else a new one needs. */

/** Where a proxy's request says what the visitor asked for. */
export interface Source {
  /** The headers in which the proxy writes the visitor's method and target; undefined: its own request has both. */
  readonly headers: { readonly method: string; readonly target: string } | undefined
  /** The header with the name of the site. */
  readonly host: string
}

/**
 * A proxy asks for a check at `/check/NAME` where headers say what the visitor asked for; otherwise by the visitor's own method, at
 * `/check/NAME` and the visitor's target.
 */
export interface Dialect extends Source {
  /**
   * Whether the proxy gives the visitor the whole answer. nginx takes the status alone, and only 401 and 403: the page
   * comes from `/.hv/blocked`, by its `error_page`.
   */
  readonly showsAnswer: boolean
  /** The status that lets in. Envoy takes 200 alone, and gives every other one to the visitor, 204 included. */
  readonly letsIn: 200 | 204
  /** The samples of deploy/gate that ask so. */
  readonly samples: readonly string[]
}

export const DIALECTS = {
  nginx: {
    headers: { method: 'x-original-method', target: 'x-original-uri' },
    host: 'x-forwarded-host',
    showsAnswer: false,
    letsIn: 204,
    samples: ['nginx.conf'],
  },
  forward: {
    headers: { method: 'x-forwarded-method', target: 'x-forwarded-uri' },
    host: 'x-forwarded-host',
    showsAnswer: true,
    letsIn: 204,
    samples: ['Caddyfile', 'hv-gate.lua', 'traefik.yaml'],
  },
  envoy: {
    headers: undefined,
    host: 'host',
    showsAnswer: true,
    letsIn: 200,
    samples: ['envoy.yaml'],
  },
} as const satisfies Readonly<Record<string, Dialect>>

/** Requests for `/.hv/`, which every proxy passes on as they came. */
export const PASSED_ON: Source = { headers: undefined, host: 'host' }

/** The headers that say what a visitor asked for, of all dialects: a visitor may send those of another one. */
export const REQUEST_HEADERS = Object.values<Dialect>(DIALECTS).flatMap(
  ({ headers }) => headers ?? [],
)

/** A check that a proxy asks for. */
export interface Check {
  readonly dialect: Dialect
  /** What follows the name of the dialect: the visitor's target, unless a header has it. */
  readonly target: string
}

/** @param url path and query of a proxy's request. @returns undefined where it asks for no check. */
export function checkAt(url: string): Check | undefined {
  const [, name = '', target = ''] = /^\/check\/([a-z]+)(.*)$/s.exec(url) ?? []
  if (!Object.hasOwn(DIALECTS, name)) return undefined
  const dialect: Dialect = DIALECTS[name as keyof typeof DIALECTS]
  const isWhole = dialect.headers ? target === '' || target.startsWith('?') : target.startsWith('/')
  return isWhole ? { dialect, target } : undefined
}
