import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'privacy settings',
  kind: 'person',
  what: 'Chromium without canvas reading, WebGL, WebRTC, storage quota or referrers, and in a private window',
  screen: true,
  async visit(stage) {
    const args = [
      '--incognito',
      '--disable-reading-from-canvas',
      '--disable-3d-apis',
      '--no-referrers',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--disable-features=UserAgentClientHint',
    ]
    const browser = openChromium(stage.display, stage.url, { args })
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands())
  },
}
