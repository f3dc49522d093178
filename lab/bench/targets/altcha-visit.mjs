/**
 * ALTCHA's server library behind Express, by its own handlers for Express. Without REDIS the used challenges are in its CappedMap,
 * else in Redis by the `store` that altcha-lib documents. The counter is the browser's alone: the server derives one key at
 * each, so the load generator gets the smallest.
 */
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { CappedMap, create } from 'altcha-lib/frameworks/express'
import express from 'express'
import { Redis } from 'ioredis'

function redisStore(url) {
  const redis = new Redis(url)
  return {
    get: (id) => redis.get(`altcha:${id}`),
    set: (id, value) => redis.set(`altcha:${id}`, String(value), 'PX', 3_600_000),
    setIfAbsent: async (id) =>
      (await redis.set(`altcha:${id}`, '1', 'PX', 3_600_000, 'NX')) === 'OK',
  }
}

const { REDIS } = process.env
const { challengeHandler, verifyHandler } = create({
  deriveKey,
  hmacSignatureSecret: 'a secret of the bench',
  hmacKeySignatureSecret: 'another of the bench',
  store: REDIS ? redisStore(REDIS) : new CappedMap({ maxSize: 1_000_000 }),
  createChallengeParameters: () => ({
    algorithm: 'PBKDF2/SHA-256',
    cost: 5000,
    counter: 0,
    expiresAt: Math.floor(Date.now() / 1000) + 3600,
  }),
})
const app = express()
app.use(express.json())
app.post('/challenge', challengeHandler)
app.post('/verify', verifyHandler)
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ listening: server.address().port })),
)
