import { perfectHeaders, submit, tokenOverHttp } from '../bots/http.mjs'
import mouse from './mouse.mjs'

export default {
  name: 'plain HTTP, one summary 20 times',
  kind: 'bot',
  isBrowser: false,
  what: 'a person’s summary replayed for 20 tokens, each from an address of its own',
  screen: true,
  async visit(stage) {
    const { signals } = await stage.another(mouse)
    let token
    for (let i = 0; i < 20; i++) {
      const address = `${60 + stage.run}.${(stage.dice.next() * 200) | 0}.${i}.7`
      token = await tokenOverHttp(stage, { signals, headers: perfectHeaders(stage), address })
    }
    await submit(stage, token)
  },
}
