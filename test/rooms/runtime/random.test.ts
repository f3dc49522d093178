import { expect, test } from '@jest/globals'
import { pooledBytes, pooledRandom } from '../../../src/runtime/random.ts'

test('each asker has bytes of its own, and keeps them when more are fetched', () => {
  const next = pooledBytes(16)
  const handed = Array.from({ length: 600 }, next)
  const texts = handed.map((bytes) => bytes.toString('hex'))
  expect(new Set(texts).size).toBe(600)
  expect(new Set(handed.map(({ length }) => length))).toEqual(new Set([16]))
  for (let i = 0; i < 600; i++) next()
  expect(handed.map((bytes) => bytes.toString('hex'))).toEqual(texts)
})

test('two pools have nothing in common', () => {
  const [one, other] = [pooledBytes(8), pooledBytes(8)]
  const texts = Array.from({ length: 300 }, () => [one(), other()].map((bytes) => bytes.toString('hex'))).flat()
  expect(new Set(texts).size).toBe(600)
})

test('an id is 128 bits as base64url', () => {
  const random = pooledRandom()
  const ids = Array.from({ length: 600 }, () => random.id())
  expect(new Set(ids).size).toBe(600)
  for (const each of ids) expect(each).toMatch(/^[\w-]{21}[AQgw]$/)
})
