import { openWithDebugger } from '../bots/cdp.mjs'
import { cdpFinger } from '../bots/cdp-finger.mjs'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByCdp } from '../bots/fill-by-cdp.mjs'
import { PHONE, pose } from '../bots/pose.mjs'

export default {
  name: 'DevTools protocol, posing as a phone',
  kind: 'bot',
  what: 'agent, client hints, screen and touch of an Android phone; taps by Input.dispatchTouchEvent, a recorded rhythm of keys',
  screen: true,
  async visit(stage) {
    const send = await openWithDebugger(stage, WINDOW)
    await pose(send, PHONE)
    const size = {
      width: 412,
      height: 915,
      screenWidth: 412,
      screenHeight: 915,
      deviceScaleFactor: 2.625,
      mobile: true,
    }
    await send('Emulation.setDeviceMetricsOverride', size)
    await send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
    await send('Page.navigate', { url: stage.url })
    await fillByCdp(stage, cdpFinger(send, stage.person(), stage.dice))
  },
}
