import { statSync } from 'node:fs'
import { type DecisionRecord, readDecision } from '../domain/score/decision-record.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { DescribedVisit } from '../domain/site-rules/visit-conditions.ts'
import { unixSeconds } from '../domain/words.ts'
import type { Io } from './io.ts'
import { logLines } from './log-lines.ts'

/** The decisions of a log, and what else its lines are; says how far the file is read. */
export async function* decisionLog(file: string, io: Io): AsyncIterable<LoggedDecision | 'no_decision' | 'unreadable'> {
  const { size } = statSync(file)
  try {
    for await (const { text, read } of logLines(file)) {
      io.progress?.(`${Math.floor((100 * read) / Math.max(1, size))} % of ${Math.ceil(size / 1e6)} MB`)
      yield text === undefined ? 'unreadable' : readEntry(text)
    }
  } finally {
    io.progress?.(undefined)
  }
}

/** A line of `solve`, read again. */
export interface LoggedDecision {
  readonly record: DecisionRecord
  readonly sitekey: string
  readonly action: string
  readonly jti: string | undefined
  readonly visit: DescribedVisit
}

function readEntry(text: string): LoggedDecision | 'no_decision' | 'unreadable' {
  // Most lines of a log have none; parsing them would take most of the time.
  if (!text.includes('"decision"')) return 'no_decision'
  try {
    const line = JSON.parse(text) as Record<string, unknown>
    const record = readDecision(line['decision'])
    const { sitekey, action, jti, timestamp, network, agent } = line
    const at = typeof timestamp === 'string' ? Date.parse(timestamp) / 1000 : Number.NaN
    if (!record || typeof sitekey !== 'string' || typeof action !== 'string' || Number.isNaN(at)) return 'unreadable'
    const place = typeof network === 'string' ? parseAddressRange(network) : undefined
    const facts = record.network && {
      asn: record.network.asn,
      country: record.network.country,
      // A rule asks for the name alone; the kind was weighed when the list was met.
      lists: (record.network.lists ?? []).map((name) => ({ name, kind: 'abuse' as const })),
    }
    const agentName = typeof agent === 'string' ? agent : undefined
    const visit = {
      place,
      network: facts,
      userAgent: undefined,
      agent: agentName,
      action,
      at: unixSeconds(Math.floor(at)),
    }
    return { record, sitekey, action, jti: typeof jti === 'string' ? jti : undefined, visit }
  } catch {
    return 'unreadable'
  }
}
