import { perfectHeaders, submit, tokenOverHttp } from '../bots/http.mjs'
import mouse from './mouse.mjs'

export default {
  name: 'plain HTTP, a person’s summary',
  kind: 'bot',
  isBrowser: false,
  what: 'no browser, a browser’s headers to the letter: replays what a simulated person’s browser told a minute ago',
  screen: true,
  async visit(stage) {
    const { signals } = await stage.another(mouse, 'a summary')
    await submit(stage, await tokenOverHttp(stage, { signals, headers: perfectHeaders(stage), patience: 2000 }))
  },
}
