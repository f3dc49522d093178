import { openFirefox } from '../browsers/firefox.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'Firefox, privacy settings',
  kind: 'person',
  what: 'Firefox ESR with resistFingerprinting (coarse clocks, spoofed screen and system), strict tracking protection, no WebGL',
  screen: true,
  needs: ['firefox-esr'],
  async visit(stage) {
    const preferences = {
      'privacy.resistFingerprinting': true,
      'privacy.trackingprotection.enabled': true,
      'browser.contentblocking.category': 'strict',
      'privacy.donottrackheader.enabled': true,
      'privacy.globalprivacycontrol.enabled': true,
      'webgl.disabled': true,
      'media.peerconnection.enabled': false,
      'privacy.firstparty.isolate': true,
    }
    const browser = openFirefox(stage.display, stage.url, { preferences })
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands({ believes: false }))
  },
}
