import { expect, test } from '@jest/globals'
import { parseSolution } from '../../src/domain/solution.ts'
import { workCheck } from '../../src/protocol/check-work.ts'
import { work } from '../support/visitor.ts'

const token = 'a.challenge.token'
// Two samples, of so many iterations that a check takes long enough to look at.
const pow = { a: 'pb.1', s: 100_000, n: 2, b: 4000 } as const
const samples = parseSolution(work(token, pow), 2)!
const check = (checkWork: ReturnType<typeof workCheck>) => checkWork(token, pow, samples, [0, 1])

test('pb.1 is checked off the event loop: it turns meanwhile', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    waiting = setImmediate(count)
  }
  let waiting = setImmediate(count)
  expect(await check(workCheck())).toBe(true)
  clearImmediate(waiting)
  expect(turns).toBeGreaterThan(10)
})

test('one check of pb.1 at a time: of ten, the first is done long before the last, and s32.1 waits for none', async () => {
  const checkWork = workCheck()
  const ended: string[] = []
  const checks = Array.from({ length: 10 }, async (_, i) => {
    await check(checkWork)
    ended.push(`pb ${i}`)
  })
  const s32 = { a: 's32.1', s: 64, n: 2, b: 4000 } as const
  const one = parseSolution(work(token, s32), 2)!
  checks.push(checkWork(token, s32, one, [0, 1]).then((right) => void ended.push(`s32 ${right}`)))
  await Promise.all(checks)
  expect(ended[0]).toBe('s32 true')
  expect(ended.slice(1)).toEqual(Array.from({ length: 10 }, (_, i) => `pb ${i}`))
})

test('a check that throws stops none behind it', async () => {
  const checkWork = workCheck()
  const broken = checkWork(token, { ...pow, s: -1 }, samples, [0, 1]).catch(() => 'thrown')
  expect([await broken, await check(checkWork)]).toEqual(['thrown', true])
})
