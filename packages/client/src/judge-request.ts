/** What the middlewares of all frameworks have in common: the question, and the neutral answer. */
import { checkExpectations, isHttp, problemIn } from './options.ts'
import { asHtml, type StepPage, stepPage } from './step-page.ts'
import { type Human, refused, type Refusal, type Verification } from './verification.ts'
import { verify, type VerifyOptions } from './verify.ts'

/** Options of `requireHuman`: those of `verify`, and how to treat a request. */
export interface RequireHumanOptions<Incoming> extends Omit<
  VerifyOptions,
  'response' | 'remoteip'
> {
  /** The form field, or member of a JSON object, that carries the token; default `svc-response`. */
  readonly field?: string
  /** Where the token is: in that field, or in the request header `svc-response` of `svcCaptcha.fetch`. A refusal is JSON then. */
  readonly from?: 'field' | 'header'
  /** The visitor's address, if your server resolves it safely behind its proxies; default: not sent. */
  readonly remoteip?: (request: Incoming) => string | null | undefined
  /** What a refused visitor reads; plain text, the same for every reason. */
  readonly message?: string
  /** What a visitor reads if the service could not judge, with status 503; plain text. */
  readonly unavailableMessage?: string
  /** What a visitor reads when asked for a second try (docs/widget/refused.md); plain text. */
  readonly stepUpMessage?: string
  /** Where browsers reach the service, if not under `url`; for the page of a second try. */
  readonly publicUrl?: string
  /** For your log and your alarms: called once for each refusal. What it throws, at once or later, is ignored. */
  readonly onRefusal?: (refusal: Refusal, request: Incoming) => unknown
}

/** Reads a header; a list, as Node.js gives for a repeated one, counts as none. */
export type Header = (name: string) => string | readonly string[] | null | undefined

/** Reads the headers of Node.js, where HTTP/2 names the host `:authority`. */
export const nodeHeader =
  (headers: Readonly<Record<string, string | string[] | undefined>>): Header =>
  (name) =>
    headers[name] ?? (name === 'host' ? headers[':authority'] : undefined)

/**
 * Judges a request. Never rejects: whatever goes wrong, the visitor is refused.
 *
 * @param header of the request, by its name in small letters.
 * @param fields what the visitor sent, read only if the token is in it; undefined: it cannot be kept for the page of a second try.
 * @returns the verdict, or the refusal as HTML or JSON.
 */
type JudgeRequest<Incoming> = (
  request: Incoming,
  header: Header,
  fields: () => unknown,
) => Promise<
  { readonly human: Human; readonly page?: never } | { readonly human?: never; readonly page: Page }
>

export interface Page {
  /** 503 if the service could not judge: the visitor may try again. */
  readonly status: 422 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const DEFAULT_FIELD = 'svc-response'
const DEFAULT_MESSAGE = 'We could not process your request. Please try again.'
const DEFAULT_STEP_UP = 'One more step: please confirm that you are a person.'
const DEFAULT_UNAVAILABLE = 'This is temporarily unavailable. Please try again in a moment.'

/**
 * @param options Checked here, when the program starts, not at the first visitor.
 * @param environment `later`: url and secret may be set later (Next.js loads handlers while it builds); until then
 *   every visitor is refused.
 * @throws {TypeError} for what is missing or wrong, in a sentence.
 */
export function requestJudge<Incoming>(
  options: RequireHumanOptions<Incoming>,
  environment: 'now' | 'later' = 'now',
): JudgeRequest<Incoming> {
  checkOptions(options, environment)
  const { message = DEFAULT_MESSAGE, unavailableMessage = DEFAULT_UNAVAILABLE } = options
  const isInHeader = options.from === 'header'
  return async (request, header, readFields) => {
    const fields = isInHeader ? undefined : await readFields()
    const verification = await verifyRequest(options, request, header, fields)
    if (verification.accepted) return { human: verification }
    report(() => options.onRefusal?.(verification, request))
    const words = verification.retryable ? unavailableMessage : message
    const html = !isInHeader && prefersHtml(textOf(header('accept')))
    const step = html ? stepFor(options, verification, header, fields) : undefined
    return { page: pageOf(verification, words, html, step) }
  }
}

/** @throws {TypeError} for what is missing or wrong, in a sentence. */
function checkOptions<Incoming>(
  options: RequireHumanOptions<Incoming>,
  environment: 'now' | 'later',
): void {
  checkExpectations(options)
  const { url, secret, threshold, timeout, field, from, publicUrl } = options
  const stand =
    environment === 'later'
      ? { url: url ?? 'https://later.invalid', secret: secret ?? 'later' }
      : { url, secret }
  const problem =
    problemIn({ ...stand, threshold, timeout }) ?? ownProblemIn({ field, from, publicUrl })
  if (problem !== undefined) throw new TypeError(problem)
}

/** Returns what is wrong with the options that `verify` does not have; undefined if nothing is. */
function ownProblemIn({
  field = DEFAULT_FIELD,
  from = 'field',
  publicUrl,
}: Partial<Record<'field' | 'from' | 'publicUrl', string | undefined>>): string | undefined {
  if (typeof field !== 'string' || field === '')
    return 'the option `field` is wrong: the name of a form field, svc-response by default'
  if (!['field', 'header'].includes(from)) return "the option `from` is wrong: 'field' or 'header'"
  if (publicUrl !== undefined && !isHttp(publicUrl))
    return 'the option `publicUrl` is wrong: the address of the service for browsers, such as https://verify.example.com'
  return undefined
}

/** Never rejects. */
async function verifyRequest<Incoming>(
  options: RequireHumanOptions<Incoming>,
  request: Incoming,
  header: Header,
  fields: unknown,
): Promise<Verification> {
  const { field = DEFAULT_FIELD, from, remoteip, ...rest } = options
  try {
    const response = from === 'header' ? header(DEFAULT_FIELD) : fieldOf(fields, field)
    return await verify({ ...rest, response, remoteip: remoteip?.(request) })
  } catch (error) {
    return refused('options', `the handler's own options threw: ${String(error)}`)
  }
}

/** Returns the page of a second try, where there is one and the visitor's own page has sent the form. */
function stepFor<Incoming>(
  options: RequireHumanOptions<Incoming>,
  { stepUp: ticket }: Refusal,
  header: Header,
  fields: unknown,
): StepPage | undefined {
  const { action, field = DEFAULT_FIELD, stepUpMessage: message = DEFAULT_STEP_UP } = options
  const url = options.publicUrl ?? options.url
  if (ticket === undefined || url === undefined || !isSameOrigin(header)) return undefined
  return stepPage({ ticket, action, url, field, message, fields })
}

/** A log that fails must neither let the visitor in nor show an error page. */
function report(tell: () => unknown): void {
  // An unhandled rejection would end the customer's process.
  void new Promise((resolve) => resolve(tell())).catch(() => {})
}

function pageOf(
  { retryable, retryAfter, stepUp }: Refusal,
  message: string,
  html: boolean,
  step?: StepPage,
): Page {
  return {
    status: retryable ? 503 : 422,
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      'content-type': html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'Accept',
      ...(step && { 'content-security-policy': step.policy, 'x-frame-options': 'DENY' }),
    },
    body: html
      ? (step?.html ?? htmlPage(message))
      : JSON.stringify({ error: message, ...(stepUp !== undefined && { step_up: stepUp }) }),
  }
}

const htmlPage = (message: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${asHtml(message)}</title>
<p>${asHtml(message)}</p>
`

/**
 * Reports whether a page of the same origin made the request. A page of another one may have chosen the fields, and the page of a
 * second try would send them in the visitor's name.
 */
function isSameOrigin(header: Header): boolean {
  const site = textOf(header('sec-fetch-site'))
  if (site !== '') return site === 'same-origin'
  try {
    return new URL(textOf(header('origin'))).host === textOf(header('host'))
  } catch {
    return false
  }
}

const textOf = (value: ReturnType<Header>): string => (typeof value === 'string' ? value : '')

/** A browser that submits a form accepts `text/html`; a client that does not, or prefers JSON, gets JSON. */
function prefersHtml(accept: string): boolean {
  const html = weightOf('text/html', accept)
  return html > 0 && html >= weightOf('application/json', accept)
}

/** @returns the type's `q`, 0 where it is not named. RFC 9110, section 12.5.1. */
function weightOf(type: string, accept: string): number {
  const range = accept.split(',').find((each) => each.split(';')[0]!.trim().toLowerCase() === type)
  if (range === undefined) return 0
  const weight = /;\s*q=([\d.]+)/i.exec(range)
  return weight ? Number(weight[1]) : 1
}

/** A field of a body that a framework has parsed: the object's own, so that no prototype ever supplies it. */
function fieldOf(body: unknown, field: string): unknown {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, field)) return undefined
  return (body as Record<string, unknown>)[field]
}
