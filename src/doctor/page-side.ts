import { createHash } from 'node:crypto'
import { type Ask, type Diagnosis, good, fix, reasonOf } from './diagnosis.ts'

const WAIT_MS = 5000

/** A page that may embed the widget: a hostname of a site, and the site. */
export interface AllowedPage {
  readonly sitekey: string
  /** Without a wildcard. */
  readonly hostname: string
  /** One of the site's, or any. */
  readonly action: string
}

/** What the browsers of visitors meet: the script, and the right of each page to read answers. */
export async function examinePageSide(
  service: URL,
  send: Ask,
  pages: readonly AllowedPage[],
): Promise<readonly Diagnosis[]> {
  const cors: Diagnosis[] = []
  for (const page of pages) cors.push(await examineCors(service, send, page))
  return [...(await examineScript(service, send)), ...cors, await examineStranger(service, send)]
}

async function examineScript(service: URL, send: Ask): Promise<readonly Diagnosis[]> {
  const check = 'captcha.js'
  try {
    const res = await send(new URL('assets/captcha.js?v=1', service), { signal: AbortSignal.timeout(WAIT_MS) })
    const bytes = Buffer.from(await res.arrayBuffer())
    if (!res.ok) return [fix(check, `HTTP ${res.status}`, 'let /assets/ through to the service, with its query')]
    const diagnoses: Diagnosis[] = []
    const cache = res.headers.get('cache-control') ?? 'none'
    if (/max-age=31536000/.test(cache) && res.headers.get('etag') !== null)
      diagnoses.push(good(check, `cached for a year, with an ETag`))
    else
      diagnoses.push(
        fix(check, `Cache-Control: ${cache}`, 'a proxy changes Cache-Control or takes the ETag: pass both through'),
      )
    const readable = res.headers.get('access-control-allow-origin') === '*'
    const shared = res.headers.get('cross-origin-resource-policy') === 'cross-origin'
    const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`
    if (readable && shared) diagnoses.push(good('SRI', `integrity="${integrity}" crossorigin="anonymous"`))
    else {
      const missing = readable ? 'Cross-Origin-Resource-Policy: cross-origin' : 'Access-Control-Allow-Origin: *'
      diagnoses.push(
        fix('SRI', `no ${missing}`, 'a proxy removes the header: pass it through, or pages cannot load the script'),
      )
    }
    return diagnoses
  } catch (error) {
    return [fix(check, reasonOf(error), 'let /assets/ through to the service')]
  }
}

const NOT_LISTED =
  'the running service does not have this hostname: add it to the site’s hostnames, or reload the service'

async function examineCors(service: URL, send: Ask, { sitekey, hostname, action }: AllowedPage): Promise<Diagnosis> {
  const check = `CORS ${hostname}`
  const origin = `https://${hostname}`
  try {
    const { status, allowed, codes } = await ask(service, send, origin, { sitekey, action })
    if (status === 429) return fix(check, 'rate-limit-exceeded', 'ask again in a minute')
    if (codes === 'hostname-not-allowed') return fix(check, `${hostname}: hostname-not-allowed`, NOT_LISTED)
    if (status !== 200) return fix(check, codes, 'the running service has another policy than this file: reload it')
    if (allowed !== origin) {
      return fix(
        check,
        `Access-Control-Allow-Origin: ${allowed ?? 'none'}`,
        'a proxy changes CORS headers: pass them through',
      )
    }
    return good(check, `challenge issued to ${origin}`)
  } catch (error) {
    return fix(check, reasonOf(error), 'let POST /api/v1/challenge through to the service')
  }
}

/** A page of nobody's must not be served, nor be able to read why. */
async function examineStranger(service: URL, send: Ask): Promise<Diagnosis> {
  const check = 'CORS of strangers'
  const origin = 'https://stranger.invalid'
  try {
    const { status, allowed } = await ask(service, send, origin, { sitekey: 'hv_site_of_nobody', action: 'doctor' })
    if (allowed === '*' || allowed === origin) {
      return fix(
        check,
        `Access-Control-Allow-Origin: ${allowed}`,
        'a proxy adds CORS headers of its own: leave them to the service',
      )
    }
    return status < 400
      ? fix(check, `HTTP ${status}`, 'this is not the service')
      : good(check, 'refused, and not readable')
  } catch (error) {
    return fix(check, reasonOf(error), 'let POST /api/v1/challenge through to the service')
  }
}

async function ask(service: URL, send: Ask, origin: string, fields: Record<string, string>) {
  const res = await send(new URL('api/v1/challenge', service), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin },
    signal: AbortSignal.timeout(WAIT_MS),
  })
  const body = (await res.json().catch(() => ({}))) as { 'error-codes'?: readonly string[] }
  const codes = body['error-codes']?.join(', ') ?? `HTTP ${res.status}`
  return { status: res.status, allowed: res.headers.get('access-control-allow-origin'), codes }
}
