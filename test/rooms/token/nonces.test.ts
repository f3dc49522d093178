/** A nonce of AES-GCM that comes twice under one key shows the difference of two texts. */
import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { nonces } from '../../../src/token/nonces.ts'

const key = createSecretKey(Buffer.alloc(32, 7))
const take = (next: () => Buffer, count: number) => Array.from({ length: count }, () => next().toString('hex'))
const run = (byte: number) => () => Buffer.alloc(8, byte)

test('no nonce comes twice, of one run or of two', () => {
  const all = [...take(nonces(key, run(1)), 100_000), ...take(nonces(key, run(2)), 100_000)]
  expect(new Set(all).size).toBe(200_000)
})

// A permutation: the same number gives the same nonce in every process, so distinct numbers give distinct nonces.
test('a nonce follows from the run and the count, under a key of its own', () => {
  expect(take(nonces(key, run(1)), 300)).toEqual(take(nonces(key, run(1)), 300))
  expect(take(nonces(key, run(1), 10), 5)).toEqual(take(nonces(key, run(1)), 15).slice(10))
  expect(take(nonces(createSecretKey(Buffer.alloc(32, 8)), run(1)), 1)).not.toEqual(take(nonces(key, run(1)), 1))
})

test('after 2^32 nonces a new run begins', () => {
  const runs = [run(1)(), run(2)()]
  const next = nonces(key, () => runs.shift()!, 2 ** 32 - 2)
  expect(take(next, 4).slice(2)).toEqual(take(nonces(key, run(2)), 2))
})

test('two processes, or two starts of one, have runs of their own', () => {
  expect(take(nonces(key), 1)).not.toEqual(take(nonces(key), 1))
})

test('no part of a nonce counts up: neighbours differ in half of the bits', () => {
  const pool = nonces(key, () => randomBytes(8))
  const seen = Array.from({ length: 2000 }, () => BigInt(`0x${pool().toString('hex')}`))
  const flips = Array.from({ length: 96 }, (_, bit) =>
    seen.slice(1).reduce((sum, each, i) => sum + Number(((each ^ seen[i]!) >> BigInt(bit)) & 1n), 0),
  )
  // 1,999 throws of a coin: 22 is one standard deviation.
  expect(Math.min(...flips)).toBeGreaterThan(1000 - 7 * 22)
  expect(Math.max(...flips)).toBeLessThan(1000 + 7 * 22)
})
