import { expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { partitionOf, prefixesOf } from '../../../src/store/redis/partitions.ts'

// All instances of a rolling upgrade must agree, so the rule itself is pinned.
test.each([
  { name: 'AAAAAAAAAAAAAAAAAAAAAA', of4: 0, of64: 12 },
  { name: 'l:siteverify:hv_site_testshop', of4: 2, of64: 54 },
])('the partition of $name never changes', ({ name, of4, of64 }) => {
  expect([partitionOf(name, 4), partitionOf(name, 64)]).toEqual([of4, of64])
})

test('the prefixes name the number of partitions, and never change', () => {
  expect(prefixesOf('hv', 1)).toEqual(['{hv}:'])
  expect(prefixesOf('hv', 2)).toEqual(['{hv.2.0}:', '{hv.2.1}:'])
})

test.each([
  { kind: 'random ids', name: () => randomBytes(16).toString('base64url') },
  { kind: 'names that differ at the end', name: (i: number) => `l:solve:${i}` },
])('each partition gets an even share of $kind', ({ name }) => {
  const counts = Array.from({ length: 8 }, () => 0)
  for (let i = 0; i < 16_000; i++) counts[partitionOf(name(i), 8)]!++
  // 2,000 each; 300 is seven standard deviations.
  expect(Math.min(...counts)).toBeGreaterThan(1700)
  expect(Math.max(...counts)).toBeLessThan(2300)
})
