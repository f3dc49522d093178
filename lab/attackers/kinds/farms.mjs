import { ADDRESSES, campaign } from '../campaign.mjs'
import { SILENT_THRESHOLD } from '../../stand/service.mjs'
import { mouseUser } from '../forge.mjs'

/** Milliseconds from challenge to solve: enough for the few keys that the summary claims, and waiting is free. */
const FORGED = { summary: mouseUser, patience: 5000 }
/** Bounds of a run. The short form is bounded by visits, so that it asks the same of a slow machine. */
const TEN_MINUTES = 600
const LIMIT_MS = { short: 180_000, full: 600_000 }

const thousand = () => ADDRESSES.networks(1000)
const PART = { share: 1 / 4 }

/** All that a source gets, and the same for a quarter of the work; `few`: visits of the short run. */
const flatOut = (name, whose, addresses, few) => {
  const source = { addresses, visits: [few, Infinity] }
  const part = {
    name: `${name}, part`,
    what: `${whose} flat out, a quarter of the work`,
    change: () => PART,
    lanes: 48,
  }
  return [
    { ...source, name, what: `${whose} flat out, all the work` },
    { ...source, ...part },
  ]
}
/** A rate as somebody sets it who has read where the work begins to rise: the visits come at once, and then none. */
const atRate = (name, whose, addresses, { count, how = '' }) => ({
  name,
  what: `${whose} in ten minutes${how}`,
  addresses,
  visits: [count, count],
  standsFor: TEN_MINUTES,
})

/**
 * The forger whose answers are right, by the addresses that it has and the share of the work that it does.
 * `visits`: of the short and of the full run; `change`: of a visit, by its number; `standsFor`: seconds that the visits are for;
 * `isQuick`: part of CI's run.
 */
const TABLE = [
  {
    name: 'no-proof',
    what: 'headers of Chrome and a forged summary, no answer to the proof',
    addresses: thousand,
    visits: [12, 12],
    change: () => ({ proof: 'absent' }),
    isQuick: true,
  },
  {
    name: 'no-summary',
    what: 'headers of Chrome and right answers, no summary',
    addresses: thousand,
    visits: [12, 12],
    change: () => ({ summary: () => ({}) }),
    isQuick: true,
  },
  {
    name: 'untouched',
    what: 'a page that asks for a token without a touch, with a threshold of 0.33: focus and visibility claimed, right answers, all the work; each visit from another network',
    addresses: thousand,
    visits: [30, 200],
    policy: { score_threshold: SILENT_THRESHOLD },
    change: () => ({ summary: () => ({ page: { visible: 1, focused: 1 } }) }),
  },
  {
    name: 'thousand-addresses',
    what: 'forged summary, right answers, all the work; each visit from another network',
    addresses: thousand,
    visits: [60, 1000],
    isQuick: true,
  },
  {
    name: 'thousand-addresses, part',
    what: 'a quarter of the work; each visit from another network',
    addresses: thousand,
    visits: [200, 1000],
    change: () => PART,
    lanes: 100,
    isQuick: true,
  },
  {
    name: 'thousand-addresses, mixed',
    what: 'a quarter of the work in each tenth visit, all of it in the others; each from another network',
    addresses: thousand,
    visits: [60, 1000],
    change: (number) => (number % 10 === 9 ? PART : {}),
  },
  {
    name: 'thousand-addresses, fallback',
    what: 'the work of browsers without a JIT; each visit from another network',
    addresses: thousand,
    visits: [40, 200],
    change: () => ({ algorithm: 'pb.1' }),
  },
  ...flatOut('one-address', 'one IPv4 address', () => ADDRESSES.one(24), 100),
  ...flatOut('one-/24', 'all addresses of one /24', ADDRESSES.oneBlock, 250),
  ...flatOut('one-/48', '4,096 /64 of one IPv6 /48', ADDRESSES.one48, 250),
  {
    ...atRate(
      'one-address, ordinary rate',
      'one IPv4 address, 20 visits',
      () => ADDRESSES.one(20),
      { count: 20 },
    ),
    isQuick: true,
  },
  atRate('one-address, thrice the rate', 'one IPv4 address, 60 visits', () => ADDRESSES.one(20), {
    count: 60,
  }),
  atRate('one-/24, ordinary rate', 'one /24, 100 visits', ADDRESSES.oneBlock, {
    count: 100,
    how: ', each from another address',
  }),
  atRate('one-/48, ordinary rate', 'one /48, 100 visits', ADDRESSES.one48, {
    count: 100,
    how: ', each from another /64',
  }),
]

export const FARMS = TABLE.map(
  ({ addresses, visits: [few, many], change = () => ({}), lanes, ...about }) => ({
    ...about,
    run: (stage, short) =>
      campaign(stage, {
        addresses: addresses(),
        visits: short ? few : many,
        ms: short && !about.standsFor ? LIMIT_MS.short : LIMIT_MS.full,
        lanes,
        attempt: (_, number) => ({ ...FORGED, ...change(number) }),
      }),
  }),
)
