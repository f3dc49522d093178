import { readFileSync } from 'node:fs'
import { boundedKinds } from '../../domain/bounded-kinds.ts'
import type { Patience, RedisConnection } from '../redis/redis-connection.ts'
import { decide, type Limit } from './gcra.ts'

/** What a call costs one of its budgets. */
export interface Cost {
  /** Name of the budget. */
  readonly budget: string
  /** Whose budget it is. */
  readonly owner: string
  readonly limit: Limit
  /** More than 0; may be a fraction. */
  readonly points: number
}

/** Shows that a charge was made, so that it is made only once; remembered until `endsAt` (Unix milliseconds). */
export interface Receipt {
  readonly budget: string
  readonly owner: string
  readonly endsAt: number
}

export interface Charge {
  /** The text that selects the partition. */
  readonly partition: string
  readonly costs: readonly Cost[]
  readonly receipt?: Receipt | undefined
  /** Whether nothing is charged: the call only asks whether there is room. */
  readonly isCheck?: boolean
}

/** `charged` also answers a check that finds room. @param waitMs until there is room. */
export type Charged =
  { readonly is: 'charged' | 'charged before' } | { readonly is: 'full'; readonly waitMs: number }

/**
 * Charges all costs, or none if one budget has no room.
 *
 * rate-limiter-flexible counts one key in a call, so what a visit costs an address and the networks around it is charged here.
 *
 * @param now Unix milliseconds of the caller, so that a server's wrong clock does not prolong a refusal.
 * @throws {RedisFailure} if no answer comes in time. The costs may have been charged.
 */
export type MakeCharge = (charge: Charge, now: number) => Promise<Charged>

const readScript = (): string => readFileSync(new URL('charges.lua', import.meta.url), 'utf8')
/** No retry after a lost answer: it would charge a second time. */
const PATIENCE: Patience = { budgetMs: 300, retry: false }

/** Charges budgets that several processes share, in keys `{hv}:l:BUDGET:OWNER`. */
export function redisCharges(redis: RedisConnection): MakeCharge {
  const script = redis.script('hvCharge', readScript())
  return async ({ partition, costs, receipt, isCheck = false }, now) => {
    const prefix = redis.prefixFor(partition)
    const named = receipt ? [...costs, receipt] : costs
    const keys = named.map(({ budget, owner }) => `${prefix}l:${budget}:${owner}`)
    const amounts = costs.flatMap(({ limit, points }) => [
      limit.emissionInterval * points,
      limit.burstOffset,
    ])
    const keepMs = receipt ? receipt.endsAt - now : ''
    const args = [now, keepMs, isCheck ? 'check' : 'charge', ...amounts]
    const [full, waitMs = 0] = (await script(keys, args.map(String), PATIENCE)) as [number, number?]
    if (full > 0) return { is: 'full', waitMs }
    return { is: full === 0 ? 'charged' : 'charged before' }
  }
}

/**
 * Charges the budgets of one process.
 *
 * @param capacity owners of one budget, some 200 bytes each. At capacity one of the oldest is dropped, preferably one who used less
 *   than half of the budget.
 */
export function memoryCharges(capacity = 100_000): MakeCharge {
  /** `endsAt` is the theoretical arrival time. */
  const kept = boundedKinds<{ endsAt: number; readonly burstOffset: number }>(
    capacity,
    ({ endsAt, burstOffset }, now) => endsAt - now > burstOffset / 2,
  )
  return async ({ costs, receipt, isCheck = false }, now) => {
    if (receipt && (kept.get(receipt.budget, receipt.owner)?.endsAt ?? 0) > now)
      return { is: 'charged before' }
    const decisions = costs.map((cost) => {
      const tat = kept.get(cost.budget, cost.owner)?.endsAt
      return { cost, ...decide(cost.limit, tat, now, cost.points) }
    })
    const full = decisions.find(({ isAllowed }) => !isAllowed)
    if (full) return { is: 'full', waitMs: full.retryIn }
    if (isCheck) return { is: 'charged' }
    for (const { cost, newTat } of decisions) {
      const { budget, owner, limit } = cost
      const known = kept.get(budget, owner)
      if (known) known.endsAt = newTat
      else kept.add(budget, owner, { endsAt: newTat, burstOffset: limit.burstOffset }, now)
    }
    if (receipt) {
      const { budget, owner, endsAt } = receipt
      kept.add(budget, owner, { endsAt, burstOffset: 0 }, now)
    }
    return { is: 'charged' }
  }
}
