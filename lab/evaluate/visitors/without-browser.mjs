/** Programs without a browser: plain HTTP, and simulators of a page. */
import { join } from 'node:path'
import { keyboardUser } from '../../attackers/forge.mjs'
import { answersBy } from '../../attackers/stage.mjs'
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

/** What a keyboard's user shows after so many milliseconds, forged. */
const forged = (patience) => ({ patience, signals: keyboardUser({ n: 18_432 }, patience) })
/** Parts of the work from one address in ten minutes: three more than slow devices explain. */
const PARTS = 18

export default [
  {
    name: 'plain HTTP, wrong answers',
    what: 'no browser, a browser’s headers and a forged summary: answers to the proof that are well formed, and each wrong by one',
    async visit(stage) {
      const right = await answersBy(stage.service.keyring)
      const answers = async (challenge) =>
        (await right(challenge)).map((list) => list.map((n) => n + 1))
      const how = { ...forged(5000), headers: perfectHeaders(stage), answers }
      await submit(stage, await tokenOverHttp(stage, how))
    },
  },
  {
    name: 'plain HTTP, a quarter of the work',
    kind: 'inseparable',
    what: `no browser, a browser’s headers and a forged summary: answers made with the service’s own keys, a quarter of the work, ${PARTS} times at once from one address. Limited by \`work-in-part-again\`: slow devices explain fifteen, and more are held at 0.27`,
    async visit(stage) {
      const answers = await answersBy(stage.service.keyring)
      const how = { ...forged(5000), headers: perfectHeaders(stage), answers, share: 1 / 4 }
      const tokens = Array.from({ length: PARTS }, () => tokenOverHttp(stage, how))
      for (const token of await Promise.all(tokens)) await submit(stage, token)
    },
  },
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
