import { inAProcess } from '../bots/in-a-process.mjs'

export default {
  name: 'happy-dom',
  kind: 'bot',
  isBrowser: false,
  what: 'the page and its scripts in happy-dom',
  visit: (stage) => inAProcess(stage, 'happy-dom.mjs'),
}
