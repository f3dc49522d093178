import { openWithDebugger } from '../bots/cdp.mjs'
import { cdpHands } from '../bots/cdp-hands.mjs'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByCdp } from '../bots/fill-by-cdp.mjs'

export default {
  name: 'DevTools protocol, human-like',
  kind: 'bot',
  what: 'a window, no driver and no domain enabled; recorded paths and rhythms through Input.dispatchMouseEvent and dispatchKeyEvent',
  screen: true,
  async visit(stage) {
    const send = await openWithDebugger(stage, WINDOW)
    await send('Page.navigate', { url: stage.url })
    await fillByCdp(stage, cdpHands(send, stage.person(), stage.dice))
  },
}
