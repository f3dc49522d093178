import { ADDRESSES } from '../addresses.mjs'
import { campaign } from '../campaign.mjs'
import { mouseUser } from '../forge.mjs'
import { chrome, firefox } from '../wire.mjs'

const VISITS = 20
/** Invented: a minute of filling that nobody waited for. */
const MINUTE = 60_000
const homes = () => ADDRESSES.networks(VISITS)
const elsewhere = (number) => `99.${number}.3.4`

const relay = (name, what, attempt) => ({
  name,
  what,
  isQuick: true,
  run: (stage) => campaign(stage, { addresses: homes(), visits: VISITS, attempt: (_, number) => attempt(number) }),
})

export const RELAYS = [
  relay(
    'relay',
    'challenge asked as Firefox at one address, solved at once as Chrome at another, a minute of filling claimed',
    (number) => ({
      headers: firefox,
      solveAs: chrome,
      solveAt: elsewhere(number),
      summary: mouseUser,
      patience: 0,
      claims: MINUTE,
    }),
  ),
  relay('relay, one browser', 'asked at one address, solved at another as the same browser after 8 s', (number) => ({
    solveAt: elsewhere(number),
    summary: mouseUser,
    patience: 8000,
  })),
  relay('invented minutes', 'one address, one browser, a minute of filling claimed at once', () => ({
    summary: mouseUser,
    patience: 0,
    claims: MINUTE,
  })),
]
