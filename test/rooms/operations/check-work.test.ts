import { expect, test } from '@jest/globals'
import type { AttemptId } from '../../../src/domain/words.ts'
import { parseSolution } from '../../../src/work/solution.ts'
import { type CheckWork, type HandedIn, workCheck } from '../../../src/operations/check-work.ts'
import { work } from '../../support/visitor.ts'

const token = 'a.challenge.token'
// Two samples, of so many iterations that a check takes long enough to look at.
const pow = { a: 'pb.1', s: 100_000, n: 2, b: 4000 } as const
const samples = parseSolution(work(token, pow), 2)!
let bodies = 0
const newBody = () => `body ${bodies++}` as AttemptId
/** Work that is right, with a change. */
const handedIn = (change: Partial<HandedIn> = {}): HandedIn => ({
  attempt: newBody(),
  challenge: token,
  pow,
  samples,
  positions: [0, 1],
  ...change,
})
const check = (checkWork: CheckWork, attempt = newBody()) => checkWork(handedIn({ attempt }))

test('checks of pb.1 run one at a time, off the event loop: s32.1 waits for none', async () => {
  const checkWork = workCheck()
  const ended: string[] = []
  const checks = Array.from({ length: 10 }, async (_, i) => {
    await check(checkWork)
    ended.push(`pb ${i}`)
  })
  const s32 = { a: 's32.1', s: 64, n: 2, b: 4000 } as const
  const one = parseSolution(work(token, s32), 2)!
  checks.push(
    checkWork(handedIn({ pow: s32, samples: one })).then(
      (right) => void ended.push(`s32 ${right}`),
    ),
  )
  await Promise.all(checks)
  expect(ended[0]).toBe('s32 true')
  expect(ended.slice(1)).toEqual(Array.from({ length: 10 }, (_, i) => `pb ${i}`))
})

// 20 copies of one body cost 20 checks, of 60 ms each for pb.1.
test('a repeated body is not checked again', async () => {
  const checkWork = workCheck()
  const body = newBody()
  const copies = Array.from({ length: 20 }, (_, i) =>
    i === 0
      ? check(checkWork, body)
      : checkWork(handedIn({ attempt: body, challenge: 'another', samples: [] })),
  )
  expect(await Promise.all(copies)).toEqual(Array.from({ length: 20 }, () => true))
  expect(await check(checkWork, body)).toBe(true)
})

test('a wrong solution stays wrong; a failed check is repeated', async () => {
  const checkWork = workCheck()
  const [wrong, broken] = [newBody(), newBody()]
  expect(await checkWork(handedIn({ attempt: wrong, challenge: 'another' }))).toBe(false)
  expect(await check(checkWork, wrong)).toBe(false)
  const thrown = await checkWork(handedIn({ attempt: broken, pow: { ...pow, s: -1 } })).catch(
    () => 'thrown',
  )
  expect([thrown, await check(checkWork, broken)]).toEqual(['thrown', true])
})

test('the oldest result is dropped when the cache is full', async () => {
  const checkWork = workCheck()
  const s32 = { a: 's32.1', s: 1, n: 1, b: 0 } as const
  const none = [{ index: 0, tag: 0 }] as const
  const body = newBody()
  expect(await check(checkWork, body)).toBe(true)
  for (let i = 0; i < 4095; i++)
    await checkWork(handedIn({ pow: s32, samples: none, positions: [0, 0] }))
  expect(await checkWork(handedIn({ attempt: body, challenge: 'another' }))).toBe(true)
  await checkWork(handedIn({ pow: s32, samples: none, positions: [0, 0] }))
  expect(await checkWork(handedIn({ attempt: body, challenge: 'another' }))).toBe(false)
})
