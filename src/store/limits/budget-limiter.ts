import { parseAddress } from '../../domain/address.ts'
import {
  type AddressHash,
  familyOf,
  isAddressHash,
  networkOf,
  subnetOf,
} from '../../domain/address-hash.ts'
import { Fault } from '../../domain/codes.ts'
import type { ExtraBudget, Limiter } from '../../domain/ports.ts'
import type { Rate } from '../../domain/time.ts'
import { seconds, type Sitekey } from '../../domain/words.ts'
import { ignoreFailure, RedisFailure } from '../redis/redis-failure.ts'
import type { Charge, Charged, Cost, MakeCharge } from './charges.ts'
import type { LimitStore } from './limit-store.ts'
import { memoryWindows, type WindowLimit } from './windows.ts'

/** The rates of the settings `limits`. A budget has the name of its setting, here and in the keys of Redis. */
export type Budgets = Readonly<
  Record<
    'challenge' | 'solve' | 'siteverify' | 'fallback' | 'junk' | 'ticket' | 'invalidSecret',
    Rate
  >
>

/**
 * Budgets of the surrounding networks, in budgets of one address: an IPv4 /24 and an IPv6 /48 have thousands of visitors, a /56
 * is usually one subscriber.
 */
const SUBNET_TIMES = 2
const NETWORK_TIMES = 16
/**
 * Challenges that one process issues to an address, in budgets. Beyond one budget they ask for more work; refusals come late,
 * because they affect all visitors behind the address and save only a fifth of a challenge's processor time.
 */
const FLOOD_TIMES = 25

/** Senders that it takes to use up the junk of a site, at the default rate. */
const JUNK_SENDERS = 20
/** Tokens that one sender may always waste: several people may share an address. */
const LEAST_JUNK = 10

/** Returns the share that one sender has of the junk of a site. */
const shareOf = ({ points, per }: Rate): Rate => ({
  points: Math.min(points, Math.max(LEAST_JUNK, Math.ceil(points / JUNK_SENDERS))),
  per,
})

/** What an ordinary visit costs, in halves of a visit. */
const ORDINARY_COST = 2

/** Whose budget is charged. */
interface Owner {
  readonly name: string
  /** Its budget, in budgets of one address. */
  readonly times: number
}

/** Returns an address and the networks around it, the narrowest first; any other text alone. */
function ownersOf(who: string): readonly Owner[] {
  const own = { name: who, times: 1 }
  if (!isAddressHash(who)) return [own]
  const network = { name: networkOf(who), times: NETWORK_TIMES }
  if (familyOf(who) === 4) return [own, network]
  return [own, { name: subnetOf(who), times: SUBNET_TIMES }, network]
}

/**
 * The budgets of a visit. Every visit takes the cost of an ordinary visit from `solve`. A visit that costs more also takes its whole
 * cost from `solveCostly`, a second budget of the same rate: costly visits use that one up first, and `solve` still has room for
 * ordinary ones.
 */
type VisitBudget = 'solve' | 'solveCostly' | ExtraBudget
/** The widest network that each also charges, by the budget that this network has. */
const WIDEST_TIMES: Readonly<Record<VisitBudget, number>> = {
  solve: NETWORK_TIMES,
  solveCostly: SUBNET_TIMES,
  ticket: NETWORK_TIMES,
  fallback: 1,
}

/**
 * Returns the limiter over budgets in Redis or in memory. Redis has no fallback in memory: it would give an address that is over
 * its budget a full new one from each process (docs/design/threats.md, "When Redis is down").
 *
 * @param isTight whether the store is nearly full: then a network has the budget of one address.
 * @param clock Unix milliseconds, for what a visit costs.
 */
export function budgetLimiter(
  store: LimitStore,
  budgets: Budgets,
  isTight = () => false,
  clock = Date.now,
): Limiter {
  const windows = windowLimits(store, budgets)
  const visits = visitCharges(store.charge, budgets, { isTight, clock })
  return {
    async challenge(who) {
      await takePoint(windows.flood, who)
      return (await windows.challenge.take(who).catch(throwUnavailable)) > 0
    },
    async take(budget, who) {
      const owner = budget === 'invalidSecret' ? (parseAddress(who)?.subscriber ?? who) : who
      await takePoint(windows[budget], owner)
    },
    async junk(sitekey, sender) {
      if (sender !== undefined) await takePoint(windows.junkOfSender, senderKey(sitekey, sender))
      await takePoint(windows.junk, sitekey)
    },
    async giveBack(budget, who) {
      await windows[budget].giveBack(who).catch(ignoreFailure)
    },
    ...visits,
  }
}

const senderKey = (sitekey: Sitekey, sender: AddressHash): string =>
  `${sitekey}/${subnetOf(sender)}`

/** Returns the budgets of one key. */
function windowLimits({ window }: LimitStore, budgets: Budgets) {
  /** Wrong secrets and floods are counted in this process, so that refusing them needs no store. */
  const windowHere = memoryWindows()
  const { challenge, siteverify, junk, invalidSecret } = budgets
  const flood = { points: challenge.points * FLOOD_TIMES, per: challenge.per }
  return {
    flood: windowHere('flood', flood),
    invalidSecret: windowHere('invalidSecret', invalidSecret),
    challenge: window('challenge', challenge),
    invalidSolution: window('invalidSolution', challenge),
    siteverify: window('siteverify', siteverify),
    junk: window('junk', junk),
    junkOfSender: window('junkOfSender', shareOf(junk)),
  }
}

/** @throws {Fault} if no point is left, or it is unknown. */
async function takePoint(limit: WindowLimit, owner: string): Promise<void> {
  const waitMs = await limit.take(owner).catch(throwUnavailable)
  if (waitMs > 0) throw exceeded(waitMs)
}

/** Returns the budgets of visits, which are charged to an address and its networks at once. */
function visitCharges(
  makeCharge: MakeCharge,
  budgets: Budgets,
  { isTight, clock }: { readonly isTight: () => boolean; readonly clock: () => number },
): Pick<Limiter, 'check' | 'visit'> {
  const { ticket, fallback } = budgets
  const solve = visitRate(budgets.solve)
  const rates: Readonly<Record<VisitBudget, Rate>> = { solve, solveCostly: solve, ticket, fallback }

  /** Returns what points of a budget cost each owner, at one site. */
  function costsOf(budget: VisitBudget, who: string, points: number, site: Sitekey): Cost[] {
    const { points: burst, per } = rates[budget]
    return ownersOf(who)
      .filter(({ times }) => times <= WIDEST_TIMES[budget])
      .map(({ name, times }) => {
        const burstOffset = per * 1000
        const emissionInterval = burstOffset / (burst * (isTight() ? 1 : times))
        const limit = { emissionInterval, burstOffset }
        return { budget, owner: `${site}/${name}`, limit, points }
      })
  }

  async function charge(who: string, rest: Omit<Charge, 'partition'>): Promise<Charged['is']> {
    const partition = ownersOf(who).at(-1)!.name
    const charged = await makeCharge({ partition, ...rest }, clock()).catch(throwUnavailable)
    if (charged.is === 'full') throw exceeded(charged.waitMs)
    return charged.is
  }

  return {
    async check(budget, who, sitekey) {
      await charge(who, { costs: costsOf(budget, who, 1, sitekey), isCheck: true })
    },
    async visit(who, { jti, sitekey, until, cost, extraBudgets }) {
      const costs = [
        ...costsOf('solve', who, ORDINARY_COST, sitekey),
        ...(cost > ORDINARY_COST ? costsOf('solveCostly', who, cost, sitekey) : []),
        ...extraBudgets.flatMap((budget) => costsOf(budget, who, 1, sitekey)),
      ]
      const receipt = { budget: 'paid', owner: jti, endsAt: until * 1000 }
      return (await charge(who, { costs, receipt })) === 'charged' ? 'first' : 'again'
    },
  }
}

/**
 * Returns the rate of visits, in halves of a visit: `18 per 1m` allows 60 visits at once and another every 3.3 s, so at most 240
 * in ten minutes.
 */
function visitRate({ points, per }: Rate): Rate {
  const atOnce = Math.ceil((points * 10) / 3)
  return { points: atOnce * 2, per: seconds((per * atOnce) / points) }
}

const exceeded = (waitMs: number): Fault =>
  new Fault('rate-limit-exceeded', { retryAfter: seconds(Math.max(1, Math.ceil(waitMs / 1000))) })

/** @throws {Fault} that the budgets are unknown; any other error as it is. */
function throwUnavailable(thrown: unknown): never {
  if (!(thrown instanceof RedisFailure)) throw thrown
  // The ledger is in the same Redis, so an outage is reported as an outage of the ledger.
  const code = thrown.isOutage ? 'database-unavailable' : 'rate-limiter-unavailable'
  throw new Fault(code, { cause: thrown, retryAfter: seconds(1) })
}
