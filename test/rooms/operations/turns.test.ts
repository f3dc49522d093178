import { expect, test } from '@jest/globals'
import { turns } from '../../../src/operations/turns.ts'

/** What waits takes so many milliseconds, by a clock of our own; the turns of the loop are marked, what is told has a capital. */
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

// A bug: 500 answers of Redis in one packet were checked in one go, and nobody else was served meanwhile.
test('what waits runs in the order it came, is told together, and the loop turns when 4 ms are used up', async () => {
  expect(await ran(['a', 'b', 'c', 'd', 'e'], 1.4)).toBe('abcABC|deDE')
  expect(await ran(['a', 'b', 'c'], 4)).toBe('aA|bB|cC')
})

test('who comes later, or while others are told, gets a turn too', async () => {
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

test('one that throws is told so, and stops none behind it', async () => {
  const limiterThenLedger = turns()
  const broken = limiterThenLedger(() => {
    throw new Error('broken')
  })
  const after = limiterThenLedger(() => 'fine')
  await expect(broken).rejects.toThrow('broken')
  expect(await after).toBe('fine')
})
