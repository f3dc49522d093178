/** How each kind of proxy asks: one row for each. CONTRIBUTING.md says what else a new one needs. */

export interface Dialect {
  /** Where the proxy says what the visitor asked for; undefined: by the method and the path of its own request. */
  readonly method: string | undefined
  readonly target: string | undefined
  readonly host: string
  /** The check is asked at `/check/NAME`; true: at `/check/NAME/` and the visitor's path. */
  readonly isPrefix: boolean
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
    method: 'x-original-method',
    target: 'x-original-uri',
    host: 'x-forwarded-host',
    isPrefix: false,
    showsAnswer: false,
    letsIn: 204,
    samples: ['nginx.conf'],
  },
  forward: {
    method: 'x-forwarded-method',
    target: 'x-forwarded-uri',
    host: 'x-forwarded-host',
    isPrefix: false,
    showsAnswer: true,
    letsIn: 204,
    samples: ['Caddyfile', 'hv-gate.lua', 'traefik.yaml'],
  },
  envoy: {
    method: undefined,
    target: undefined,
    host: 'host',
    isPrefix: true,
    showsAnswer: true,
    letsIn: 200,
    samples: ['envoy.yaml'],
  },
} as const satisfies Readonly<Record<string, Dialect>>

/** How proxies pass on what visitors ask of `/.hv/`: as it came. */
export const PASSED_ON: Dialect = { ...DIALECTS.envoy, isPrefix: false, samples: [] }

/** Dialects whose method and target stand in headers: a visitor may send those of another dialect. */
export const TOLD_BY_HEADERS = Object.values<Dialect>(DIALECTS).filter(
  (dialect): dialect is Dialect & { readonly method: string; readonly target: string } =>
    dialect.method !== undefined && dialect.target !== undefined,
)

/**
 * Returns the dialect of a check, and the target that its path has where the dialect says it there.
 *
 * @param url path and query of a proxy's request.
 */
export function dialectAt(url: string): { dialect: Dialect; target: string } | undefined {
  const [, name = '', rest = ''] = /^\/check\/([a-z]+)(.*)$/s.exec(url) ?? []
  if (!Object.hasOwn(DIALECTS, name)) return undefined
  const dialect: Dialect = DIALECTS[name as keyof typeof DIALECTS]
  const isThere = dialect.isPrefix ? rest.startsWith('/') : rest === '' || rest.startsWith('?')
  return isThere ? { dialect, target: rest } : undefined
}
