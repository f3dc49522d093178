/** Chromium by its debugging protocol alone. */
import { cdpFinger, cdpHands, fillByCdp, openWithDebugger } from '../bots/cdp.mjs'
import { DRIVEN, WINDOW } from '../bots/chromium.mjs'
import { handOf } from '../hands/hand.mjs'
import { fillInTurn } from '../person/fill.mjs'

/** Commands whose answer nobody waits for, so that moves are bundled as a device's. */
const unanswered = (send) => async (method, parameters) =>
  void send(method, parameters).catch(() => {})

const brands = (version) => [
  { brand: 'Chromium', version },
  { brand: 'Google Chrome', version },
  { brand: 'Not/A)Brand', version: '24' },
]

/** Poses as stealth guides advise, client hints included: by the system of the agent string, the platform of the navigator and the name in the client hints. */
async function pose(send, { system, platform, name, mobile = false }) {
  const { product } = await send('Browser.getVersion', {})
  const [major] = product.split('/')[1].split('.')
  await send('Emulation.setUserAgentOverride', {
    userAgent: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 ${mobile ? 'Mobile ' : ''}Safari/537.36`,
    acceptLanguage: 'en-GB,en',
    platform,
    userAgentMetadata: {
      brands: brands(major),
      fullVersionList: brands(`${major}.0.0.0`),
      platform: name,
      platformVersion: mobile ? '16.0.0' : '15.0.0',
      architecture: mobile ? '' : 'x86',
      model: mobile ? 'Pixel 9' : '',
      mobile,
    },
  })
}

const WINDOWS = { system: 'Windows NT 10.0; Win64; x64', platform: 'Win32', name: 'Windows' }
const PHONE = {
  system: 'Linux; Android 10; K',
  platform: 'Linux armv81',
  name: 'Android',
  mobile: true,
}
const PHONE_SIZE = {
  width: 412,
  height: 915,
  screenWidth: 412,
  screenHeight: 915,
  deviceScaleFactor: 2.625,
  mobile: true,
}

export default [
  {
    name: 'DevTools protocol, human-like',
    what: 'a window, no driver and no domain enabled; recorded paths and rhythms through Input.dispatchMouseEvent and dispatchKeyEvent',
    async visit(stage) {
      const send = await openWithDebugger(stage, WINDOW)
      await send('Page.navigate', { url: stage.url })
      await fillByCdp(stage, cdpHands(send, stage.person(), stage.dice))
    },
  },
  {
    name: 'DevTools protocol, insertText',
    what: 'a window, no driver and no domain enabled; each field gets the focus by script and its text by Input.insertText, box and button are clicked without a way',
    async visit(stage) {
      const send = await openWithDebugger(stage, WINDOW)
      await send('Page.navigate', { url: stage.url })
      const press = (type, at) =>
        send('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1, force: 0.5 })
      await stage.customer.layout()
      await fillInTurn(stage, {
        enter: (id) =>
          send('Runtime.evaluate', { expression: `document.getElementById('${id}').focus()` }),
        type: (text) => send('Input.insertText', { text }),
        async click(id) {
          const [left, top, width, height] = (await stage.customer.layout()).places[id]
          const at = { x: left + width / 2, y: top + height / 2 }
          await press('mousePressed', at)
          await press('mouseReleased', at)
        },
      })
    },
  },
  {
    name: 'DevTools protocol, without a window',
    screen: false,
    what: 'headless, with a screen of an ordinary size; agent, client hints and platform of Windows; recorded paths and rhythms, no answer waited for',
    async visit(stage) {
      const size = ['--window-size=1340,960', '--screen-info={1920x1080}']
      const send = await openWithDebugger(stage, [...DRIVEN, '--headless=new', ...size])
      await pose(send, WINDOWS)
      await send('Page.navigate', { url: stage.url })
      await fillByCdp(stage, cdpHands(unanswered(send), stage.person(), stage.dice))
    },
  },
  {
    name: 'DevTools protocol, posing as Windows',
    what: 'a window; agent, client hints and platform of Windows; invented hands that never wait for an answer, so that their moves are bundled as a device’s',
    async visit(stage) {
      const send = await openWithDebugger(stage, WINDOW)
      await pose(send, WINDOWS)
      await send('Page.navigate', { url: stage.url })
      await fillByCdp(
        stage,
        cdpHands(unanswered(send), handOf(`robot ${stage.dice.next()}`), stage.dice),
      )
    },
  },
  {
    name: 'DevTools protocol, posing as a phone',
    what: 'agent, client hints, screen and touch of an Android phone; taps by Input.dispatchTouchEvent, a recorded rhythm of keys',
    async visit(stage) {
      const send = await openWithDebugger(stage, WINDOW)
      await pose(send, PHONE)
      await send('Emulation.setDeviceMetricsOverride', PHONE_SIZE)
      await send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
      await send('Page.navigate', { url: stage.url })
      await fillByCdp(stage, cdpFinger(send, stage.person(), stage.dice))
    },
  },
].map((bot) => ({ kind: 'bot', screen: true, ...bot }))
