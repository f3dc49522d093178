/** Programs without a browser: plain HTTP, and simulators of a page. */
import { join } from 'node:path'
import { invented, perfectHeaders, submit, tokenOverHttp } from '../bots/http.mjs'
import { startAsVisitor } from '../screen/account.mjs'
import people from './people.mjs'

/** Whose summary is replayed. */
const MOUSE = people.find(({ name }) => name === 'mouse')

/** Runs a bot of lab/evaluate/bots in a process of its own, as nobody: what it loads is made to run foreign scripts. */
async function inAProcess(stage, file) {
  const program = [join(import.meta.dirname, '../bots', file), stage.url, JSON.stringify(stage.who)]
  const simulator = startAsVisitor(stage, process.execPath, program)
  const form = stage.customer.form(45_000)
  const ended = simulator.gone.then(() => {
    throw new Error(`ended without a form: ${simulator.said().trim().split('\n').at(-1) ?? ''}`)
  })
  await Promise.race([form, ended])
}

export default [
  {
    name: 'plain HTTP, nothing to show',
    what: 'no browser: does the work honestly, sends an empty summary',
    visit: async (stage) => submit(stage, await tokenOverHttp(stage, { signals: {} })),
  },
  {
    name: 'plain HTTP, made up',
    what: 'no browser, a browser’s headers: a person’s summary with every number shaken, so that none comes twice',
    screen: true,
    async visit(stage) {
      const { signals } = await stage.another(MOUSE, 'a summary')
      const how = {
        signals: invented(signals, stage.dice),
        headers: perfectHeaders(stage),
        patience: 5000,
      }
      await submit(stage, await tokenOverHttp(stage, how))
    },
  },
  {
    name: 'plain HTTP, a person’s summary',
    what: 'no browser, a browser’s headers to the letter: replays what a simulated person’s browser told a minute ago',
    screen: true,
    async visit(stage) {
      const { signals } = await stage.another(MOUSE, 'a summary')
      await submit(
        stage,
        await tokenOverHttp(stage, { signals, headers: perfectHeaders(stage), patience: 2000 }),
      )
    },
  },
  {
    name: 'happy-dom',
    what: 'the page and its scripts in happy-dom',
    visit: (stage) => inAProcess(stage, 'happy-dom.mjs'),
  },
  {
    name: 'jsdom',
    what: 'the page and its scripts in jsdom, with a browser’s headers, fetch, crypto and observers put in by hand',
    visit: (stage) => inAProcess(stage, 'jsdom.mjs'),
  },
].map((program) => ({ kind: 'bot', isBrowser: false, ...program }))
