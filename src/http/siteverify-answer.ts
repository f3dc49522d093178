import { formatTimestamp } from '../domain/time.ts'
import type { Verdict } from '../domain/verdict.ts'
import type { SiteverifyAnswer } from '../wire.ts'

/** Spells a verdict as the customer's server reads it: the fields of docs/api/api.md, "POST /api/v1/siteverify", and no others. */
export function siteverifyAnswer(verdict: Verdict): SiteverifyAnswer {
  if (verdict.accepted) {
    const { claims, scoreThreshold, reasons, agent } = verdict
    // JSON leaves out undefined values.
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
  switch (verdict.code) {
    case 'action-mismatch':
      return { success: false, action: verdict.action, 'error-codes': [verdict.code] }
    case 'low-score': {
      const { score, scoreThreshold, reasons, stepUp, agent } = verdict
      return {
        success: false,
        score,
        score_threshold: scoreThreshold,
        reasons,
        agent,
        step_up: stepUp,
        'error-codes': [verdict.code],
      }
    }
    case 'invalid-input-response':
    case 'timeout-or-duplicate':
    case 'remoteip-mismatch':
      return { success: false, 'error-codes': [verdict.code] }
  }
}
