import { type Ask, reasonOf } from './diagnosis.ts'
import type { ProtectedForm } from './find-form.ts'
import { type Obtained, obtainToken } from './obtain-token.ts'

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
export async function attackForm(
  form: ProtectedForm,
  fields: Readonly<Record<string, string>>,
  ask: Ask,
): Promise<Trial[]> {
  const send = async (pairs: readonly (readonly [string, string])[]): Promise<Response> =>
    ask(form.post, {
      method: 'POST',
      body: new URLSearchParams(
        [...Object.entries(fields), ...pairs].map(([name, value]): [string, string] => [name, value]),
      ),
      headers: { origin: form.page.origin, referer: form.page.href },
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    })
  const withToken = async (action: string, use: (token: string) => Promise<Response>): Promise<Response | Unsent> => {
    const obtained: Obtained = await obtainToken(form, action, ask)
    return 'token' in obtained ? use(obtained.token) : unsent(form, action, obtained.codes)
  }
  const field = (token: string) => [form.field, token] as const

  const attempts: readonly Attempt[] = [
    { what: 'no token', advice: VERIFY, act: () => send([]) },
    { what: 'an empty token', advice: VERIFY, act: () => send([field('')]) },
    {
      what: 'rubbish',
      advice: `it only looks whether there is a token: ${VERIFY}`,
      act: () => send([field('e30.e30.rubbish')]),
    },
    {
      what: 'a token of a program',
      advice: 'require the score: at least the threshold, and success',
      act: () => withToken(form.action, (token) => send([field(token)])),
    },
    {
      what: 'a spent token',
      advice: 'never keep a verdict: ask siteverify for each submission',
      act: () =>
        withToken(form.action, async (token) => {
          await send([field(token)])
          return send([field(token)])
        }),
    },
    {
      what: 'a token of another action',
      advice: 'send the action to siteverify, and compare it in the answer',
      act: () => withToken(OTHER_ACTION, (token) => send([field(token)])),
    },
    {
      what: 'the field twice',
      advice: 'take the field only if it is there once',
      act: () => withToken(form.action, (token) => send([field('x'), field(token)])),
    },
  ]
  const trials: Trial[] = []
  for (const attempt of attempts) trials.push(await tried(attempt))
  return trials
}

interface Attempt {
  readonly what: string
  /** What to do when the handler goes on. */
  readonly advice: string
  /** Without an answer of the handler, nothing was sent to it. */
  readonly act: () => Promise<Response | Unsent>
}

/** Why nothing was sent to the handler. */
interface Unsent {
  readonly outcome: 'refused' | 'not tried'
  readonly saw: string
  readonly advice: string
}

const notTried = (saw: string, advice = 'repair this first, and ask again'): Unsent => ({
  outcome: 'not tried',
  saw,
  advice,
})

/** The service gave no token. For an action that the site does not list this is the safest answer there is. */
function unsent({ page }: ProtectedForm, action: string, codes: readonly string[]): Unsent {
  if (action === OTHER_ACTION && codes.includes('action-not-allowed')) {
    return { outcome: 'refused', saw: 'refused by the service: action-not-allowed', advice: '' }
  }
  const reason = `the service gave no token: ${codes.join(', ')}`
  if (!codes.includes('hostname-not-allowed')) return notTried(reason)
  return notTried(`${reason} (${page.hostname})`, `add ${page.hostname} to the hostnames of the site`)
}

async function tried({ what, advice, act }: Attempt): Promise<Trial> {
  const reply = await act().catch((error: unknown) => notTried(reasonOf(error)))
  if (!('status' in reply)) return { tried: what, ...reply }
  const refused = reply.status >= 400
  return {
    tried: what,
    outcome: refused ? 'refused' : 'open',
    saw: `HTTP ${reply.status}`,
    advice: refused ? '' : advice,
  }
}
