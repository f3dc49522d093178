import { ADDRESSES } from '../addresses.mjs'
import { campaign } from '../campaign.mjs'
import { mouseUser, replayed } from '../forge.mjs'

const VISITS = 60
const PATIENCE = 6000

/** One recorded summary, used again and again; the work is done anew, and the proof answered. */
const replay = (noise, place, addresses) => ({
  name: `replay ${noise === 0 ? 'exact' : `${noise * 100} %`}, ${place}`,
  what: `one recording ${noise === 0 ? 'as it is' : `with ${noise * 100} % noise`}, ${place === 'one /24' ? 'from one /24' : 'each visit from another network'}`,
  isQuick: noise === 0.02 && place === 'many networks',
  run(stage) {
    const recording = mouseUser({ n: 18_432 }, PATIENCE)
    const summary = (work) => ({ ...replayed(recording, noise), work: mouseUser(work, PATIENCE).work })
    return campaign(stage, { addresses: addresses(), visits: VISITS, attempt: () => ({ summary, patience: PATIENCE }) })
  },
})

export const REPLAYS = [
  ...[0, 0.02, 0.05, 0.15].map((noise) => replay(noise, 'one /24', ADDRESSES.oneBlock)),
  ...[0, 0.02, 0.05, 0.15].map((noise) => replay(noise, 'many networks', () => ADDRESSES.networks(1000))),
]
