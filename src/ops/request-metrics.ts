import type { Notes } from '../domain/observing.ts'
import type { Instruments } from './instruments.ts'
import type { boundedLabels } from './labels.ts'

/** Buckets for answers: the deadline is 0.8 s, and every answer is out within 2 s (docs/design/threats.md, "Promises"). */
const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8, 1, 2.5]
/**
 * Buckets for the work: a tenth of a second at level 0 on a laptop to minutes at level 8 on an old telephone
 * (docs/design/work.md, "Difficulty").
 */
const WORK_SECONDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120]
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8]
/** Few, since each bound is a line for every site. */
const SCORES = [0.1, 0.3, 0.5, 0.7, 0.9]

const REQUESTS = {
  name: 'hv_requests_total',
  help: 'Requests of the public listener, by operation and the code of the log line; gone: the caller left before an answer.',
  labelNames: ['operation', 'code'],
}
const REQUEST_SECONDS = {
  name: 'hv_request_seconds',
  help: 'Seconds from the start of a request until its answer was sent.',
  labelNames: ['operation'],
  buckets: ANSWER_SECONDS,
}
const CHALLENGES = {
  name: 'hv_challenges_issued_total',
  help: 'Challenges issued, by site.',
  labelNames: ['site'],
}
const WORK_LEVEL = {
  name: 'hv_work_level',
  help: 'Level of the work that issued challenges asked for, 0 to 8.',
  buckets: LEVELS,
}
const SOLVE_SECONDS = {
  name: 'hv_solve_seconds',
  help: 'Seconds that the work of solved challenges took, as reported by browsers.',
  buckets: WORK_SECONDS,
}
const VERDICTS = {
  name: 'hv_verdicts_total',
  help: 'Calls of siteverify with a valid secret, by site and code: accepted, a rejection, or why there was no verdict.',
  labelNames: ['site', 'code'],
}
const SCORE = {
  name: 'hv_score',
  help: 'Scores that were compared with a threshold (accepted, low-score), by site and action.',
  labelNames: ['site', 'action'],
  buckets: SCORES,
}
const LOW_SCORE_REASONS = {
  name: 'hv_low_score_reasons_total',
  help: 'Rejections for a low score, by site and each reason that lowered it; one rejection may have several.',
  labelNames: ['site', 'reason'],
}
const STEP_UPS = {
  name: 'hv_step_ups_total',
  help: 'Second tries, by site and outcome: asked (a ticket was given), done (its challenge was solved), helped (it reached the threshold).',
  labelNames: ['site', 'outcome'],
}
const NAMED_AGENTS = {
  name: 'hv_named_agents_total',
  help: 'Requests of named agents, by agent and the code of the log line: issued, solved, a verdict; docs/operate/agents.md.',
  labelNames: ['agent', 'code'],
}
const TOKENS_ISSUED = {
  name: 'hv_tokens_issued_total',
  help: 'Response tokens issued, by site; a renewed token counts again.',
  labelNames: ['site'],
}
const TOKENS_JUDGED = {
  name: 'hv_tokens_judged_total',
  help: 'Response tokens consumed by a verdict, by site.',
  labelNames: ['site'],
}

/** Verdicts that consumed the token. A duplicate is not one: the first call was. */
const JUDGED: ReadonlySet<string> = new Set([
  'accepted',
  'low-score',
  'action-mismatch',
  'remoteip-mismatch',
])

/** Returns a function that counts a request when its line is logged. */
export function requestMetrics(
  { counter, histogram }: Instruments,
  labels: ReturnType<typeof boundedLabels>,
): (operation: string, notes: Notes) => void {
  const requests = counter(REQUESTS)
  const requestSeconds = histogram(REQUEST_SECONDS)
  const challenges = counter(CHALLENGES)
  const workLevel = histogram(WORK_LEVEL)
  const solveSeconds = histogram(SOLVE_SECONDS)
  const verdicts = counter(VERDICTS)
  const scores = histogram(SCORE)
  const lowScoreReasons = counter(LOW_SCORE_REASONS)
  const stepUps = counter(STEP_UPS)
  const agents = counter(NAMED_AGENTS)
  const tokens = counter(TOKENS_ISSUED)
  const judged = counter(TOKENS_JUDGED)

  function challenge(site: string, code: string, { level }: Notes): void {
    if (code !== 'issued') return
    challenges.inc({ site })
    if (level !== undefined) workLevel.observe(level)
  }

  function solve(site: string, code: string, { work_ms: workMs, again }: Notes): void {
    if (code !== 'solved' || again) return
    tokens.inc({ site })
    // Both series exist before the second one moves: else Prometheus finds no difference between them.
    judged.inc({ site }, 0)
    if (workMs !== undefined && Number.isFinite(workMs)) solveSeconds.observe(workMs / 1000)
  }

  function siteverify(site: string, code: string, notes: Notes): void {
    const { action, score, reasons = [], again } = notes
    verdicts.inc({ site, code })
    if (again) return
    if (JUDGED.has(code)) judged.inc({ site })
    if (code !== 'accepted' && code !== 'low-score') return
    if (score !== undefined && Number.isFinite(score) && action !== undefined)
      scores.observe({ site, action: labels.action(site, action) }, score)
    if (code === 'low-score') for (const reason of reasons) lowScoreReasons.inc({ site, reason })
  }

  /** What each operation adds to the two counts that all have. */
  const perOperation: Readonly<Record<string, typeof challenge>> = { challenge, solve, siteverify }

  return (operation, notes) => {
    const { code = 'gone', ms = 0, sitekey, agent, step_up: stepUp } = notes
    requests.inc({ operation, code })
    requestSeconds.observe({ operation }, ms / 1000)
    // A name of the configuration: at most as many as it has.
    if (agent !== undefined) agents.inc({ agent, code })
    if (sitekey === undefined) return
    const site = labels.site(sitekey)
    perOperation[operation]?.(site, code, notes)
    if (stepUp === 'helped') stepUps.inc({ site, outcome: 'done' })
    if (stepUp !== undefined) stepUps.inc({ site, outcome: stepUp })
  }
}
