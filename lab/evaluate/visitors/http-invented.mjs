import { invented } from '../bots/invented.mjs'
import { perfectHeaders, submit, tokenOverHttp } from '../bots/http.mjs'
import mouse from './mouse.mjs'

export default {
  name: 'plain HTTP, made up',
  kind: 'bot',
  isBrowser: false,
  what: 'no browser, a browser’s headers: a person’s summary with every number shaken, so that none comes twice',
  screen: true,
  async visit(stage) {
    const { signals } = await stage.another(mouse, 'a summary')
    const summary = invented(signals, stage.dice)
    await submit(
      stage,
      await tokenOverHttp(stage, { signals: summary, headers: perfectHeaders(stage), patience: 5000 }),
    )
  },
}
