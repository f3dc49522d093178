import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { InForce, Meters, Notes, Reloadable } from '../domain/observing.ts'
import type { Ledger } from '../domain/ports.ts'
import { boundedLabels } from './labels.ts'
import { type LastHour, lastHour } from './last-hour.ts'

/** Buckets for answers: the deadline is 0.8 s, and every answer is out within 2 s (docs/design/threats.md, "Promises"). */
const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8, 1, 2.5]
/** Buckets for stores, which answer within a millisecond, or after 0.35 s (limiter) and 0.5 s (ledger) not at all. */
const STORE_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]
/**
 * Buckets for the work: a tenth of a second at level 0 on a laptop to minutes at level 8 on an old telephone
 * (docs/design/work.md, "Difficulty").
 */
const WORK_SECONDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120]
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8]
/** Few, since each bound is a line for every site. */
const SCORES = [0.1, 0.3, 0.5, 0.7, 0.9]

/** Verdicts that consumed the token. A duplicate is not one: the first call was. */
const JUDGED: ReadonlySet<string> = new Set([
  'accepted',
  'low-score',
  'action-mismatch',
  'remoteip-mismatch',
])
const RELOADABLE = ['configuration', 'keyring'] as const

export interface MetricsOptions {
  /** Of this package. */
  readonly version: string
  /** Unix milliseconds. */
  readonly clock?: () => number
  readonly labels?: ReturnType<typeof boundedLabels>
  /** Of the program that we are part of, which has the metrics of its process itself. If omitted: a new one. */
  readonly registry?: Registry | undefined
}

/** Everything that this process counts. It decides nothing, waits for nothing, and has no label that a stranger can choose. */
export interface Metrics extends Meters {
  /** Holds every metric for GET /metrics. The table of docs/operate/metrics.md is generated from it. */
  readonly registry: Registry
  readonly hour: LastHour
  /** When the version in force was read, and why a newer one was refused. */
  readonly inForce: (what: Reloadable) => InForce
  /** Adds the gauges of the ledger, and those of the process: memory, event loop, garbage collection. */
  observeProcess(ledger: Pick<Ledger, 'fault' | 'fullness' | 'clockAhead'>): void
  /** Takes our metrics out of the registry, so that a program can start us again with the same one. */
  unregister(): void
}

export function createMetrics({
  version,
  clock = Date.now,
  labels = boundedLabels(),
  registry: given,
}: MetricsOptions): Metrics {
  const registry = given ?? new Registry()
  const registers = [registry]
  const hour = lastHour(clock)

  const names: string[] = []
  /** Remembers what is ours: the registry may be of the program that we are part of. */
  function ours<T extends Counter | Histogram | Gauge>(name: string, metric: T): T {
    names.push(name)
    return metric
  }
  const counter = (name: string, help: string, ...labelNames: string[]): Counter =>
    ours(name, new Counter({ name, help, labelNames, registers }))
  const histogram = (
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: string[]
  ): Histogram => ours(name, new Histogram({ name, help, labelNames, buckets, registers }))
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    collect: (gauge: Gauge) => void,
  ): Gauge =>
    ours(
      name,
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          collect(this)
        },
      }),
    )

  const requests = counter(
    'hv_requests_total',
    'Requests of the public listener, by operation and the code of the log line; gone: the caller left before an answer.',
    'operation',
    'code',
  )
  const requestSeconds = histogram(
    'hv_request_seconds',
    'Seconds from the start of a request until its answer was sent.',
    ANSWER_SECONDS,
    'operation',
  )
  const challenges = counter('hv_challenges_issued_total', 'Challenges issued, by site.', 'site')
  const workLevel = histogram(
    'hv_work_level',
    'Level of the work that issued challenges asked for, 0 to 8.',
    LEVELS,
  )
  const solveSeconds = histogram(
    'hv_solve_seconds',
    'Seconds that the work of solved challenges took, as reported by browsers.',
    WORK_SECONDS,
  )
  const verdicts = counter(
    'hv_verdicts_total',
    'Calls of siteverify with a valid secret, by site and code: accepted, a rejection, or why there was no verdict.',
    'site',
    'code',
  )
  const scores = histogram(
    'hv_score',
    'Scores that were compared with a threshold (accepted, low-score), by site and action.',
    SCORES,
    'site',
    'action',
  )
  const lowScoreReasons = counter(
    'hv_low_score_reasons_total',
    'Rejections for a low score, by site and each reason that lowered it; one rejection may have several.',
    'site',
    'reason',
  )
  const stepUps = counter(
    'hv_step_ups_total',
    'Second tries, by site and outcome: asked (a ticket was given), done (its challenge was solved), helped (it reached the threshold).',
    'site',
    'outcome',
  )
  const agents = counter(
    'hv_named_agents_total',
    'Requests of named agents, by agent and the code of the log line: issued, solved, a verdict; docs/operate/agents.md.',
    'agent',
    'code',
  )
  const tokens = counter(
    'hv_tokens_issued_total',
    'Response tokens issued, by site; a renewed token counts again.',
    'site',
  )
  const judged = counter(
    'hv_tokens_judged_total',
    'Response tokens consumed by a verdict, by site.',
    'site',
  )
  const seconds = {
    ledger: histogram(
      'hv_ledger_seconds',
      'Seconds that the ledger took to consume, by outcome; fault: the outcome is unknown.',
      STORE_SECONDS,
      'outcome',
    ),
    limiter: histogram(
      'hv_limiter_seconds',
      'Seconds that the limiter took, by outcome: passed, limited, fault.',
      STORE_SECONDS,
      'outcome',
    ),
  }
  const generationMoves = counter(
    'hv_generation_moves_total',
    'Times this process saw the ledger begin a new generation: entries may have been lost, and earlier tokens are refused.',
  )
  const reloads = counter(
    'hv_reloads_total',
    'Reloads of the configuration or the keyring, by what and outcome: taken, refused (the old version stays in force).',
    'what',
    'outcome',
  )
  const requestsShed = counter(
    'hv_requests_shed_total',
    'Requests refused unread, with 503, because more came than this process can serve in time.',
  )
  const logLinesLost = counter('hv_log_lines_lost_total', 'Log lines that could not be written.')
  gauge('hv_build_info', 'Always 1; the version is its label.', ['version'], (to) =>
    to.set({ version }, 1),
  )
  gauge(
    'hv_in_force_since_timestamp_seconds',
    'When the configuration or the keyring in force was read; Unix seconds.',
    ['what'],
    (to) => {
      for (const what of RELOADABLE) to.set({ what }, inForce(what).since / 1000)
    },
  )
  gauge(
    'hv_reload_refused',
    '1 while the file of the configuration or the keyring is one that was refused; the old version stays in force.',
    ['what'],
    (to) => {
      for (const what of RELOADABLE) to.set({ what }, inForce(what).problem === undefined ? 0 : 1)
    },
  )

  const started: InForce = { since: clock(), problem: undefined }
  const inForceOf = new Map<Reloadable, InForce>()
  const inForce = (what: Reloadable): InForce => inForceOf.get(what) ?? started

  /** What each operation adds to the two counts that all have. */
  const more: Readonly<Record<string, (site: string, code: string, notes: Notes) => void>> = {
    challenge(site, code, { level }) {
      if (code !== 'issued') return
      challenges.inc({ site })
      if (level !== undefined) workLevel.observe(level)
    },
    solve(site, code, { work_ms: workMs, again }) {
      if (code !== 'solved' || again) return
      tokens.inc({ site })
      // Both series exist before the second one moves: else Prometheus finds no difference between them.
      judged.inc({ site }, 0)
      if (workMs !== undefined && Number.isFinite(workMs)) solveSeconds.observe(workMs / 1000)
    },
    siteverify(site, code, { action, score, reasons = [], again }) {
      verdicts.inc({ site, code })
      if (again) return
      if (JUDGED.has(code)) judged.inc({ site })
      if (code !== 'accepted' && code !== 'low-score') return
      if (score !== undefined && Number.isFinite(score) && action !== undefined) {
        scores.observe({ site, action: labels.action(site, action) }, score)
      }
      if (code === 'low-score') for (const reason of reasons) lowScoreReasons.inc({ site, reason })
    },
  }

  return {
    registry,
    hour,
    inForce,
    unregister() {
      for (const name of names) registry.removeSingleMetric(name)
    },
    observeProcess(ledger) {
      if (!given) collectDefaultMetrics({ register: registry })
      gauge(
        'hv_ledger_usable',
        '1 while a part of the ledger can be used, else 0: then the service answers 503.',
        [],
        (to) => to.set(ledger.fault() === undefined ? 1 : 0),
      )
      gauge(
        'hv_ledger_full_ratio',
        'Share of the memory of Redis (of the entries of an embedded ledger) in use; from 0.95 on no challenge is issued. 0 without maxmemory.',
        [],
        (to) => to.set(ledger.fullness()),
      )
      gauge(
        'hv_clock_ahead_seconds',
        'Seconds by which the clock of this process is ahead of that of Redis; negative: behind, and visitors are refused. 0: embedded.',
        [],
        (to) => to.set(ledger.clockAhead()),
      )
    },
    request(operation, notes) {
      const { code = 'gone', ms = 0, sitekey, agent } = notes
      hour.request(operation, notes)
      requests.inc({ operation, code })
      requestSeconds.observe({ operation }, ms / 1000)
      // A name of the configuration: at most as many as it has.
      if (agent !== undefined) agents.inc({ agent, code })
      if (sitekey === undefined) return
      const site = labels.site(sitekey)
      more[operation]?.(site, code, notes)
      if (notes.step_up === 'helped') stepUps.inc({ site, outcome: 'done' })
      if (notes.step_up !== undefined) stepUps.inc({ site, outcome: notes.step_up })
    },
    storeCall: (of, outcome, ms) => seconds[of].observe({ outcome }, ms / 1000),
    generationMoved() {
      generationMoves.inc()
      hour.incident('generation-moved', 1)
    },
    reloaded(what, problem) {
      reloads.inc({ what, outcome: problem === undefined ? 'taken' : 'refused' })
      const at = clock()
      const refused = problem !== undefined && {
        since: inForce(what).since,
        problem: { at, says: problem },
      }
      inForceOf.set(what, refused || { since: at, problem: undefined })
    },
    shed(times) {
      requestsShed.inc(times)
      hour.incident('shed', times)
    },
    linesLost(lines) {
      logLinesLost.inc(lines)
      hour.incident('lines-lost', lines)
    },
  }
}
