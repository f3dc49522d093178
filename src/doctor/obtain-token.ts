import { hitThreshold, prepare, SAMPLES, tagOf, unit } from '../domain/work/s32.ts'
import { powKey } from '../domain/work/solution.ts'
import { type Sample, spellSolution } from '../domain/work/spell-solution.ts'
import type { ChallengeAnswer, SolveAnswer, WireWork } from '../wire.ts'
import type { Ask } from './diagnosis.ts'
import type { ProtectedForm } from './find-form.ts'

/** A token of the service for this form, or why there is none. */
export type Obtained = { readonly token: string } | { readonly codes: readonly string[] }

/**
 * Does what a widget does, without a browser: honest work, nothing to show. The token is genuine and scores low,
 * so a handler that verifies refuses it, and one that only looks whether there is a token does not.
 */
export async function obtainToken(
  { page, service, sitekey }: ProtectedForm,
  action: string,
  send: Ask,
): Promise<Obtained> {
  const ask = async <T>(operation: string, fields: Record<string, string>): Promise<T | readonly string[]> => {
    const res = await send(new URL(`api/v1/${operation}`, service), {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: page.origin },
      signal: AbortSignal.timeout(5000),
    })
    const body = (await res.json()) as Record<string, unknown>
    return res.ok ? (body as T) : (body['error-codes'] as readonly string[])
  }
  const issued = await ask<ChallengeAnswer>('challenge', { sitekey, action })
  if (!('challenge' in issued)) return { codes: issued }
  const { challenge, work } = issued
  const solved = await ask<SolveAnswer>('solve', { challenge, solution: honestWork(challenge, work), signals: '{}' })
  return 'token' in solved ? { token: solved.token } : { codes: solved }
}

/** The work of a challenge, in one go. docs/design/proof-of-work.md, "The protocol", step 2. */
export function honestWork(challenge: string, { n, s }: WireWork): string {
  const key = powKey(challenge)
  const samples: Sample[] = []
  prepare(key, s)
  for (let index = 0; samples.length < Math.min(n, SAMPLES); index++) {
    const output = unit(key, index, s)
    if (output <= hitThreshold(n)) samples.push({ index, tag: tagOf(output) })
  }
  return spellSolution(n, samples)
}
