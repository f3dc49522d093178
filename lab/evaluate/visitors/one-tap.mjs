import { openChromium } from '../browsers/chromium.mjs'
import { finger } from '../person/finger.mjs'

const onVote = ({ path }) => path === '/vote'

export default {
  name: 'one tap',
  kind: 'person',
  what: 'Chromium on a touch screen; a form of one button, which is tapped once, with nothing to type or to choose',
  screen: 'touch',
  async visit(stage) {
    const { customer, dice, display } = stage
    const args = ['--window-size=1280,756', '--window-position=0,0']
    const browser = openChromium(display, new URL('/vote', stage.url).href, { args })
    stage.defer(browser.close)
    await customer.layout(onVote)
    await stage.hands().rest(1500, 4000)
    await finger(display, stage.person(), { dice, customer }).tap('send', onVote)
    await customer.form()
  },
}
