import { ADDRESSES } from '../addresses.mjs'
import { campaign } from '../campaign.mjs'
import { mouseUser, replayed } from '../forge.mjs'

const VISITS = 60
const PATIENCE = 6000

/** One summary, used again and again; the work is done anew, and the proof answered. */
const replay = (name, what, addresses, change, more) => ({
  name: `replay ${name}`,
  what,
  ...more,
  run(stage) {
    const recording = mouseUser({ n: 18_432 }, PATIENCE)
    const attempt = () => ({ summary: () => change(recording), patience: PATIENCE })
    return campaign(stage, { addresses: addresses(), visits: VISITS, attempt })
  },
})

const networks = () => ADDRESSES.networks(1000)
const whole = (noise, place, addresses) =>
  replay(
    `${noise === 0 ? 'exact' : `${noise * 100} %`}, ${place}`,
    `one recording ${noise === 0 ? 'as it is' : `with ${noise * 100} % noise`}, ${place === 'one /24' ? 'from one /24' : 'each visit from another network'}`,
    addresses,
    (recording) => replayed(recording, noise),
    { isQuick: noise === 0.02 && place === 'many networks' },
  )

const few = ({ input: { trusted, keys, presses }, page: { visible, focused } }) => ({
  three: { input: { trusted }, page: { visible, focused } },
  five: { input: { trusted, keys, presses }, page: { visible, focused } },
})

export const REPLAYS = [
  ...[0, 0.02, 0.05, 0.15].map((noise) => whole(noise, 'one /24', ADDRESSES.oneBlock)),
  ...[0, 0.02, 0.05, 0.15].map((noise) => whole(noise, 'many networks', networks)),
  ...['three', 'five'].map((count) =>
    replay(
      `cut to ${count} numbers`,
      `${count} numbers of one recording as they are, nothing else; each visit from another network`,
      networks,
      (recording) => few(recording)[count],
      { isQuick: count === 'three' },
    ),
  ),
]
