import { expect, test } from '@jest/globals'
import { BUCKET_MS, bucketNumber } from '../../../src/store/ledger-partition.ts'

test.each([0, 1, 9, 10, 59, 60, 1_795_000_000, 1_795_000_007])(
  'a bucket ends after all that is kept in it, by a bucket’s length at most: until second %i',
  (keepUntil) => {
    const end = bucketNumber(keepUntil) * BUCKET_MS
    expect(end).toBeGreaterThan(keepUntil * 1000)
    expect(end).toBeLessThanOrEqual(keepUntil * 1000 + BUCKET_MS)
  },
)
