/** A protected form as its page shows it. */
export interface ProtectedForm {
  readonly page: URL
  /** Where the form is posted to. */
  readonly post: URL
  /** The field that carries the token. */
  readonly field: string
  readonly sitekey: string
  readonly action: string
  /** Base address of the service, with a slash at its end. */
  readonly service: URL
}

/** The page could not be understood; the message says what was looked for. */
export class NoForm extends Error {
  override readonly name = 'NoForm'
}

/**
 * Reads a page's HTML as it is served: the container `.svc-captcha` and the form around it. What scripts make of the
 * page later is not seen; then the parts are named by hand.
 *
 * @throws {NoForm} with a sentence for the operator.
 */
export function findForm(
  page: URL,
  html: string,
  overrides: Partial<Record<'post' | 'sitekey' | 'action' | 'service', string | undefined>>,
): ProtectedForm {
  const container = /<[a-z][^>]*\bclass\s*=\s*["'][^"']*\bsvc-captcha\b[^"']*["'][^>]*>/i.exec(html)
  const attributes = readAttributes(container?.[0] ?? '')
  const form = readAttributes(lastForm(html.slice(0, container?.index ?? 0)))
  const need = (what: string, option: string, value: string | undefined): string => {
    if (value) return value
    throw new NoForm(
      `${page.href}: no ${what} in the page as it is served; made by a script? then name it with --${option}`,
    )
  }
  return {
    page,
    post: new URL(overrides.post ?? form.get('action') ?? page.href, page),
    field: attributes.get('data-response-field-name') ?? 'svc-response',
    sitekey: need('data-sitekey', 'sitekey', overrides.sitekey ?? attributes.get('data-sitekey')),
    action: need('data-action', 'action', overrides.action ?? attributes.get('data-action')),
    service: baseOf(need('data-api-base', 'service', overrides.service ?? attributes.get('data-api-base')), page),
  }
}

const lastForm = (html: string): string => [...html.matchAll(/<form\b[^>]*>/gi)].at(-1)?.[0] ?? ''

function readAttributes(tag: string): Map<string, string> {
  const matches = tag.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return new Map(
    [...matches].map(([, name, double, single]) => [name!.toLowerCase(), (double ?? single)!.replaceAll('&amp;', '&')]),
  )
}

function baseOf(text: string, page: URL): URL {
  const url = new URL(text, page)
  return url.pathname.endsWith('/') ? url : new URL(`${url.href}/`)
}
