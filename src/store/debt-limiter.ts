import { RateLimiterRes } from 'rate-limiter-flexible'
import { parseAddress } from '../domain/address.ts'
import { networkOf, subnetOf } from '../domain/address-mark.ts'
import { Fault } from '../domain/codes.ts'
import type { Budget, Limiter } from '../domain/stores.ts'
import type { Rate } from '../domain/time.ts'
import { seconds, type Sitekey } from '../domain/words.ts'
import { type Charged, type Debt, type Debts, memoryDebts, type Once } from './debts.ts'
import { ignoreFailure, RedisFailure } from './redis-failure.ts'

/** The rates of the configuration: of a visitor's address, or (siteverify, junk) of a site. */
export type Budgets = Readonly<
  Record<'challenge' | 'solve' | 'siteverify' | 'fallback' | 'junk' | 'ticket' | 'invalidSecret', Rate>
>

/**
 * How many times the budget of one address the networks around it have together: an IPv4 /24 and an IPv6 /48 hold thousands
 * of visitors, a /56 is mostly one customer of a provider.
 */
const SUBNET_TIMES = 2
const NETWORK_TIMES = 16
/**
 * How many times its budget of challenges one process issues to an address. A refusal takes four fifths of the processor time of
 * a challenge and refuses everybody behind the address, so it comes late; before, challenges ask for more work.
 */
const FLOOD_TIMES = 25

/** The rate of each budget of an address, and the multiple of the widest network that is charged as well. */
const BUDGETS = {
  // What nobody has solved is charged to no neighbour.
  challenge: ['challenge', 1],
  solve: ['challenge', 1],
  fallback: ['fallback', 1],
  slow: ['challenge', 1],
  ticket: ['ticket', NETWORK_TIMES],
  guess: ['invalidSecret', 1],
  visit: ['visit', NETWORK_TIMES],
} as const satisfies Readonly<Record<Exclude<Budget, 'siteverify' | 'junk'>, readonly [string, number]>>

/** A key that is charged, and the multiple of an address's budget that it has. */
type Place = readonly [name: string, times: number]

/** Returns an address and the networks around it, the narrowest first. @param who anything but an address mark is a place of its own. */
function placesOf(who: string): readonly Place[] {
  if (!/^[46][gp].{22}$/.test(who)) return [[who, 1]]
  const network: Place = [networkOf(who), NETWORK_TIMES]
  return who.startsWith('4') ? [[who, 1], network] : [[who, 1], [subnetOf(who), SUBNET_TIMES], network]
}

/** Returns the debt for points of a budget, all of which may be taken at once. @param points 0 checks for room; negative gives back. */
function debtOf(of: string, [whose, times]: Place, { points: most, per }: Rate, points: number): Debt {
  const pointMs = (per * 1000) / (most * times)
  return {
    of,
    whose,
    addMs: points * pointMs,
    roomMs: Math.max(points, points === 0 ? 1 : 0) * pointMs,
    mostMs: per * 1000,
  }
}

/**
 * The limiter over debts in Redis or in memory. It has no fallback in memory: with one, an address over its budget would get a
 * full new one of each process the moment Redis fails (docs/design/threats.md, "When Redis is down").
 *
 * @param isTight whether the store has little room left: then a network has as much as one address.
 * @param clock Unix milliseconds.
 */
export function debtLimiter(debts: Debts, budgets: Budgets, isTight = () => false, clock = Date.now): Limiter {
  const ofSites = {
    siteverify: debts.siteLimit('siteverify', budgets.siteverify),
    junk: debts.siteLimit('junk', budgets.junk),
  }
  /** Wrong secrets and floods are counted in each process, so that their refusal never depends on a store. */
  const here = memoryDebts()
  /**
   * Visits, in halves: ten thirds of the rate at once, and the rate. `18 per 1m` is 60 at once and another each 3.3 s: at most 240
   * in ten minutes.
   */
  const { solve } = budgets
  const atOnce = Math.ceil((solve.points * 10) / 3)
  const visit: Rate = { points: atOnce * 2, per: seconds((solve.per * atOnce) / solve.points) }
  const rates = { ...budgets, visit }

  /** @param site whose budget it is, apart from those of other sites. */
  function debtsOf(budget: keyof typeof BUDGETS, who: string, points: number, site?: Sitekey): readonly Debt[] {
    const [rate, upTo] = BUDGETS[budget]
    const places = placesOf(who).filter(([, times]) => times <= upTo)
    return places.map(([name, times]) =>
      debtOf(budget, [site ? `${site}/${name}` : name, isTight() ? 1 : times], rates[rate], points),
    )
  }

  const charge = (where: Debts, who: string, what: readonly Debt[], once?: Once): Promise<Charged> =>
    where.charge(placesOf(who).at(-1)![0], what, once, clock()).catch(throwUnavailable)

  return {
    async challenge(who) {
      refuse(await charge(here, who, [debtOf('flood', [who, FLOOD_TIMES], budgets.challenge, 1)]))
      return (await charge(debts, who, debtsOf('challenge', who, 1))).is === 'full'
    },
    async take(budget, who) {
      if (budget === 'siteverify' || budget === 'junk') return void (await ofSites[budget](who, 1).catch(throwFault))
      const [where, whose] = budget === 'guess' ? [here, parseAddress(who)?.subscriber ?? who] : [debts, who]
      refuse(await charge(where, whose, debtsOf(budget, whose, 1)))
    },
    check: async (budget, who, sitekey) => void refuse(await charge(debts, who, debtsOf(budget, who, 0, sitekey))),
    async visit(who, { jti, sitekey, until, halves, besides }) {
      const others = besides.flatMap((budget) => debtsOf(budget, who, 1, sitekey))
      const what = [...debtsOf('visit', who, halves, sitekey), ...others]
      const charged = refuse(await charge(debts, who, what, { of: 'paid', whose: jti, endsAt: until * 1000 }))
      return charged.is === 'charged' ? 'first' : 'again'
    },
    async giveBack(budget, who) {
      if (budget === 'siteverify') await ofSites.siteverify(who, -1).catch(ignoreFailure)
      else
        await debts.charge(placesOf(who).at(-1)![0], debtsOf(budget, who, -1), undefined, clock()).catch(ignoreFailure)
    },
  }
}

/** @throws {Fault} where there was no room. */
function refuse(charged: Charged): Charged {
  if (charged.is !== 'full') return charged
  throw exceeded(charged.waitMs)
}

const exceeded = (waitMs: number): Fault =>
  new Fault('rate-limit-exceeded', { retryAfter: seconds(Math.max(1, Math.ceil(waitMs / 1000))) })

/** @throws {Fault} of a site whose limit is reached, or that cannot be told. */
function throwFault(thrown: unknown): never {
  if (thrown instanceof RateLimiterRes) throw exceeded(thrown.msBeforeNext)
  throwUnavailable(thrown)
}

function throwUnavailable(thrown: unknown): never {
  if (!(thrown instanceof RedisFailure)) throw thrown
  // Redis also holds the ledger, so an outage is reported as the ledger's.
  const code = thrown.isOutage ? 'database-unavailable' : 'rate-limiter-unavailable'
  throw new Fault(code, { cause: thrown, retryAfter: seconds(1) })
}
