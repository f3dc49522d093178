/** What a call of `verify` needs before anything is asked. */
export interface Expectations {
  readonly action: string
  readonly hostnames: readonly string[]
}

interface Settings {
  readonly url: string | undefined
  readonly secret: string | undefined
  readonly threshold?: number | undefined
  readonly timeout?: number | undefined
  readonly remoteip?: string | undefined
}

/** Milliseconds. Issue 7; the service itself answers within 2 s (THREATS.md, section 1). */
export const DEFAULT_TIMEOUT = 3000
const LONGEST_TIMEOUT = 60_000
/** Characters; CONTRACT.md, section 4. */
const LONGEST_TOKEN = 2048

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** @throws {TypeError} without an action or hostnames. Types can be cast away, and JavaScript has none. */
export function checkExpectations({ action, hostnames }: Expectations): void {
  if (!isText(action)) throw new TypeError('verify wants the action that this handler expects')
  if (!Array.isArray(hostnames) || hostnames.length === 0 || !hostnames.every(isText)) {
    throw new TypeError('verify wants a list of your hostnames, at least one')
  }
}

/** @returns what is wrong with the rest, in a sentence without any value that may be a secret; or undefined. */
export function problemIn({ url, secret, threshold, timeout, remoteip }: Settings): string | undefined {
  if (!isText(url) || !isHttp(url)) return 'verify wants the url of the service: https://, no user name in it'
  if (!isText(secret)) return 'verify wants the secret of the site'
  if (threshold !== undefined && !(typeof threshold === 'number' && threshold >= 0 && threshold <= 1)) {
    return `verify wants a threshold from 0 to 1; got ${String(threshold)}`
  }
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout >= 1 && timeout <= LONGEST_TIMEOUT)) {
    return `verify wants a timeout from 1 to ${LONGEST_TIMEOUT} milliseconds; got ${String(timeout)}`
  }
  if (remoteip !== undefined && !isText(remoteip)) return 'verify wants the remoteip as text, or none'
  return undefined
}

/** Whether it is worth a request: a field given twice, an uploaded file or a megabyte never is. */
export const isToken = (response: unknown): response is string => isText(response) && response.length <= LONGEST_TOKEN

function isHttp(url: string): boolean {
  try {
    const { protocol, username, password } = new URL(url)
    return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
  } catch {
    return false
  }
}
