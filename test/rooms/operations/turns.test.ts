import { expect, test } from '@jest/globals'
import { turns } from '../../../src/operations/turns.ts'

/** Each task takes some milliseconds, by the test's clock. Turns of the loop are marked; capital letters are settled tasks. */
async function ran(names: readonly string[], msEach: number): Promise<string> {
  let now = 0
  const limiterThenLedger = turns(() => now)
  let order = ''
  const told = names.map(async (name) => {
    const result = await limiterThenLedger(() => {
      now += msEach
      order += name
      return name.toUpperCase()
    })
    order += result
  })
  const mark = (): void => {
    order += '|'
    if (order.replaceAll('|', '').length < 2 * names.length) setImmediate(mark)
  }
  setImmediate(mark)
  await Promise.all(told)
  return order
}

// A bug: 500 answers of Redis in one packet were checked without a pause, and blocked all other requests.
test('tasks run in order, settle together, and yield to the event loop after 4 ms', async () => {
  expect(await ran(['a', 'b', 'c', 'd', 'e'], 1.4)).toBe('abcABC|deDE')
  expect(await ran(['a', 'b', 'c'], 4)).toBe('aA|bB|cC')
})

test('a task that is queued later, or while others settle, runs too', async () => {
  const limiterThenLedger = turns(() => 0)
  await limiterThenLedger(() => {})
  const order: string[] = []
  const say = (what: string) => limiterThenLedger(() => void order.push(what))
  const first = say('first').then(() => say('again'))
  await Promise.all([first, say('second')])
  expect(order).toEqual(['first', 'second', 'again'])
  await say('later')
  expect(order.at(-1)).toBe('later')
})

test('a task that throws rejects, and the next one runs', async () => {
  const limiterThenLedger = turns()
  const broken = limiterThenLedger(() => {
    throw new Error('broken')
  })
  const after = limiterThenLedger(() => 'fine')
  await expect(broken).rejects.toThrow('broken')
  expect(await after).toBe('fine')
})

test('by the machine’s clock too, a task of 5 ms ends its turn', async () => {
  const inTurns = turns()
  let order = ''
  const run = async (name: string) => {
    await inTurns(() => {
      for (const end = performance.now() + 5; performance.now() < end;);
      order += name
    })
    order += '|'
  }
  await Promise.all([run('a'), run('b')])
  expect(order).toBe('a|b|')
})
