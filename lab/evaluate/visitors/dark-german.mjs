import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'dark, German',
  kind: 'person',
  what: 'Chromium in dark colours and German, in another time zone, with a mouse of 500 Hz',
  screen: true,
  address: 'school',
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url, {
      args: ['--force-dark-mode', '--lang=de'],
      env: { LANG: 'de_DE.UTF-8', LANGUAGE: 'de', TZ: 'America/Lima' },
    })
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands({ every: 2 }))
  },
}
