import type { ProtectedForm } from './find-form.ts'
import { type Obtained, obtainToken } from './obtain-token.ts'

/** One thing that was tried. */
export interface Trial {
  readonly tried: string
  /** `refused`: as it must be. `open`: the handler went on. `not tried`: it could not be. */
  readonly outcome: 'refused' | 'open' | 'not tried'
  /** What the handler answered, or why nothing was sent. */
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: string
}

/** An action that no form has: its tokens are genuine, and nobody's. */
const OTHER_ACTION = 'hv-doctor/other-action'
const VERIFY = 'ask siteverify before anything else, and go on only if every rule of SPEC.md holds'

/**
 * Attacks a customer's own form handler: whatever is sent, it must refuse, with a status from 400 on (422 is ours).
 *
 * @param fields the form's other fields, so that its own checks do not refuse first.
 * @param begins told of each trial before it is made.
 */
export async function attackForm(
  form: ProtectedForm,
  fields: Readonly<Record<string, string>>,
  begins?: (what: string, nth: number, of: number) => void,
): Promise<Trial[]> {
  const send = async (pairs: readonly (readonly [string, string])[]): Promise<Response> =>
    fetch(form.post, {
      method: 'POST',
      body: new URLSearchParams(
        [...Object.entries(fields), ...pairs].map(([name, value]): [string, string] => [name, value]),
      ),
      headers: { origin: form.page.origin, referer: form.page.href },
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    })
  const withToken = async (action: string, use: (token: string) => Promise<Response>): Promise<Response | string> => {
    const obtained: Obtained = await obtainToken(form, action)
    return 'token' in obtained ? use(obtained.token) : `the service gave no token: ${obtained.codes.join(', ')}`
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
  for (const attempt of attempts) {
    begins?.(attempt.what, trials.length + 1, attempts.length)
    trials.push(await tried(attempt))
  }
  return trials
}

interface Attempt {
  readonly what: string
  /** What to do when the handler goes on. */
  readonly advice: string
  /** A reason instead of an answer means that nothing was sent. */
  readonly act: () => Promise<Response | string>
}

async function tried({ what, advice, act }: Attempt): Promise<Trial> {
  const seen = await act().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  if (typeof seen === 'string') {
    return { tried: what, outcome: 'not tried', saw: seen, advice: 'mend this first, and ask again' }
  }
  const refused = seen.status >= 400
  return {
    tried: what,
    outcome: refused ? 'refused' : 'open',
    saw: `HTTP ${seen.status}`,
    advice: refused ? '' : advice,
  }
}
