import { driveWebkit } from '../bots/web-driver.mjs'

export default {
  name: 'WebKit by WebDriver',
  kind: 'bot',
  what: 'WebKitGTK in MiniBrowser, driven by WebKitWebDriver; a window on a display',
  screen: true,
  needs: ['WebKitWebDriver'],
  async visit(stage) {
    const { open, click, type } = await driveWebkit(stage)
    await open(stage.url)
    for (const id of ['name', 'email', 'comment']) {
      await click(`#${id}`)
      await type(`#${id}`, stage.who[id])
    }
    await click('#terms')
    await click('#send')
    await stage.customer.form()
  },
}
