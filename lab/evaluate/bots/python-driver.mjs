import { existsSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fillInTurn, pressIfAsked } from '../person/fill.mjs'
import { startAsVisitor } from '../screen/account.mjs'
import { ROOT } from '../../stand/machine.mjs'
import { until } from '../../stand/processes.mjs'

/** The distribution's Python: one below root's home is closed to the account of visitors. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = join(import.meta.dirname, 'python-drivers.py')
/** Pinned releases, with all that they need. */
const LIST = join(import.meta.dirname, 'python-drivers.txt')
/** Milliseconds for an act of a driver; a start takes longest. */
const ACT_MS = 90_000

/** Installs the drivers of the list below build/, once for each list. @returns the folder */
function installed() {
  const list = readFileSync(LIST, 'utf8')
  const version = createHash('sha256').update(list).digest('hex').slice(0, 12)
  const target = join(ROOT, 'build/programs', `python-drivers-${version}`)
  if (existsSync(join(target, 'nodriver'))) return target
  const args = ['install', '--quiet', '--no-deps', '--target', target, '--requirement', LIST]
  const quiet = ['--disable-pip-version-check', '--root-user-action=ignore']
  const { status, stderr } = spawnSync('python3', ['-m', 'pip', ...args, ...quiet], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`pip could not install ${LIST}: ${stderr.trim()}`)
  return target
}

/** Starts a driver of PyPI at a page. @returns what carries out one act of it */
async function pythonDriver(stage, name, url) {
  const driver = startAsVisitor(stage, PYTHON, [PROGRAM, name], {
    env: { PYTHONPATH: installed(), PYTHONUNBUFFERED: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
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
    const answer = await until(answered, `${name}, ${order.act}`, ACT_MS)
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

/** Fills in the form field by field. */
export async function fillByPython(stage, name) {
  const act = await pythonDriver(stage, name, stage.url)
  await fillInTurn(stage, {
    enter: async () => {},
    type: (text, id) => act({ act: 'type', id, text }),
    click: (id) =>
      ['terms', 'send'].includes(id) ? act({ act: 'click', id }) : pressAt(stage, act, id),
  })
}

/** Loads the page without a touch, and presses the step where it is asked for. */
export async function loadByPython(stage, name) {
  const act = await pythonDriver(stage, name, new URL('/silent', stage.url).href)
  await pressIfAsked(stage, () => pressAt(stage, act))
  await stage.customer.form(60_000)
}
