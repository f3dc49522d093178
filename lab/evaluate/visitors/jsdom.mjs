import { inAProcess } from '../bots/in-a-process.mjs'

export default {
  name: 'jsdom',
  kind: 'bot',
  isBrowser: false,
  what: 'the page and its scripts in jsdom, with a browser’s headers, fetch, crypto and observers put in by hand',
  visit: (stage) => inAProcess(stage, 'jsdom.mjs'),
}
