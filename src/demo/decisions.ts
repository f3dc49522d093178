import type { DecisionRecord } from '../score/decision-record.ts'
import type { Log } from '../domain/ports/observing.ts'

/** The latest decisions of a service, by the id of their token. A customer has nothing like it: this is for learning. */
export interface Decisions {
  /** A log that hands on every line, and remembers its decision. */
  readonly log: Log
  /** Finds the decision behind a response token. */
  of(token: string): DecisionRecord | undefined
}

const MOST = 100

/** @param log where the lines go. */
export function rememberDecisions(log: Log): Decisions {
  const decisions = new Map<string, DecisionRecord>()
  return {
    log: {
      ...log,
      info(message, fields) {
        const { jti, decision } = fields ?? {}
        if (jti !== undefined && decision !== undefined) decisions.set(jti, decision as DecisionRecord)
        if (decisions.size > MOST) decisions.delete(decisions.keys().next().value!)
        log.info(message, fields)
      },
    },
    of: (token) => decisions.get(claimsOf(token)['jti'] ?? ''),
  }
}

/** What a token claims, unverified: it only finds words for a page, and decides nothing. */
export function claimsOf(token: string): Readonly<Record<string, string>> {
  try {
    return { ...(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, string>) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {}
  }
}
