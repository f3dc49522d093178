import { type Finding, fix, good, look, type Seen } from './finding.ts'
import { NoToken, obtainToken } from './visitor.ts'

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
export class NoForm extends Error {}

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
    throw new NoForm(`${page.href}: no ${what} in the page’s HTML; if a script adds it, pass --${option}`)
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

/** An action that no form has: its tokens are genuine, and nobody's. */
const OTHER_ACTION = 'hv-doctor/other-action'
const OTHER_ADVICE = 'send the action to siteverify, and compare it in the answer'
const VERIFY = 'call siteverify first, and continue only if every validation rule holds (docs/api/api.md)'

/**
 * Attacks a customer's own form handler: whatever is sent, it must refuse, with a status from 400 on (422 is ours).
 *
 * @param fields the form's other fields, so that its own checks do not refuse first.
 */
export async function attackForm(form: ProtectedForm, fields: Readonly<Record<string, string>>): Promise<Finding[]> {
  const { page, field } = form
  const send = (...tokens: readonly string[]): Promise<Response> =>
    fetch(form.post, {
      method: 'POST',
      body: new URLSearchParams([
        ...Object.entries(fields),
        ...tokens.map((token): [string, string] => [field, token]),
      ]),
      headers: { origin: page.origin, referer: page.href },
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    })
  const tokenFor = (action: string): Promise<string> =>
    obtainToken(form.service, { origin: page.origin, sitekey: form.sitekey, action })
  const genuine = (): Promise<string> => tokenFor(form.action)
  const spent = async (): Promise<Response> => {
    const token = await genuine()
    await send(token)
    return send(token)
  }
  const threshold = 'require success and the score; if the handler does, the score_threshold of the site is too low'
  const attempts: readonly (readonly [tried: string, advice: string, act: () => Promise<Response>])[] = [
    ['no token', VERIFY, () => send()],
    ['an empty token', VERIFY, () => send('')],
    ['rubbish', `it only checks that there is a token: ${VERIFY}`, () => send('e30.e30.rubbish')],
    ['a token of a program', threshold, async () => send(await genuine())],
    ['a spent token', 'never cache a verdict: call siteverify for each submission', spent],
    ['a token of another action', OTHER_ADVICE, async () => send(await tokenFor(OTHER_ACTION))],
    ['the field twice', 'refuse a repeated field', async () => send('x', await genuine())],
  ]
  const findings: Finding[] = []
  for (const [tried, advice, act] of attempts) {
    const attack = async (): Promise<Seen> => {
      const { status } = await act()
      return status >= 400 ? good(`refused: HTTP ${status}`) : fix(`open: HTTP ${status}`, advice)
    }
    findings.push(await look(tried, attack, (reason, error) => unsent(reason, error, form)))
  }
  return findings
}

/** Nothing was sent to the handler. For an action that the site does not list this is the safest answer there is. */
function unsent(reason: string, error: unknown, { page }: ProtectedForm): Seen {
  const again = 'fix this first, then run it again'
  if (!(error instanceof NoToken)) return fix(`not tried: ${reason}`, again)
  const { codes } = error
  if (codes.includes('action-not-allowed')) return good('refused by the service: action-not-allowed')
  const saw = `not tried, the service gave no token: ${codes}`
  if (!codes.includes('hostname-not-allowed')) return fix(saw, again)
  return fix(`${saw} (${page.hostname})`, `add ${page.hostname} to the hostnames of the site`)
}
