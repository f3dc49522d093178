import { honestWork } from './obtain-token.ts'
import { type Ask, type Diagnosis, good, fix, reasonOf, unknown } from './diagnosis.ts'
import type { AllowedPage } from './page-side.ts'

const WAIT_MS = 5000
const CHECK = 'visitor address'
/** Of TEST-NET-1 (RFC 5737): nobody comes from there. */
const MADE_UP = '192.0.2.77'

/** Reads, with the keyring, how a response token remembers the address that solved. */
export interface AddressReader {
  /** @returns undefined when the token is not of this keyring; `none` when no address was seen. */
  scopeOf(token: string, sitekey: string): Promise<'public' | 'private' | 'none' | undefined>
  /** Whether the token remembers this address. */
  is(token: string, sitekey: string, address: string): Promise<boolean>
}

/**
 * Which address the service sees: a token is obtained and opened, so no endpoint has to tell. Then the same with a
 * made-up `X-Forwarded-For`, which no stranger may be believed.
 *
 * @param isPublic whether the service is asked from outside, so that a private address can only be a proxy's.
 * @param own the caller's address, where it is known.
 */
export async function examineAddress(
  service: URL,
  send: Ask,
  page: AllowedPage,
  reader: AddressReader,
  { isPublic, own }: { readonly isPublic: boolean; readonly own: string | undefined },
): Promise<readonly Diagnosis[]> {
  try {
    const token = await obtain(service, send, page, {})
    const scope = await reader.scopeOf(token, page.sitekey)
    if (scope === undefined) {
      return [
        fix(
          CHECK,
          'the token opens with no key of this keyring',
          'the service runs with another keyring than this file names',
        ),
      ]
    }
    const diagnoses: Diagnosis[] = []
    if (own !== undefined) {
      diagnoses.push(
        (await reader.is(token, page.sitekey, own))
          ? good(CHECK, `sees ${own}, as it should`)
          : fix(
              CHECK,
              `does not see ${own}, but another ${scope} address`,
              'name every proxy of yours in trusted_proxies, and have each set X-Forwarded-For',
            ),
      )
    } else if (scope === 'none')
      diagnoses.push(fix(CHECK, 'sees none', 'a proxy hides it: have it set X-Forwarded-For'))
    else if (scope === 'private' && isPublic) {
      diagnoses.push(
        fix(
          CHECK,
          'sees a private one: a proxy’s',
          'name the proxy’s network in trusted_proxies, or all visitors share one budget',
        ),
      )
    } else diagnoses.push(good(CHECK, `sees a ${scope} one; give --ip to compare it with yours`))

    const forged = await obtain(service, send, page, { 'x-forwarded-for': MADE_UP })
    diagnoses.push(
      (await reader.is(forged, page.sitekey, MADE_UP))
        ? fix(
            'X-Forwarded-For',
            `a stranger’s ${MADE_UP} was believed`,
            'have the outermost proxy replace X-Forwarded-For, not add to it; trusted_proxies names your proxies only',
          )
        : good('X-Forwarded-For', 'of strangers is not believed'),
    )
    return diagnoses
  } catch (error) {
    return [unknown(CHECK, reasonOf(error), 'fix what is above first, and ask again')]
  }
}

async function obtain(service: URL, send: Ask, page: AllowedPage, more: Record<string, string>): Promise<string> {
  const ask = async (operation: string, fields: Record<string, string>): Promise<Record<string, unknown>> => {
    const res = await send(new URL(`api/v1/${operation}`, service), {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: `https://${page.hostname}`, ...more },
      signal: AbortSignal.timeout(WAIT_MS),
    })
    const body = (await res.json()) as Record<string, unknown>
    if (!res.ok) throw new Error(`${operation} answers ${String(body['error-codes'])}`)
    return body
  }
  const { challenge, work } = await ask('challenge', { sitekey: page.sitekey, action: page.action })
  const solution = honestWork(challenge as string, work as Parameters<typeof honestWork>[1])
  const { token } = await ask('solve', { challenge: challenge as string, solution, signals: '{}' })
  return token as string
}
