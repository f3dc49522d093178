import { describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { newKey } from '../../../src/token/keyring.ts'
import { OPENS_FOR, retire } from '../../../src/token/retire.ts'

const NOW = 2_000_000_000
const ages = (keys: readonly { nbf: number }[]): number[] => keys.map(({ nbf }) => NOW - nbf)

describe('retire', () => {
  test('keeps a key for the longest challenge, the longest token and 5 minutes', () => {
    expect(OPENS_FOR).toBe(60 * 60 + 10 * 60 + 5 * 60)
  })

  test.each([
    { when: 'it is alone, however old', keys: [999_999], kept: [999_999] },
    { when: 'a newer one is not active yet', keys: [-600, 999_999], kept: [-600, 999_999] },
    { when: 'a newer one has just become active', keys: [0, 999_999], kept: [0, 999_999] },
    { when: 'a newer one is active for a second less', keys: [OPENS_FOR - 1, 999_999], kept: [OPENS_FOR - 1, 999_999] },
    { when: 'it is as old as another', keys: [999_999, 999_999], kept: [999_999, 999_999] },
  ])('keeps a key when $when', ({ keys, kept }) => {
    const all = keys.map((age) => newKey(unixSeconds(NOW - age)))
    expect(ages(retire(all, unixSeconds(NOW)).live)).toEqual(kept)
    expect(retire(all, unixSeconds(NOW)).retired).toEqual([])
  })

  test.each([
    { when: 'the newer one is active for so long', keys: [OPENS_FOR, 999_999], retired: [999_999] },
    { when: 'several newer ones are', keys: [0, 9000, 50_000, 999_999], retired: [50_000, 999_999] },
    { when: 'the file has another order', keys: [999_999, 9000], retired: [999_999] },
  ])('takes a key out when $when', ({ keys, retired }) => {
    const all = keys.map((age) => newKey(unixSeconds(NOW - age)))
    const { live: kept, retired: gone } = retire(all, unixSeconds(NOW))
    expect(ages(gone)).toEqual(retired)
    expect([...kept, ...gone]).toHaveLength(all.length)
  })
})
