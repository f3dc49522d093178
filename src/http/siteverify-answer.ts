import { formatTimestamp } from '../domain/time.ts'
import type { Verdict } from '../domain/verdict.ts'
import type { SiteverifyAnswer } from '../wire.ts'

/**
 * Spells a verdict as the customer's server reads it: the fields of docs/api/api.md, "POST /api/v1/siteverify", and no
 * others. JSON leaves out undefined values.
 */
export function siteverifyAnswer(verdict: Verdict): SiteverifyAnswer {
  if (verdict.accepted) {
    const { claims, scoreThreshold, reasons, agent } = verdict
    return {
      success: true,
      challenge_ts: formatTimestamp(claims.challengedAt),
      hostname: claims.hostname,
      score: claims.sealed.decision.score,
      score_threshold: scoreThreshold,
      action: claims.action,
      cdata: claims.cdata,
      reasons,
      agent,
      'error-codes': [],
    }
  }
  if (verdict.code === 'action-mismatch')
    return { success: false, action: verdict.action, 'error-codes': [verdict.code] }
  if (verdict.code !== 'low-score') return { success: false, 'error-codes': [verdict.code] }
  const { score, scoreThreshold, reasons, stepUp, agent } = verdict
  const shown = { score, score_threshold: scoreThreshold, reasons, agent, step_up: stepUp }
  return { success: false, ...shown, 'error-codes': [verdict.code] }
}
