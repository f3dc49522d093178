import { RateLimiterRes } from 'rate-limiter-flexible'
import { parseAddress } from '../../domain/address.ts'
import { type AddressMark, customerOf, networkOf, subnetOf } from '../../domain/address-mark.ts'
import { Fault } from '../../domain/codes.ts'
import type { Budget, Limiter } from '../../domain/ports.ts'
import type { Rate } from '../../domain/time.ts'
import { seconds, type Sitekey } from '../../domain/words.ts'
import { type Charged, type Debt, type Debts, memoryDebts, type Once } from './debts.ts'
import { ignoreFailure, RedisFailure } from '../redis/redis-failure.ts'

/** The configured rates, per visitor address or (siteverify, junk) per site. */
export type Budgets = Readonly<
  Record<
    'challenge' | 'solve' | 'siteverify' | 'fallback' | 'junk' | 'ticket' | 'invalidSecret',
    Rate
  >
>

/**
 * Budgets of the surrounding networks, in budgets of one address: an IPv4 /24 and an IPv6 /48 have thousands of visitors, a /56
 * is usually one customer of a provider.
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

/** The rate of each address budget, and the multiple of the widest network that is also charged. */
const BUDGETS = {
  // Unsolved challenges are not charged to neighbours.
  challenge: ['challenge', 1],
  solve: ['challenge', 1],
  fallback: ['fallback', 1],
  ticket: ['ticket', NETWORK_TIMES],
  guess: ['invalidSecret', 1],
  visit: ['visit', NETWORK_TIMES],
  dear: ['visit', SUBNET_TIMES],
} as const satisfies Readonly<
  Record<Exclude<Budget, 'siteverify' | 'junk'>, readonly [string, number]>
>

/** Halves that an ordinary visit costs. A visit that costs more has a second budget, so that it takes no more of the first. */
const ORDINARY = 2

/** A key that is charged, and its budget in budgets of one address. */
type Place = readonly [name: string, times: number]

/** Returns an address mark and the networks around it, the narrowest first; any other text alone. */
function placesOf(who: string): readonly Place[] {
  if (!/^[46][gp].{22}$/.test(who)) return [[who, 1]]
  const network: Place = [networkOf(who), NETWORK_TIMES]
  return who.startsWith('4')
    ? [[who, 1], network]
    : [[who, 1], [subnetOf(who), SUBNET_TIMES], network]
}

/** Returns the debt for points of a budget. @param points 0 checks for room. */
function debtOf(
  of: string,
  [whose, times]: Place,
  { points: most, per }: Rate,
  points: number,
): Debt {
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
 * Returns the limiter over debts in Redis or in memory. Redis has no fallback in memory: it would give an address that is over
 * its budget a full new one from each process (docs/design/threats.md, "When Redis is down").
 *
 * @param isTight whether the store is nearly full: then a network has the budget of one address.
 * @param clock Unix milliseconds.
 */
export function debtLimiter(
  debts: Debts,
  budgets: Budgets,
  isTight = () => false,
  clock = Date.now,
): Limiter {
  const ofSites = siteLimits(debts, budgets)
  /** Wrong secrets and floods are counted in this process, so that refusing them needs no store. */
  const here = memoryDebts()
  const { solve } = budgets
  const atOnce = Math.ceil((solve.points * 10) / 3)
  /** In halves of a visit: `18 per 1m` allows 60 visits at once and another every 3.3 s, so at most 240 in ten minutes. */
  const visit: Rate = { points: atOnce * 2, per: seconds((solve.per * atOnce) / solve.points) }
  const rates = { ...budgets, visit }

  /** @param site of a budget that each site has for itself. */
  function debtsOf(
    budget: keyof typeof BUDGETS,
    who: string,
    points: number,
    site?: Sitekey,
  ): readonly Debt[] {
    const [rate, upTo] = BUDGETS[budget]
    const places = placesOf(who).filter(([, times]) => times <= upTo)
    return places.map(([name, times]) =>
      debtOf(budget, [site ? `${site}/${name}` : name, isTight() ? 1 : times], rates[rate], points),
    )
  }

  const charge = (
    where: Debts,
    who: string,
    what: readonly Debt[],
    once?: Once,
  ): Promise<Charged> =>
    where.charge(placesOf(who).at(-1)![0], what, once, clock()).catch(throwUnavailable)

  return {
    async challenge(who) {
      refuse(await charge(here, who, [debtOf('flood', [who, FLOOD_TIMES], budgets.challenge, 1)]))
      return (await charge(debts, who, debtsOf('challenge', who, 1))).is === 'full'
    },
    async take(budget, who) {
      if (budget === 'siteverify') return ofSites.take(who)
      const key = budget === 'guess' ? (parseAddress(who)?.subscriber ?? who) : who
      refuse(await charge(budget === 'guess' ? here : debts, key, debtsOf(budget, key, 1)))
    },
    junk: (sitekey, sender) => ofSites.junk(sitekey, sender),
    check: async (budget, who, sitekey) =>
      void refuse(await charge(debts, who, debtsOf(budget, who, 0, sitekey))),
    async visit(who, { jti, sitekey, until, halves, besides }) {
      const others = besides.flatMap((budget) => debtsOf(budget, who, 1, sitekey))
      const dear = halves > ORDINARY ? debtsOf('dear', who, halves, sitekey) : []
      const what = [...debtsOf('visit', who, ORDINARY, sitekey), ...dear, ...others]
      const charged = refuse(
        await charge(debts, who, what, { of: 'paid', whose: jti, endsAt: until * 1000 }),
      )
      return charged.is === 'charged' ? 'first' : 'again'
    },
    giveBack: (_budget, who) => ofSites.giveBack(who),
  }
}

/** Returns the budgets that each site has, of which customers' servers take. */
function siteLimits(debts: Debts, budgets: Budgets) {
  const siteverify = debts.siteLimit('siteverify', budgets.siteverify)
  const junk = debts.siteLimit('junk', budgets.junk)
  const share = debts.siteLimit('sender', shareOf(budgets.junk))
  return {
    async take(sitekey: string): Promise<void> {
      await siteverify(sitekey, 1).catch(throwFault)
    },
    async giveBack(sitekey: string): Promise<void> {
      await siteverify(sitekey, -1).catch(ignoreFailure)
    },
    async junk(sitekey: Sitekey, sender: AddressMark | undefined): Promise<void> {
      if (sender !== undefined) await share(`${sitekey}/${customerOf(sender)}`, 1).catch(throwFault)
      await junk(sitekey, 1).catch(throwFault)
    },
  }
}

/** @throws {Fault} if there was no room. */
function refuse(charged: Charged): Charged {
  if (charged.is !== 'full') return charged
  throw exceeded(charged.waitMs)
}

const exceeded = (waitMs: number): Fault =>
  new Fault('rate-limit-exceeded', { retryAfter: seconds(Math.max(1, Math.ceil(waitMs / 1000))) })

/** @throws {Fault} that the site's limit is reached or unknown. */
function throwFault(thrown: unknown): never {
  if (thrown instanceof RateLimiterRes) throw exceeded(thrown.msBeforeNext)
  throwUnavailable(thrown)
}

function throwUnavailable(thrown: unknown): never {
  if (!(thrown instanceof RedisFailure)) throw thrown
  // The ledger is in the same Redis, so an outage is reported as an outage of the ledger.
  const code = thrown.isOutage ? 'database-unavailable' : 'rate-limiter-unavailable'
  throw new Fault(code, { cause: thrown, retryAfter: seconds(1) })
}
