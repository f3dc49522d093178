import { ADDRESSES, campaign } from '../campaign.mjs'
import { mouseUser, replayed } from '../forge.mjs'
import { chrome, firefox } from '../wire.mjs'

const VISITS = 60
const PATIENCE = 6000

/** One summary, used again and again; the work is done anew, and the proof answered. */
const replay = (name, what, addresses, { change, share, ...more }) => ({
  name: `replay ${name}`,
  what,
  ...more,
  run(stage) {
    const recording = mouseUser({ n: 18_432 }, PATIENCE)
    const attempt = () => ({
      summary: () => change(recording),
      patience: PATIENCE,
      ...(share && { share }),
    })
    return campaign(stage, { addresses: addresses(), visits: VISITS, attempt })
  },
})

const networks = () => ADDRESSES.networks(1000)
const three = ({ input: { trusted }, page: { visible, focused } }) => ({
  input: { trusted },
  page: { visible, focused },
})
const CUT =
  'three numbers of one recording as they are, nothing else; each visit from another network'

export const REPLAYS = [
  replay('exact', 'one recording as it is; each visit from another network', networks, {
    change: (recording) => recording,
  }),
  replay(
    '2 %, many networks',
    'one recording with 2 % noise, each visit from another network',
    networks,
    { change: (recording) => replayed(recording, 0.02), isQuick: true },
  ),
  replay('cut to three numbers', CUT, networks, {
    change: three,
    isQuick: true,
  }),
  replay('cut to three numbers, part', `${CUT}; a quarter of the work`, networks, {
    change: three,
    share: 1 / 4,
  }),
]

/** Milliseconds at the form that the hands are invented for, and nobody waited for. */
const MINUTE = 60_000
const elsewhere = (number) => `99.${number}.3.4`

const relay = (name, what, attempt) => ({
  name,
  what,
  isQuick: true,
  run: (stage) =>
    campaign(stage, {
      addresses: ADDRESSES.networks(20),
      visits: 20,
      attempt: (_, number) => attempt(number),
    }),
})

export const RELAYS = [
  relay(
    'relay',
    'challenge asked as Firefox at one address, solved at once as Chrome at another, with the hands of a minute',
    (number) => ({
      headers: firefox,
      solveAs: chrome,
      solveAt: elsewhere(number),
      summary: mouseUser,
      patience: 0,
      claims: MINUTE,
    }),
  ),
  relay(
    'relay, one browser',
    'asked at one address, solved at another as the same browser after 8 s',
    (number) => ({
      solveAt: elsewhere(number),
      summary: mouseUser,
      patience: 8000,
    }),
  ),
  relay(
    'invented minutes',
    'one address, one browser, solved at once with the hands of a minute',
    () => ({
      summary: mouseUser,
      patience: 0,
      claims: MINUTE,
    }),
  ),
]
