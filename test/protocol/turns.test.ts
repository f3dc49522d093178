import { expect, test } from '@jest/globals'
import { turns } from '../../src/protocol/turns.ts'

/** What waits for its turn takes so many milliseconds, by a clock of our own; the turns of the loop are marked. */
async function ran(names: readonly string[], msEach: number): Promise<string[]> {
  let now = 0
  const myTurn = turns(() => now)
  const order: string[] = []
  const visits = names.map(async (name) => {
    await myTurn()
    now += msEach
    order.push(name)
  })
  const mark = (): void => {
    order.push('|')
    if (order.filter((each) => each !== '|').length < names.length) setImmediate(mark)
  }
  setImmediate(mark)
  await Promise.all(visits)
  return order
}

// C16: 500 answers of Redis in one packet were checked in one go, and nobody else was served meanwhile.
test('what waits for its turn runs in the order it came, and the loop turns when 4 ms are used up', async () => {
  expect(await ran(['a', 'b', 'c', 'd', 'e'], 1.5)).toEqual(['a', 'b', 'c', '|', 'd', 'e'])
  expect(await ran(['a', 'b', 'c'], 4)).toEqual(['a', '|', 'b', '|', 'c'])
})

test('who comes later, or while others run, gets a turn too', async () => {
  const myTurn = turns(() => 0)
  await myTurn()
  const order: string[] = []
  const first = myTurn().then(async () => {
    order.push('first')
    await myTurn()
    order.push('again')
  })
  const second = myTurn().then(() => order.push('second'))
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second', 'again'])
  await myTurn()
})
