/** docs/design/threats.md, "Concurrency": 10,000 tokens, each consumed 50 times at once, by four processes on one Redis. */
import { expect, test } from '@jest/globals'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { newJti } from '../../support/ledger-contract.ts'
import { startRedis } from '../../support/redis.ts'

interface Outcomes {
  readonly ours: readonly number[]
  readonly others: Readonly<Record<string, number>>
}

test('of 500,000 attempts exactly 10,000 consume, one for each token', async () => {
  const redis = await startRedis()
  const jtis = Array.from({ length: 10_000 }, newJti)
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  // 13 + 13 + 12 + 12 = 50 for each token.
  const outcomes = await Promise.all(
    [13, 13, 12, 12].map(async (times) => {
      const child = fork(join(import.meta.dirname, 'consumer.js'))
      child.send({ url: redis.url, jtis, times, expiresAt })
      const [said] = (await once(child, 'message')) as [Outcomes]
      return said
    }),
  )
  await redis.remove()
  const winners = outcomes.flatMap(({ ours }) => ours)
  expect(winners).toHaveLength(10_000)
  expect(new Set(winners).size).toBe(10_000)
  expect(outcomes.flatMap(({ others }) => Object.keys(others))).toEqual(['taken', 'taken', 'taken', 'taken'])
  expect(outcomes.map(({ others }) => others['taken']!).reduce((sum, each) => sum + each)).toBe(490_000)
})
