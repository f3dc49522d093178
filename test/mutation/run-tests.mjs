/** Runs the tests of a file, as jest-circus does, but only those that are wanted and, if asked to, only to the first failure. */
import { relative } from 'node:path'

/** A test may put another clock in their place: its own limit, and its time, are of the real one. */
const { setInterval, clearInterval } = globalThis
const elapsed = performance.now.bind(performance)
const LIMIT_MS = 10_000
const TICK_MS = 50

/**
 * @param root what `loadTests` gave.
 * @param options.file for the ids.
 * @param options.wanted ids; left out: all.
 * @param options.bail no further test after a failure; what was set up is taken down all the same.
 * @param options.begins called with the id of the test that begins, and with undefined when it is over.
 * @returns `{ id, ms, error }` of each test that ran, in their order.
 */
export async function runTests(root, { file, wanted, bail = false, begins = () => {} }) {
  const ids = idsOf(root, relative(process.cwd(), file))
  const isWanted = wanted
    ? (
        (set) => (test) =>
          set.has(ids.get(test))
      )(new Set(wanted))
    : () => true
  const outcomes = []
  let stop = false
  /** What nobody waited for, and which failed while a test ran. */
  let stray
  const keep = (error) => void (stray ??= error ?? new Error('rejected with nothing'))
  process.on('uncaughtException', keep)
  process.on('unhandledRejection', keep)

  async function runTest(test, before, after) {
    const id = ids.get(test)
    const started = elapsed()
    begins(id)
    stray = undefined
    const context = {}
    let error = await firstError(before, context)
    error ??= await attempt(test, context)
    // Also after a failure: what a test leaves behind, a clock say, would fail in the next.
    for (const hook of after) {
      const untidy = await attempt(hook, context)
      error ??= untidy
    }
    error ??= stray
    begins(undefined)
    outcomes.push({ id, ms: elapsed() - started, error })
    if (bail && error !== undefined) stop = true
  }

  async function runBlock(block, before, after) {
    if (block.mode === 'skip' || !holds(block, isWanted)) return
    const of = (type) => block.hooks.filter((hook) => hook.type === type)
    const [each, ended] = [
      [...before, ...of('beforeEach')],
      [...of('afterEach'), ...after],
    ]
    const broken = await firstError(of('beforeAll'), {})
    for (const child of block.children) {
      if (stop) break
      if (child.type === 'describeBlock') {
        if (broken === undefined) await runBlock(child, each, ended)
      } else if (isWanted(child) && child.mode !== 'skip' && child.mode !== 'todo') {
        if (broken === undefined) await runTest(child, each, ended)
        else fail(ids.get(child), broken)
      }
    }
    if (broken !== undefined) fail(ids.get(firstTest(block, isWanted)), broken)
    const untidy = await firstError(of('afterAll'), {})
    if (untidy !== undefined) fail(ids.get(firstTest(block, isWanted)), untidy)
  }
  function fail(id, error) {
    outcomes.push({ id, ms: 0, error })
    if (bail) stop = true
  }

  try {
    await runBlock(root, [], [])
  } finally {
    process.off('uncaughtException', keep)
    process.off('unhandledRejection', keep)
  }
  return outcomes
}

async function firstError(hooks, context) {
  for (const hook of hooks) {
    const error = await attempt(hook, context)
    if (error !== undefined) return error
  }
  return undefined
}

/** @returns what a test or a hook threw, or that it took too long. */
async function attempt({ fn, timeout }, context) {
  let left = Math.ceil((timeout ?? LIMIT_MS) / TICK_MS)
  let timer
  // Ticks and not one timer: a run that was stopped for a while (SIGSTOP) has not been slow.
  const late = new Promise((_resolve, reject) => {
    timer = setInterval(() => {
      left -= 1
      if (left <= 0) reject(new Error('took too long'))
    }, TICK_MS)
  })
  try {
    const returned = fn.call(context)
    if (typeof returned?.then === 'function') await Promise.race([returned, late])
    return undefined
  } catch (error) {
    return error ?? new Error('thrown nothing')
  } finally {
    late.catch(() => {})
    clearInterval(timer)
  }
}

const holds = (block, isWanted) => firstTest(block, isWanted) !== undefined

function firstTest(block, isWanted) {
  for (const child of block.children) {
    const found = child.type === 'describeBlock' ? firstTest(child, isWanted) : isWanted(child) ? child : undefined
    if (found) return found
  }
  return undefined
}

/** File and full name; a name that comes again gets a number. */
function idsOf(root, file) {
  const ids = new Map()
  const seen = new Map()
  const visit = (block, path) => {
    for (const child of block.children) {
      const name = path === '' ? child.name : `${path} ${child.name}`
      if (child.type === 'describeBlock') {
        visit(child, name)
        continue
      }
      const before = seen.get(name) ?? 0
      seen.set(name, before + 1)
      ids.set(child, `${file}: ${name}${before === 0 ? '' : ` #${before + 1}`}`)
    }
  }
  visit(root, '')
  return ids
}
