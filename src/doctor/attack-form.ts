import { type Finding, fix, good, look, type Seen } from './finding.ts'
import type { ProtectedForm } from './find-form.ts'
import { NoToken, obtainToken } from './visitor.ts'

/** An action that no form has: its tokens are genuine, and nobody's. */
const OTHER_ACTION = 'hv-doctor/other-action'
const VERIFY = 'ask siteverify before anything else, and go on only if every validation rule holds (docs/api/api.md)'

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
  const attempts: readonly (readonly [tried: string, advice: string, act: () => Promise<Response>])[] = [
    ['no token', VERIFY, () => send()],
    ['an empty token', VERIFY, () => send('')],
    ['rubbish', `it only looks whether there is a token: ${VERIFY}`, () => send('e30.e30.rubbish')],
    [
      'a token of a program',
      'require success and the score; if the handler does, the score_threshold of the site is too low',
      async () => send(await tokenFor(form.action)),
    ],
    [
      'a spent token',
      'never keep a verdict: ask siteverify for each submission',
      async () => {
        const token = await tokenFor(form.action)
        await send(token)
        return send(token)
      },
    ],
    [
      'a token of another action',
      'send the action to siteverify, and compare it in the answer',
      async () => send(await tokenFor(OTHER_ACTION)),
    ],
    ['the field twice', 'take the field only if it is there once', async () => send('x', await tokenFor(form.action))],
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
  const again = 'fix this first, and ask again'
  if (!(error instanceof NoToken)) return fix(`not tried: ${reason}`, again)
  const { codes } = error
  if (codes.includes('action-not-allowed')) return good('refused by the service: action-not-allowed')
  const saw = `not tried, the service gave no token: ${codes}`
  if (!codes.includes('hostname-not-allowed')) return fix(saw, again)
  return fix(`${saw} (${page.hostname})`, `add ${page.hostname} to the hostnames of the site`)
}
