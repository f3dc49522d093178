/** docs/design/threats.md, "Concurrency": 10,000 tokens, each consumed 50 times at once, by four instances on one Redis. */
import { expect, test } from '@jest/globals'
import { anyJti, entry, eventually, newAttempt } from '../../support/ledger-contract.ts'
import { openLedger } from '../../support/ledger-on-redis.ts'
import { startRedis } from '../../support/redis.ts'

test('of 500,000 attempts exactly 10,000 consume, one for each token', async () => {
  const redis = await startRedis()
  const instances = Array.from({ length: 4 }, () =>
    openLedger({ url: redis.url }, { patient: true }),
  )
  for (const { ledger } of instances) await eventually(() => ledger.probe())
  for (let consumed = 0; consumed < 10_000; consumed += 10) {
    const tokens = Array.from({ length: 10 }, () => entry(instances[0]!.ledger.generation(anyJti)))
    const outcomes = tokens.map((token) =>
      Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          instances[i % 4]!.ledger.consume({ ...token, attempt: newAttempt() }),
        ),
      ),
    )
    for (const each of await Promise.all(outcomes))
      expect(each.toSorted()).toEqual(['first', ...Array.from({ length: 49 }, () => 'taken')])
  }
})
