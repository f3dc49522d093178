import type { DecisionRecord } from '../score/decision-record.ts'
import type { Log } from '../domain/observing.ts'

const MOST = 100
/** Milliseconds that a decision is remembered: ten minutes at most, since one is forgotten within a minute of its time. */
const LIFE_MS = 540_000
const EVERY_MS = 60_000

/**
 * Remembers the latest decisions of a service, by the id of their token. A customer has nothing like it: this is for learning.
 *
 * @param log where the lines go.
 */
export function rememberDecisions(log: Log) {
  const decisions = new Map<string, { readonly record: DecisionRecord; readonly at: number }>()
  const forgetOld = (): void => {
    for (const [jti, { at }] of decisions)
      if (performance.now() - at > LIFE_MS) decisions.delete(jti)
  }
  setInterval(forgetOld, EVERY_MS).unref()
  const info: Log['info'] = (message, fields = {}) => {
    const { jti, decision } = fields
    if (jti !== undefined && decision !== undefined)
      decisions.set(jti, { record: decision as DecisionRecord, at: performance.now() })
    if (decisions.size > MOST) decisions.delete(decisions.keys().next().value!)
    log.info(message, fields)
  }
  return {
    /** Hands on every line, and remembers its decision. */
    log: { ...log, info },
    /** Finds the decision behind a response token. */
    of: (token: string): DecisionRecord | undefined =>
      decisions.get(claimsOf(token)['jti'] ?? '')?.record,
  }
}

/** What a token claims, unverified: it only finds words for a page, and decides nothing. */
export function claimsOf(token: string): Readonly<Record<string, string>> {
  try {
    return {
      ...(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        string
      >),
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {}
  }
}
