/**
 * ALTCHA's server library behind Express, as in the README of altcha-lib 2: create, verify, and the ledger that its users must
 * add, one SET NX in Redis. The counter is the browser's alone: the server derives one key at each, so the load generator
 * gets the smallest.
 */
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import express from 'express'
import { Redis } from 'ioredis'

const secrets = {
  hmacSignatureSecret: 'a secret of the bench',
  hmacKeySignatureSecret: 'another of the bench',
}
const redis = new Redis(process.env.REDIS)
const app = express()
app.use(express.json())
app.post('/challenge', async (_req, res) => {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  res.json(
    await createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: 5000,
      counter: 0,
      deriveKey,
      expiresAt,
      ...secrets,
    }),
  )
})
app.post('/verify', async (req, res) => {
  const { challenge, solution } = req.body
  const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets })
  const first =
    verified && (await redis.set(`altcha:${challenge.signature}`, '1', 'PX', 600_000, 'NX'))
  res.json({ success: first === 'OK' })
})
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ listening: server.address().port })),
)
