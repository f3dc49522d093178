/** What `pass` needs. */
export interface PassOptions {
  /** The site's private secret, never in a page. */
  readonly secret: string | undefined
  /** The action of the form that the visitor may send. */
  readonly action: string
  /** The hostname of your page, without https:// and port. */
  readonly hostname: string
  /** How long the pass lives: 1 to 1,440; default 30. */
  readonly minutes?: number
}

const encoder = new TextEncoder()
const utf8 = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

/**
 * Makes a pass, offline: you vouch for one visitor, who then needs no score. For a site with `passes: true`. It is used
 * once, in place of a response token: in the address of your page (`#hv=…`), in `data-pass`, or as the form field itself.
 *
 * @throws {TypeError} for what is missing or wrong, in a sentence without any secret.
 * @see docs/widget/refused.md, "The pass"
 */
export async function pass({ secret, action, hostname, minutes = 30 }: PassOptions): Promise<string> {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError('the option `secret` is missing: the secret of the site, from the environment, say')
  if (typeof action !== 'string' || !/^[A-Za-z0-9_\-/.]{1,64}$/.test(action))
    throw new TypeError('the option `action` is wrong: the data-action of the form, 1 to 64 of A-Z a-z 0-9 _ - / .')
  if (typeof hostname !== 'string' || !/^[\w.-]{1,253}$/.test(hostname))
    throw new TypeError('the option `hostname` is wrong: the hostname of your page, without https:// and port')
  if (typeof minutes !== 'number' || !(minutes >= 1 && minutes <= 1440))
    throw new TypeError(`the option \`minutes\` is wrong: 1 to 1,440; got ${String(minutes)}`)
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = {
    act: action,
    hst: hostname.toLowerCase(),
    iat: issuedAt,
    exp: issuedAt + Math.round(minutes * 60),
    jti: base64url(crypto.getRandomValues(new Uint8Array(16))),
  }
  const signed = `${spelled({ alg: 'HS256', typ: 'hv-pass+jwt' })}.${spelled(claims)}`
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), utf8(signed))
  return `${signed}.${base64url(new Uint8Array(signature))}`
}

/** The service holds the hash of the secret, so it can derive the same key. RFC 5869, without a salt. */
async function keyOf(secret: string): ReturnType<typeof crypto.subtle.deriveKey> {
  const hash = await crypto.subtle.digest('SHA-256', utf8(secret))
  const source = await crypto.subtle.importKey('raw', hash, 'HKDF', false, ['deriveKey'])
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8('human-verification/1/pass') }
  return crypto.subtle.deriveKey(how, source, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, ['sign'])
}

const spelled = (value: object): string => base64url(utf8(JSON.stringify(value)))

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
