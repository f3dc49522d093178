/**
 * What the rise of the work costs a script and people, without a network and without work: the service's own counters,
 * budgets and rule at simulated seconds. docs/design/work.md, "The rise with the rate", has the figures.
 */
import { expect, test } from '@jest/globals'
import { unitsAtLevel } from '../../../src/work/pow.ts'
import type { Fault } from '../../../src/domain/codes.ts'
import { later, seconds, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { memoryCounters } from '../../../src/store/history/counters.ts'
import { history } from '../../../src/store/history/history.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../../src/store/limits/limit-store.ts'
import { isOutpaced, levelOf } from '../../../src/work/difficulty.ts'
import { keepLog } from '../../support/ledger-contract.ts'
import { everyBudget } from '../../support/ledger-on-redis.ts'

const work = { level: 3, maxLevel: 8, humanCost: seconds(2), fallback: true }
const BUDGETS = { ...everyBudget(1, 60), solve: { points: 18, per: seconds(60) } }
/** Seconds: how long the sources of the price list go on. */
const TEN_MINUTES = 600
/** A bucket of history begins here. */
const BEGIN = 1_800_000_000
/** Seconds since then at which a run begins. */
const PHASES = [0, 300, 500]
/** Seconds of CPU time of one unit, and of the rest of a visit, as `npm run attack` measured them. */
const UNIT = 8.3e-6
const REST = 0.008
/** Seconds that a challenge lives, and that a person takes from the challenge to the solve beside the work. */
const LIFE = 600
const FORM = 10
/** Seconds between two looks at a script, which has two cores but for what the service takes of them. */
const STEP = 0.25
const CORES = 1.9

/** Addresses of one network, used in turns: by hashes with 8 letters of the network, 4 of the /56, 10 of the address. */
interface Source {
  readonly family: 4 | 6
  readonly addresses: number
  /** Of IPv6: the /56 networks that the addresses are spread over. */
  readonly subnets?: number
}
const address: Source = { family: 4, addresses: 1 }
const block: Source = { family: 4, addresses: 254 }
const prefix: Source = { family: 6, addresses: 4096 }
/** The /64 networks of one /56. */
const home: Source = { family: 6, addresses: 256, subnets: 1 }
function hashOf({ family, addresses, subnets = 256 }: Source, visit: number): string {
  const number = visit % addresses
  const subnet = (family === 4 ? number : number % subnets).toString(36).padStart(4, '0')
  return `${family}gnetwork-${subnet}${number.toString(36).padStart(10, '0')}`
}

function serviceOf(phase: number) {
  let time = 0
  const now = () => unixSeconds(BEGIN + phase + Math.floor(time))
  const known = history(memoryCounters(), keepLog())
  const limiter = budgetLimiter(memoryLimits(), BUDGETS, undefined, () =>
    Math.floor((BEGIN + phase + time) * 1000),
  )
  let asked = 0

  /** Charges the visit before it is worked for. @returns seconds to wait; 0: it was charged. */
  async function waitOf(hash: string): Promise<number> {
    const [jti, sitekey] = [String(++asked) as never, 'hv_site_simulated' as Sitekey]
    const charge = { jti, sitekey, until: later(now(), TEN_MINUTES), cost: 2, extraBudgets: [] }
    return limiter.visit(hash, charge).then(
      () => 0,
      (fault: Fault) => fault.retryAfter!,
    )
  }
  return {
    at(to: number): void {
      time = to
    },
    /** @returns the units that are asked for, or the seconds to wait. */
    async ask(hash: string): Promise<{ units?: number; wait: number }> {
      const wait = await waitOf(hash)
      if (wait > 0) return { wait }
      const near = await known.near(hash as never, now())
      return { units: unitsAtLevel(levelOf(work, near, { recent: 0, usual: 0 })), wait }
    },
    /** @returns whether it is accepted; else a new challenge has to be asked for. */
    async solve(hash: string, units: number): Promise<boolean> {
      const siteAction = { sitekey: 'hv_site_simulated' as Sitekey, action: undefined }
      const near = await known.solved(hash, { siteAction, units, partOf: 0 }, now())
      return !isOutpaced({ a: 's32.1', s: 1024, n: units, b: 4000 }, work, near)
    },
  }
}

/** Seconds: a script asks as it works, takes all it gets at once, or collects for minutes before it begins to work. */
const works = { holds: 2, worksFrom: 0 }
const first = { holds: Infinity, worksFrom: 0 }
const hoards = { holds: Infinity, worksFrom: 240 }

type Held = Readonly<{ hash: string; units: number; until: number }>

/** A script that works on the cheapest challenge first, and drops those of no more work than one that was refused. */
async function flatOut(source: Source, script: typeof works, phase: number) {
  const service = serviceOf(phase)
  const threads = Array.from({ length: Math.ceil(CORES) }, () => ({
    free: 0,
    does: undefined as Held | undefined,
  }))
  let held: Held[] = []
  let [asked, accepted, cpu] = [0, 0, 0]
  async function finish({ hash, units }: Held): Promise<void> {
    if (await service.solve(hash, units)) accepted++
    else held = held.filter((each) => each.units > units)
    cpu += units * UNIT + REST
  }
  for (let time = 0; time < TEN_MINUTES; time += STEP) {
    service.at(time)
    while (held.length < script.holds) {
      const hash = hashOf(source, asked)
      const { units } = await service.ask(hash)
      if (units === undefined) break
      asked++
      held.push({ hash, units, until: time + LIFE })
    }
    held = held.filter(({ until }) => until > time).sort((one, other) => one.units - other.units)
    for (const thread of threads)
      while (thread.free <= time) {
        if (thread.does) await finish(thread.does)
        thread.does = time < script.worksFrom ? undefined : held.shift()
        if (!thread.does) break
        const takes = ((thread.does.units * UNIT + REST) * threads.length) / CORES
        thread.free = Math.max(thread.free, time - STEP) + takes
      }
  }
  return { accepted, cpuSecondsForThousand: (cpu / accepted) * 1000 }
}

test.each([
  { from: 'one address', source: address, scripts: [works, first, hoards], most: 240, price: 2500 },
  { from: 'a /56', source: home, scripts: [works, first], most: 450, price: 2000 },
  // Each address has three visits at the ordinary price, as people have; where two buckets meet, six.
  { from: 'a /24', source: block, scripts: [works, first], most: 2100, price: 480 },
  { from: 'a /48', source: prefix, scripts: [works, first], most: 2100, price: 480 },
  {
    from: 'a /24, where it hoards challenges first',
    source: block,
    scripts: [hoards],
    most: 2000,
    price: 350,
  },
])(
  'a script flat out for ten minutes pays $price CPU seconds for 1,000 tokens of $from',
  async (row) => {
    for (const script of row.scripts)
      for (const phase of PHASES) {
        const { accepted, cpuSecondsForThousand } = await flatOut(row.source, script, phase)
        expect(accepted).toBeLessThanOrEqual(row.most)
        expect(cpuSecondsForThousand).toBeGreaterThanOrEqual(row.price)
      }
  },
)

type Visit = Readonly<{ at: number; person: number; waited: number; units?: number }>

/** Seconds that each of those waits who come once, at these seconds, for the work of their device or for their turn. */
async function waitsOf(
  source: Source,
  arrivals: readonly number[],
  device: (person: number) => number,
  phase: number,
) {
  const service = serviceOf(phase)
  const waits: number[] = []
  const events: Visit[] = arrivals.map((at, person) => ({ at, person, waited: 0 }))
  while (events.length > 0) {
    const { at, person, waited, units: done } = events.shift()!
    service.at(at)
    const hash = hashOf(source, person)
    if (done !== undefined && (await service.solve(hash, done))) {
      waits.push(waited)
      continue
    }
    const { units, wait } = await service.ask(hash)
    const takes = units === undefined ? wait : (units * device(person)) / 1e6
    // Who has to work again has filled in the form already.
    const form = units === undefined || done !== undefined ? 0 : FORM
    const next = { at: at + form + takes, person, waited: waited + takes, ...(units && { units }) }
    const place = events.findIndex((each) => each.at > next.at)
    events.splice(place < 0 ? events.length : place, 0, next)
  }
  return waits.sort((one, other) => one - other)
}
/** Evenly spread moments, in seconds. */
const evenly = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / count)
const SCHOOL_BELL = [...evenly(40, 0, 60), ...evenly(80, 60, TEN_MINUTES)]
/** Microseconds of a unit, all workers together: the school's devices, and a carrier's telephones. */
function school(person: number): number {
  if (person % 20 === 19) return 76
  return person % 4 === 0 ? 12.5 : 5
}
function carrier(person: number): number {
  if (person % 10 === 9) return 76
  return person % 2 === 1 ? 20 : 12.5
}

/** The units that somebody else in the network is asked for after so many visits, one each few seconds. */
async function elsewhereAfter(source: Source, visits: number, everySeconds: number) {
  const service = serviceOf(0)
  const stranger = hashOf({ ...source, addresses: 1e6, subnets: 1e6 }, 999_999)
  for (let i = 0; i < visits; i++) {
    service.at(i * everySeconds)
    const hash = hashOf(source, i)
    const { units } = await service.ask(hash)
    if (units !== undefined) await service.solve(hash, units)
  }
  return (await service.ask(stranger)).units
}

const ORDINARY = unitsAtLevel(work.level)
test.each([
  { who: 'one /56', source: home, visits: 1200, every: 0.5 },
  { who: '13 addresses of a /24', source: { ...block, addresses: 13 }, visits: 600, every: 1 },
  { who: 'a /24 of 254 people who come twice', source: block, visits: 508, every: 1.1 },
  { who: 'a /48 of 256 people who come twice', source: prefix, visits: 512, every: 1.1 },
])('$who raise nobody else’s work', async ({ source, visits, every }) => {
  expect(await elsewhereAfter(source, visits, every)).toBe(ORDINARY)
})

test.each([
  { who: 'a /56', source: home, visits: 100 },
  { who: 'a /24', source: block, visits: 1000 },
])('$who whose addresses are all busy rises', async ({ source, visits }) => {
  const service = serviceOf(0)
  for (let i = 0; i < visits; i++) await service.solve(hashOf(source, i), ORDINARY)
  expect((await service.ask(hashOf(source, 0))).units).toBeGreaterThan(8 * ORDINARY)
})

test.each([
  {
    who: 'an office of 20 that begins work',
    at: evenly(20, 0, 60),
    device: school,
    half: 0.1,
    last: 1.5,
    over: 0,
  },
  {
    who: 'a class of 40 in one minute',
    at: evenly(40, 0, 60),
    device: school,
    half: 0.2,
    last: 3,
    over: 0,
  },
  { who: 'a school', at: SCHOOL_BELL, device: school, half: 2, last: 45, over: 0.2 },
  { who: 'a family', at: evenly(5, 0, 600), device: carrier, half: 0.4, last: 1.5, over: 0 },
  {
    who: 'a campus',
    source: block,
    at: evenly(500, 0, 600),
    device: school,
    half: 0.2,
    last: 1.5,
    over: 0,
  },
  {
    who: 'a carrier’s /24',
    source: block,
    at: evenly(6000, 0, 7200),
    device: carrier,
    half: 0.4,
    last: 1.5,
    over: 0,
  },
])(
  'people in $who wait no longer than the limits',
  async ({ source = address, at, device, half, last, over }) => {
    for (const phase of PHASES) {
      const waits = await waitsOf(source, at, device, phase)
      expect(waits).toHaveLength(at.length)
      expect(waits[Math.floor(waits.length / 2)]).toBeLessThanOrEqual(half)
      expect(waits.at(-1)).toBeLessThanOrEqual(last)
      expect(waits.filter((wait) => wait > 5).length / waits.length).toBeLessThanOrEqual(over)
    }
  },
)
