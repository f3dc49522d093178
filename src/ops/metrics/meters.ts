import type { Meters, Notes } from '../../ports/observing.ts'
import type { Labels } from './labels.ts'
import type { ReloadState } from './reload-state.ts'
import type { Tally } from './tally.ts'
import type { TokenBalance } from './token-balance.ts'
import type { TopNetworks } from './top-networks.ts'

export interface MeterParts {
  readonly counts: Tally
  readonly labels: Labels
  readonly balance: TokenBalance
  readonly reloads: ReloadState
  readonly limited: TopNetworks
}

/** Verdicts for which the token was used up. A duplicate is not one: the first call was. */
const JUDGED: ReadonlySet<string> = new Set(['accepted', 'low-score', 'action-mismatch', 'remoteip-mismatch'])

/** Counts what is told; decides nothing, waits for nobody, and has no label that a stranger can choose. */
export function meters({ counts, labels, balance, reloads, limited }: MeterParts): Meters {
  const requests = counts.counter('requests')
  const seconds = counts.distribution('request_seconds')
  const challenges = counts.counter('challenges')
  const workLevel = counts.distribution('work_level')
  const tokens = counts.counter('tokens')
  const solveSeconds = counts.distribution('solve_seconds')
  const verdicts = counts.counter('verdicts')
  const scores = counts.distribution('scores')
  const reasonsOf = counts.counter('reasons')
  const stepUps = counts.counter('step_ups')
  const agents = counts.counter('agents')
  const durations = { ledger: counts.distribution('ledger_seconds'), limiter: counts.distribution('limiter_seconds') }
  const moves = counts.counter('generation_moves')
  const reloadings = counts.counter('reloads')
  const shed = counts.counter('shed')
  const linesLost = counts.counter('lines_lost')

  /** What each operation adds to the two counts that all have. */
  const more: Readonly<Record<string, (site: string, code: string, notes: Notes) => void>> = {
    challenge(site, code, { level }) {
      if (code !== 'issued') return
      challenges(site)
      if (level !== undefined) workLevel(level)
    },
    solve(site, code, { token_ends: endsAt, work_ms: workMs }) {
      if (code !== 'solved') return
      tokens(site)
      if (endsAt !== undefined) balance.issued(site, endsAt)
      if (workMs !== undefined) solveSeconds(workMs / 1000)
    },
    siteverify(site, code, { action, score, reasons, token_ends: endsAt }) {
      verdicts(site, code)
      if (!JUDGED.has(code)) return
      if (endsAt !== undefined) balance.judged(site, endsAt)
      if (code !== 'accepted' && code !== 'low-score') return
      if (score !== undefined && action !== undefined) scores(score, site, labels.action(site, action))
      if (code === 'low-score' && reasons) for (const reason of reasons) reasonsOf(site, reason)
    },
  }

  return {
    request(operation, notes) {
      const { code = 'gone', ms = 0, sitekey, network, agent } = notes
      requests(operation, code)
      seconds(ms / 1000, operation)
      if (code === 'rate-limit-exceeded' && network !== undefined) limited.count(network)
      // A name of the configuration: at most as many as it has.
      if (agent !== undefined) agents(agent, code)
      if (sitekey === undefined) return
      const site = labels.site(sitekey)
      more[operation]?.(site, code, notes)
      if (notes.step_up === 'helped') stepUps(site, 'done')
      if (notes.step_up !== undefined) stepUps(site, notes.step_up)
    },
    storeCall: (of, outcome, ms) => durations[of](ms / 1000, outcome),
    generationMoved: () => moves(),
    reloaded(what, problem) {
      reloadings(what, problem === undefined ? 'taken' : 'refused')
      reloads.reloaded(what, problem)
    },
    shed: (refused) => shed('', '', refused),
    linesLost: (lines) => linesLost('', '', lines),
  }
}
