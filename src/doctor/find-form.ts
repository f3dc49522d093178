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
 * page later is not seen; then the parts are named by hand. Takes time in proportion to the page, whatever it holds.
 *
 * @throws {NoForm} with a sentence for the operator.
 */
export function findForm(
  page: URL,
  html: string,
  overrides: Partial<Record<'post' | 'sitekey' | 'action' | 'service', string | undefined>>,
): ProtectedForm {
  let form = new Map<string, string>()
  let container = new Map<string, string>()
  for (const [tag, name] of html.matchAll(/<([a-z][a-z0-9-]*)\b[^<>]*>/gi)) {
    if (name!.toLowerCase() === 'form') form = attributesOf(tag)
    if (!tag.includes('svc-captcha')) continue
    container = attributesOf(tag)
    if (container.get('class')?.split(/\s/).includes('svc-captcha')) break
    container = new Map()
  }
  const need = (what: string, option: string, value: string | undefined): string => {
    if (value) return value
    throw new NoForm(
      `${page.href}: no ${what} in the page as it is served; made by a script? then name it with --${option}`,
    )
  }
  const base = new URL(need('data-api-base', 'service', overrides.service ?? container.get('data-api-base')), page)
  return {
    page,
    post: new URL(overrides.post ?? form.get('action') ?? page.href, page),
    field: container.get('data-response-field-name') ?? 'svc-response',
    sitekey: need('data-sitekey', 'sitekey', overrides.sitekey ?? container.get('data-sitekey')),
    action: need('data-action', 'action', overrides.action ?? container.get('data-action')),
    service: withSlash(base),
  }
}

export const withSlash = (url: URL): URL => (url.pathname.endsWith('/') ? url : new URL(`${url.href}/`))

/** The look-behind starts a name once, so that a long word without a value is read once. */
function attributesOf(tag: string): Map<string, string> {
  const matches = tag.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return new Map(
    [...matches].map(([, name, double, single]) => [name!.toLowerCase(), (double ?? single)!.replaceAll('&amp;', '&')]),
  )
}
