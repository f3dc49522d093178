/** A family of counts: one name, its labels, and for distributions their bounds. */
export interface MetricFamily {
  /** As Prometheus sees it, unit included. https://prometheus.io/docs/practices/naming/ */
  readonly name: string
  readonly type: 'counter' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds that are told apart, ascending, of a histogram. */
  readonly bounds?: readonly number[]
  /** Of those, the ones Prometheus gets; left out: all. */
  readonly exposed?: readonly number[]
}

/** Of an answer: our own deadline is 0.8 s, and every answer is out within 2 s (docs/design/threats.md, "Promises"). */
const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8, 1, 2.5]
/** Of a question to a store that answers within a millisecond, or after 0.35 s (limiter) and 0.5 s (ledger) not at all. */
const STORE_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]
/** Of the work: a tenth of a second at level 0 on a laptop to minutes at level 8 on an old telephone (docs/design/proof-of-work.md, "Difficulty"). */
const WORK_SECONDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120]
/** A score has two decimals, so that each is kept apart: what a threshold would refuse is exact, not an estimate. */
const HUNDREDTHS = Array.from({ length: 101 }, (_, i) => i / 100)
/** For Prometheus: with a thousand sites every further bound is a thousand lines. The dashboard has all of them. */
const FIFTHS = [0.1, 0.3, 0.5, 0.7, 0.9]

/** Every metric that is counted. The table of docs/operate/metrics.md is generated from this one. */
export const FAMILIES = {
  requests: {
    name: 'hv_requests_total',
    type: 'counter',
    help: 'Requests of the public listener, by operation and the code of the log line; gone: the caller left before an answer.',
    labels: ['operation', 'code'],
  },
  request_seconds: {
    name: 'hv_request_seconds',
    type: 'histogram',
    help: 'Seconds from the first look at a request until its answer was out.',
    labels: ['operation'],
    bounds: ANSWER_SECONDS,
  },
  challenges: {
    name: 'hv_challenges_issued_total',
    type: 'counter',
    help: 'Challenges issued, by site.',
    labels: ['site'],
  },
  work_level: {
    name: 'hv_work_level',
    type: 'histogram',
    help: 'Level of the work that issued challenges asked for, 0 to 8.',
    labels: [],
    bounds: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  },
  solve_seconds: {
    name: 'hv_solve_seconds',
    type: 'histogram',
    help: 'Seconds that the work of solved challenges took, as the browsers say.',
    labels: [],
    bounds: WORK_SECONDS,
  },
  verdicts: {
    name: 'hv_verdicts_total',
    type: 'counter',
    help: 'Calls of siteverify with a valid secret, by site and code: accepted, a rejection, or why there was no verdict.',
    labels: ['site', 'code'],
  },
  scores: {
    name: 'hv_score',
    type: 'histogram',
    help: 'Scores that were held against a threshold (accepted, low-score), by site and action.',
    labels: ['site', 'action'],
    bounds: HUNDREDTHS,
    exposed: FIFTHS,
  },
  reasons: {
    name: 'hv_low_score_reasons_total',
    type: 'counter',
    help: 'Rejections for a low score, by site and each reason that lowered it; one rejection may have several.',
    labels: ['site', 'reason'],
  },
  step_ups: {
    name: 'hv_step_ups_total',
    type: 'counter',
    help: 'Second tries, by site and outcome: asked (a ticket was given), done (its challenge was solved), helped (it reached the threshold).',
    labels: ['site', 'outcome'],
  },
  agents: {
    name: 'hv_named_agents_total',
    type: 'counter',
    help: 'Requests of named agents, by agent and the code of the log line: issued, solved, a verdict; docs/operate/agents.md.',
    labels: ['agent', 'code'],
  },
  tokens: {
    name: 'hv_tokens_issued_total',
    type: 'counter',
    help: 'Response tokens issued, by site; a renewed token counts again.',
    labels: ['site'],
  },
  tokens_ended: {
    name: 'hv_tokens_ended_total',
    type: 'counter',
    help: 'Response tokens issued by this process that have expired, by site.',
    labels: ['site'],
  },
  tokens_ended_judged: {
    name: 'hv_tokens_ended_judged_total',
    type: 'counter',
    help: 'Response tokens judged by this process that have expired, by site. Over all processes, ended minus this was never verified.',
    labels: ['site'],
  },
  ledger_seconds: {
    name: 'hv_ledger_seconds',
    type: 'histogram',
    help: 'Seconds that the ledger took to consume, by outcome; fault: it could not be known.',
    labels: ['outcome'],
    bounds: STORE_SECONDS,
  },
  limiter_seconds: {
    name: 'hv_limiter_seconds',
    type: 'histogram',
    help: 'Seconds that the limiter took, by outcome: passed, limited, fault.',
    labels: ['outcome'],
    bounds: STORE_SECONDS,
  },
  generation_moves: {
    name: 'hv_generation_moves_total',
    type: 'counter',
    help: 'Times this process saw the ledger begin a new generation: entries may have been lost, tokens of before are refused.',
    labels: [],
  },
  reloads: {
    name: 'hv_reloads_total',
    type: 'counter',
    help: 'Times configuration or keyring were read again, by what and outcome: taken, refused (the old one stays in force).',
    labels: ['what', 'outcome'],
  },
  shed: {
    name: 'hv_requests_shed_total',
    type: 'counter',
    help: 'Requests refused unread, with 503, because more came than this process can serve in time.',
    labels: [],
  },
  lines_lost: {
    name: 'hv_log_lines_lost_total',
    type: 'counter',
    help: 'Log lines that could not be written.',
    labels: [],
  },
} as const satisfies Record<string, MetricFamily>

export type FamilyName = keyof typeof FAMILIES
