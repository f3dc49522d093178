import { openWithDebugger } from '../bots/cdp.mjs'
import { cdpHands } from '../bots/cdp-hands.mjs'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByCdp } from '../bots/fill-by-cdp.mjs'
import { inventedPerson } from '../bots/invented-person.mjs'
import { pose, WINDOWS } from '../bots/pose.mjs'

export default {
  name: 'DevTools protocol, posing as Windows',
  kind: 'bot',
  what: 'a window; agent, client hints and platform of Windows; invented hands that never wait for an answer, so that their moves are bundled as a device’s',
  screen: true,
  async visit(stage) {
    const send = await openWithDebugger(stage, WINDOW)
    await pose(send, WINDOWS)
    await send('Page.navigate', { url: stage.url })
    const at = async (method, parameters) => void send(method, parameters).catch(() => {})
    await fillByCdp(stage, cdpHands(at, inventedPerson(stage.dice), stage.dice))
  },
}
