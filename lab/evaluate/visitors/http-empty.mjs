import { submit, tokenOverHttp } from '../bots/http.mjs'

export default {
  name: 'plain HTTP, nothing to show',
  kind: 'bot',
  isBrowser: false,
  what: 'no browser: does the work honestly, sends an empty summary',
  async visit(stage) {
    await submit(stage, await tokenOverHttp(stage, { signals: {} }))
  },
}
