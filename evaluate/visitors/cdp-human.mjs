import { openWithDebugger } from '../bots/cdp.mjs'
import { cdpHands } from '../bots/cdp-hands.mjs'
import { WINDOW } from '../bots/chromium.mjs'

export default {
  name: 'DevTools protocol, human-like',
  kind: 'bot',
  what: 'a window, no driver and no domain enabled; recorded paths and rhythms through Input.dispatchMouseEvent and dispatchKeyEvent',
  screen: true,
  async visit(stage) {
    const { customer, who } = stage
    const send = await openWithDebugger(stage, WINDOW)
    const hands = cdpHands(send, stage.person(), stage.dice)
    await send('Page.navigate', { url: stage.url })
    const box = async (id) => {
      const { places } = await customer.layout()
      const [left, top, width, height] = places[id]
      return { left, top, width, height }
    }
    await customer.layout()
    await hands.rest(900, 2000)
    for (const id of ['name', 'email', 'comment']) {
      await hands.click(await box(id))
      await hands.rest(250, 700)
      await hands.type(who[id])
      await hands.rest(300, 900)
    }
    await hands.click(await box('terms'))
    await hands.rest(200, 500)
    await hands.click(await box('send'))
    await customer.form()
  },
}
