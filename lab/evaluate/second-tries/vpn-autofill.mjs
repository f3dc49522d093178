import autofill from '../visitors/autofill.mjs'
import { badNeighbours } from './neighbours.mjs'
import { pressByMouse } from './press.mjs'

export default {
  name: 'VPN, autofill',
  kind: 'person',
  what: 'Chromium behind the exit of a VPN that the operator’s lists name as such and as abused, and through which a program has just made a dozen visits; name and email from the browser’s own suggestions',
  screen: true,
  address: 'vpn',
  async visit(stage) {
    await badNeighbours(stage)
    await autofill.visit({ ...stage, customer: { ...stage.customer, form: () => undefined } })
    await pressByMouse(stage, stage.hands())
  },
}
