import type { SvcCaptcha, SvcCaptchaFetchInit } from '../captcha.d.ts'
import { bare } from './options.ts'

/** Carries the token of a call, and of a clearance. */
const TOKEN = 'svc-response'

/** What a gate answers with 401 and the header `HV-Required`, as JSON. */
interface Requirement {
  readonly sitekey: string
  readonly action: string
  readonly service: string
}

/** Calls that a gate refuses at the same time share one clearance. */
let clearing: Promise<boolean> | undefined

/** Gets a clearance of the gate in front of the page's own origin. Resolves to false if it was refused. */
async function clear(
  captcha: SvcCaptcha,
  { sitekey, action, service }: Requirement,
): Promise<boolean> {
  const place = document.body.appendChild(document.createElement('div'))
  try {
    captcha.render(place, { sitekey, action, apiBase: service, size: 'invisible' })
    const body = new URLSearchParams({ [TOKEN]: await captcha.execute(place), action })
    return (await fetch('/.hv/pass', { method: 'POST', body, redirect: 'error' })).ok
  } finally {
    captcha.remove(place)
    place.remove()
    clearing = undefined
  }
}

/** Sends a request with its own token, using the page's current `fetch`. docs/widget/javascript.md, "Calls without a form" */
export async function fetchWithToken(
  captcha: SvcCaptcha,
  spend: (which: SvcCaptchaFetchInit['widget']) => void,
  input: RequestInfo | URL,
  { origins = [], widget, ...init }: SvcCaptchaFetchInit = {},
): Promise<Response> {
  const asked = new Request(input, init)
  const isOwn = isWithin(origins, asked)
  // A redirect takes the header along, to any origin that allows it: an error, but for one within the page's own.
  const bounds: RequestInit = isOwn ? { mode: 'same-origin' } : { redirect: 'error' }
  const request = new Request(asked, bounds)
  // A stream is read once.
  const isStream = init.body instanceof ReadableStream || (input as Partial<Request>).body
  const spare = isStream ? undefined : request.clone()
  const send = (one: Request, token: string): Promise<Response> => {
    one.headers.set(TOKEN, token)
    spend(widget)
    return fetch(one)
  }
  /** Returns the token with which a refused call may pass: after the gate's clearance the same, or that of a second try. */
  async function nextToken({ status, headers }: Response): Promise<string | undefined> {
    if (isOwn && status === 401 && headers.has('hv-required')) {
      // Awaited first: calls that are refused meanwhile must find the clearance that this one begins.
      const answer = await answerOf(response)
      clearing ??= clear(captcha, answer)
      // The gate has not used the call's token.
      return (await clearing) ? token : undefined
    }
    const ticket = status === 422 && (await answerOf(response)).step_up
    return ticket ? captcha.stepUp(widget, ticket) : undefined
  }
  const token = await captcha.execute(widget)
  const response = await send(request, token)
  const next = spare && (await nextToken(response))
  return spare && next ? send(spare, next) : response
}

/** Reports whether a request goes to the page's own origin. @throws {TypeError} for another one that the page does not list. */
function isWithin(origins: readonly string[], { url }: Request): boolean {
  const { origin } = new URL(url)
  if (origin === location.origin) return true
  if (!origins.includes(origin)) throw new TypeError(`svc-captcha: origins lacks ${origin}`)
  return false
}

async function answerOf(response: Response): Promise<Requirement & { readonly step_up?: string }> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => {})
  return bare(body) as Requirement
}
