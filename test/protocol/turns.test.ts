import { expect, test } from '@jest/globals'
import { turns } from '../../src/protocol/turns.ts'

// C16: 500 answers of Redis in one packet were checked in one go, and nobody else was served meanwhile.
test('what waits for its turn runs in the order it came, and the loop turns in between', async () => {
  const myTurn = turns()
  const order: string[] = []
  const visits = ['a', 'b', 'c'].map(async (name) => {
    await myTurn()
    order.push(name)
    setImmediate(() => order.push(`after ${name}`))
  })
  await Promise.all(visits)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c'])
})
