import { fillInTurn, pressIfAsked } from '../person/fill.mjs'
import { startAsVisitor } from '../screen/account.mjs'
import { until } from '../../stand/processes.mjs'

/** Milliseconds for an act of a driver, and for the start of its browser: some import for long on a busy machine. */
const ACT_MS = 90_000
const OPEN_MS = 180_000

/**
 * Starts a driver that is a program of its own, at a page. It reads a line of JSON for each act from its standard input, and answers each with
 * a line: "done", or what went wrong. `how`: its name, the program, its arguments and its environment.
 *
 * @returns what carries out one act of it
 */
async function lineDriver(stage, { name, program, args, env }, url) {
  const driver = startAsVisitor(stage, program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  driver.child.stdin.on('error', () => {})
  let answers = ''
  driver.child.stdout.on('data', (text) => {
    answers += text
  })
  let asked = 0
  const act = async (order) => {
    driver.child.stdin.write(`${JSON.stringify(order)}\n`)
    const number = asked++
    const answered = () => {
      if (driver.child.exitCode !== null)
        throw new Error(`${name}: ${driver.said().trim().split('\n').at(-1)}`)
      return answers.split('\n').slice(0, -1)[number]
    }
    const patience = order.act === 'open' ? OPEN_MS : ACT_MS
    const answer = await until(answered, `${name}, ${order.act}`, patience)
    if (answer !== 'done') throw new Error(`${name}: ${answer}`)
  }
  // Some start the browser apart from themselves, so it would outlive them.
  stage.defer(() => act({ act: 'close' }).catch(() => {}))
  await act({ act: 'open', url })
  return act
}

/** Presses the button of the step, or a widget's box, where the page has it. */
const pressAt = async ({ customer }, act, id = 'step') => {
  const { places } = await customer.layout((seen) => seen.places[id] !== undefined)
  const [left, top, width, height] = places[id]
  await act({ act: 'press', x: left + width / 2, y: top + height / 2 })
}

/** Fills in the form field by field. `think` is what comes before each act of an agent. */
export async function fillByLines(stage, how, { think = async () => {} } = {}) {
  const act = await lineDriver(stage, how, stage.url)
  const isOfForm = (id) => ['terms', 'send'].includes(id)
  await fillInTurn(stage, {
    enter: think,
    type: (text, id) => act({ act: 'type', id, text }),
    async click(id) {
      await think()
      await (isOfForm(id) ? act({ act: 'click', id }) : pressAt(stage, act, id))
    },
  })
}

/** Loads the page without a touch, and presses the step where it is asked for. */
export async function loadByLines(stage, how) {
  const act = await lineDriver(stage, how, new URL('/silent', stage.url).href)
  await pressIfAsked(stage, () => pressAt(stage, act))
  await stage.customer.form(60_000)
}
