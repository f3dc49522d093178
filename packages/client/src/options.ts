export interface VerifyOptions {
  /** The action this handler protects. */
  readonly action: string
  /** Your hostnames, compared without case; at least one. */
  readonly hostnames: readonly [string, ...string[]]
  /** Base address of the service: `https://verify.example.com`. If it is missing, every visitor is refused. */
  readonly url: string | undefined
  /** The site's private secret, never in a page. If it is missing, every visitor is refused. */
  readonly secret: string | undefined
  /** What the form carried in `svc-response`; what cannot be a token is refused without a request. */
  readonly response: unknown
  /** 0 to 1: stricter than the site's own threshold, if you like. Default 0: the site's alone. */
  readonly threshold?: number | undefined
  /** The visitor's address, only if you can resolve it safely behind your proxies; null and '' count as none, as at the service. */
  readonly remoteip?: string | null | undefined
  /** Milliseconds for everything, a retry included: 1 to 60,000, default 3,000. */
  readonly timeout?: number | undefined
  /** Another `fetch`: for a runtime that has its own, or for a way out by a proxy (README.md, "Behind a proxy"). */
  readonly fetch?: typeof fetch | undefined
}

/** What `verify` requires before it sends a request. */
export interface Expectations {
  readonly action: string
  readonly hostnames: readonly string[]
}

type Settings = Pick<VerifyOptions, 'url' | 'secret' | 'threshold' | 'timeout' | 'remoteip'>

/** Milliseconds. The service itself answers within 2 s (docs/design/threats.md, "Promises"). */
export const DEFAULT_TIMEOUT = 3000
const LONGEST_TIMEOUT = 60_000
/** Characters; docs/api/api.md, "Tokens". */
const LONGEST_TOKEN = 2048

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** @throws {TypeError} without an action or hostnames. Types can be cast away, and JavaScript has none. */
export function checkExpectations({ action, hostnames }: Expectations): void {
  if (!isText(action))
    throw new TypeError(
      'the option `action` is missing: pass the action that this handler expects, the data-action of its form',
    )
  if (!Array.isArray(hostnames) || hostnames.length === 0 || !hostnames.every(isText)) {
    throw new TypeError(
      'the option `hostnames` is missing or empty: pass a list of your hostnames, without https:// and port',
    )
  }
  for (const hostname of hostnames) {
    const spelling = rightSpelling(hostname)
    if (spelling !== hostname.toLowerCase()) {
      const hint =
        spelling === undefined
          ? 'list each hostname on its own'
          : `write ${JSON.stringify(spelling)}`
      throw new TypeError(
        `the option \`hostnames\` has ${JSON.stringify(hostname)}, which no page can have: ${hint}`,
      )
    }
  }
}

/** docs/widget/apps.md */
const APP_ORIGIN =
  /^(?!(?:https?|wss?|ftp|file):)[a-z][a-z0-9+.-]{0,31}:\/\/[a-z0-9._-]{1,64}(?::\d{1,5})?$/i

/**
 * The hostname as the service answers it: what a browser makes of it in `Origin`, without port and without a last dot.
 *
 * @returns undefined where there is none, as for a wildcard.
 */
function rightSpelling(text: string): string | undefined {
  const entry = text.trim()
  // A page inside an app: the service answers its whole origin.
  if (APP_ORIGIN.test(entry)) return entry.toLowerCase()
  const bare = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(entry) ? `[${entry}]` : entry
  try {
    const { hostname } = new URL(
      /^[a-z][a-z0-9+.-]*:\/\//i.test(bare) ? bare.replace(/^[^:]+/, 'http') : `http://${bare}`,
    )
    const spelling = hostname.replace(/\.$/, '')
    return spelling === '' || spelling.includes('*') ? undefined : spelling
  } catch {
    return undefined
  }
}

/** @returns what is wrong with the rest, in a sentence without any value that may be a secret; or undefined. */
export function problemIn({
  url,
  secret,
  threshold,
  timeout,
  remoteip,
}: Settings): string | undefined {
  if (!isText(url) || !isHttp(url))
    return 'the option `url` is missing or wrong: the address of the service, such as https://verify.example.com, without a user name'
  if (!isText(secret))
    return 'the option `secret` is missing: the secret of the site, for example from the environment; is the variable HV_SECRET set?'
  if (threshold !== undefined && !isShare(threshold)) {
    return `the option \`threshold\` is wrong: a number from 0 to 1; got ${String(threshold)}`
  }
  if (timeout !== undefined && !isTimeout(timeout)) {
    return `the option \`timeout\` is wrong: 1 to ${LONGEST_TIMEOUT} milliseconds; got ${String(timeout)}`
  }
  if (typeof (remoteip ?? '') !== 'string')
    return 'the option `remoteip` is wrong: an address as text, or none'
  return undefined
}

/** JSON has no NaN, but 1e999 is read as infinite, and that would pass every threshold. */
export const isShare = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 1

const isTimeout = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1 && value <= LONGEST_TIMEOUT

/** Reports whether a value can be a token: a repeated field, an uploaded file or a long text cannot, and needs no request. */
export const isToken = (response: unknown): response is string =>
  isText(response) && response.length <= LONGEST_TOKEN

export function isHttp(url: string): boolean {
  try {
    const { protocol, username, password } = new URL(url)
    return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
  } catch {
    return false
  }
}
