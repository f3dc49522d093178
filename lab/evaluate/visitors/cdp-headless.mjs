import { openWithDebugger } from '../bots/cdp.mjs'
import { cdpHands } from '../bots/cdp-hands.mjs'
import { DRIVEN } from '../bots/chromium.mjs'
import { fillByCdp } from '../bots/fill-by-cdp.mjs'
import { pose, WINDOWS } from '../bots/pose.mjs'

export default {
  name: 'DevTools protocol, without a window',
  kind: 'bot',
  what: 'headless, with a screen of an ordinary size; agent, client hints and platform of Windows; recorded paths and rhythms, no answer waited for',
  async visit(stage) {
    const send = await openWithDebugger(stage, [
      ...DRIVEN,
      '--headless=new',
      '--window-size=1340,960',
      '--screen-info={1920x1080}',
    ])
    await pose(send, WINDOWS)
    await send('Page.navigate', { url: stage.url })
    const at = async (method, parameters) => void send(method, parameters).catch(() => {})
    await fillByCdp(stage, cdpHands(at, stage.person(), stage.dice))
  },
}
