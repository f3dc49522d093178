import { hitThreshold, prepare, SAMPLES, tagOf, unit } from '../work/s32.ts'
import { powKey } from '../work/solution.ts'
import { type Sample, spellSolution } from '../work/spell-solution.ts'
import { type ChallengeAnswer, OPERATIONS, type WireWork } from '../wire.ts'

export const TIMEOUT_MS = 5000

/** A page that may embed the widget. */
export interface Page {
  readonly origin: string
  readonly sitekey: string
  readonly action: string
}

/** The service gave no token. */
class NoToken extends Error {
  readonly codes: string
  constructor(operation: string, codes: string) {
    super(`${operation} answers ${codes}`)
    this.codes = codes
  }
}

type Texts = Readonly<Record<string, string>>

/** Asks an operation as a page does. @returns as `codes` the error codes, or the status where there are none. */
export async function ask(
  service: URL,
  operation: 'challenge' | 'solve',
  fields: Texts,
  headers: Texts,
) {
  const [url, signal] = [
    new URL(OPERATIONS[operation].path.slice(1), service),
    AbortSignal.timeout(TIMEOUT_MS),
  ]
  const res = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
    signal,
  })
  const body = (await res.json().catch(() => ({}))) as Record<string, unknown>
  const { 'error-codes': list } = body
  const codes = Array.isArray(list) ? list.join(', ') : `HTTP ${res.status}`
  return { status: res.status, headers: res.headers, body, codes }
}

/** Asks for a challenge of a page. @throws {NoToken} */
export async function obtainChallenge(
  service: URL,
  page: Page,
  headers: Texts = {},
): Promise<ChallengeAnswer> {
  const { origin, sitekey, action } = page
  const { status, body, codes } = await ask(
    service,
    'challenge',
    { sitekey, action },
    { origin, ...headers },
  )
  if (status !== 200) throw new NoToken('challenge', codes)
  return body as unknown as ChallengeAnswer
}

/**
 * Does what a widget does, without a browser: honest work, nothing to show. The token is genuine and scores low, so a
 * handler that verifies refuses it, and one that only looks whether there is a token does not.
 *
 * @throws {NoToken}
 */
export async function obtainToken(service: URL, page: Page, headers: Texts = {}): Promise<string> {
  const { challenge, work } = await obtainChallenge(service, page, headers)
  const fields = { challenge, solution: honestWork(challenge, work), signals: '{}' }
  const { status, body, codes } = await ask(service, 'solve', fields, {
    origin: page.origin,
    ...headers,
  })
  if (status !== 200) throw new NoToken('solve', codes)
  return body['token'] as string
}

/** The work of a challenge, in one go. docs/design/work.md, "The protocol", step 2. */
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
