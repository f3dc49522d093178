import { sleep } from '../../support/process.ts'
import { BROWSER } from '../../support/visitor.ts'
import type { Crowd } from './crowd.ts'

export interface Loaded {
  /** How often each kind of answer came: `challenge 200`, `siteverify 200 accepted`, `siteverify ECONNRESET`. */
  readonly kinds: Map<string, number>
  /** How often each token was accepted, by its place among the tokens. */
  readonly accepted: Map<number, number>
  /** Milliseconds: the longest that this process itself was late by, for want of a processor. */
  lateness(): number
  /** Ends it, when every answer is there. */
  stop(): Promise<void>
}

export interface Whom {
  readonly base: string
  readonly sitekey: string
  readonly secret: string
  readonly origin: string
}

/**
 * Challenges and verifications in equal parts, at a steady pace whatever the answers are; every one is counted. Each token
 * is presented twice in a row, and all over again when they are used up: it must be accepted exactly once.
 *
 * @param perSecond requests, of both kinds together.
 */
export function steadyLoad(crowd: Crowd, whom: Whom, tokens: readonly string[], perSecond: number): Loaded {
  const kinds = new Map<string, number>()
  const accepted = new Map<number, number>()
  const count = <K>(of: Map<K, number>, key: K): void => void of.set(key, (of.get(key) ?? 0) + 1)
  const failed = (operation: string) => (error: NodeJS.ErrnoException) =>
    count(kinds, `${operation} ${error.code ?? error.message}`)

  async function challenge(): Promise<void> {
    const fields = { sitekey: whom.sitekey, action: 'sign-up' }
    const headers = { ...BROWSER, origin: whom.origin }
    const { status } = await crowd.post(`${whom.base}/api/v1/challenge`, fields, headers)
    count(kinds, `challenge ${status}`)
  }
  async function siteverify(nth: number): Promise<void> {
    const i = Math.floor(nth / 2) % tokens.length
    const fields = { secret: whom.secret, response: tokens[i]! }
    const { status, body } = await crowd.post(`${whom.base}/api/v1/siteverify`, fields)
    const isAccepted = body['success'] === true
    if (isAccepted) count(accepted, i)
    count(kinds, `siteverify ${status} ${isAccepted ? 'accepted' : String(body['error-codes'])}`)
  }

  const going = new AbortController()
  let latest = 0
  const load = (async () => {
    const started = performance.now()
    const asked: Promise<void>[] = []
    while (!going.signal.aborted) {
      const due = Math.floor(((performance.now() - started) / 1000) * perSecond)
      // What a busy machine was late with is not made up for at once: that would be a burst of our own making.
      for (let sent = 0; asked.length < due && sent < 10; sent++) {
        const nth = asked.length
        asked.push(
          nth % 2 === 0
            ? challenge().catch(failed('challenge'))
            : siteverify((nth - 1) / 2).catch(failed('siteverify')),
        )
      }
      const before = performance.now()
      await sleep(10)
      latest = Math.max(latest, performance.now() - before - 10)
    }
    await Promise.all(asked)
  })()
  return { kinds, accepted, lateness: () => latest, stop: () => (going.abort(), load) }
}
