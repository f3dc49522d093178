import { reasonOf } from './finding.ts'
import type { ProtectedForm } from './find-form.ts'
import { NoToken, obtainToken } from './visitor.ts'

/** One thing that was tried. */
export interface Trial {
  readonly tried: string
  /** `refused`: as it must be, by the handler or already by the service. `open`: the handler went on. `not tried`: it could not be. */
  readonly outcome: 'refused' | 'open' | 'not tried'
  /** What the handler answered, or why nothing was sent. */
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: string
}

/** An action that no form has: its tokens are genuine, and nobody's. */
const OTHER_ACTION = 'hv-doctor/other-action'
const VERIFY =
  'ask siteverify before anything else, and go on only if every validation rule holds (docs/design/contract.md)'

/**
 * Attacks a customer's own form handler: whatever is sent, it must refuse, with a status from 400 on (422 is ours).
 *
 * @param fields the form's other fields, so that its own checks do not refuse first.
 */
export async function attackForm(form: ProtectedForm, fields: Readonly<Record<string, string>>): Promise<Trial[]> {
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
  const trials: Trial[] = []
  for (const [tried, advice, act] of attempts) {
    try {
      const { status } = await act()
      const refused = status >= 400
      const saw = `HTTP ${status}`
      trials.push({ tried, outcome: refused ? 'refused' : 'open', saw, advice: refused ? '' : advice })
    } catch (error) {
      trials.push({ tried, ...unsent(error, form) })
    }
  }
  return trials
}

/** Nothing was sent to the handler. For an action that the site does not list this is the safest answer there is. */
function unsent(error: unknown, { page }: ProtectedForm): Omit<Trial, 'tried'> {
  const again = 'fix this first, and ask again'
  if (!(error instanceof NoToken)) return { outcome: 'not tried', saw: reasonOf(error), advice: again }
  const { codes } = error
  if (codes.includes('action-not-allowed'))
    return { outcome: 'refused', saw: 'refused by the service: action-not-allowed', advice: '' }
  const saw = `the service gave no token: ${codes}`
  if (!codes.includes('hostname-not-allowed')) return { outcome: 'not tried', saw, advice: again }
  const advice = `add ${page.hostname} to the hostnames of the site`
  return { outcome: 'not tried', saw: `${saw} (${page.hostname})`, advice }
}
