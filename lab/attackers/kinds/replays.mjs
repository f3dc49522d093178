import { ADDRESSES } from '../addresses.mjs'
import { campaign } from '../campaign.mjs'
import { mouseUser, replayed } from '../forge.mjs'

const VISITS = 60
const PATIENCE = 6000

/** One summary, used again and again; the work is done anew, and the proof answered. */
const replay = (name, what, addresses, change, { share, ...more } = {}) => ({
  name: `replay ${name}`,
  what,
  ...more,
  run(stage) {
    const recording = mouseUser({ n: 18_432 }, PATIENCE)
    const attempt = () => ({ summary: () => change(recording), patience: PATIENCE, ...(share && { share }) })
    return campaign(stage, { addresses: addresses(), visits: VISITS, attempt })
  },
})

const networks = () => ADDRESSES.networks(1000)
const three = ({ input: { trusted }, page: { visible, focused } }) => ({
  input: { trusted },
  page: { visible, focused },
})
const CUT = 'three numbers of one recording as they are, nothing else; each visit from another network'

export const REPLAYS = [
  replay('exact', 'one recording as it is; each visit from another network', networks, (recording) => recording),
  replay(
    '2 %, many networks',
    'one recording with 2 % noise, each visit from another network',
    networks,
    (recording) => replayed(recording, 0.02),
    { isQuick: true },
  ),
  replay('cut to three numbers', CUT, networks, three, { isQuick: true }),
  replay('cut to three numbers, part', `${CUT}; a quarter of the work`, networks, three, { share: 1 / 4 }),
]
